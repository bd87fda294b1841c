/** Fences and units of a cluster where a member is silent, and where the database has gone back in time, or may have: it was restored, or a standby became the primary (docs/adr/0058). */
import pg from 'pg';
import type { BeatRequest } from '../../cluster/contract.ts';
import { EPOCHS_LOST, FORMER_OWNER } from '../../domain/former-owner.ts';

/** Requests of all members follow each other. The lock is of a transaction, so that it works through a pooler, too. */
const IN_TURN = "pg_advisory_xact_lock(hashtext('slm-gateway cluster'))";
/** One that stands still in its turn keeps all others from theirs: the server ends its connection after this, ms. Less than others wait for an answer. */
const IDLE_MS = 1_000;
/** A turn, or a table, that does not come is given up by the server, too, ms. Whoever asked has given it up before. */
const TURN_MS = 5_000;
/** Within a transaction. */
export const LOCKS_END = `set local lock_timeout = ${TURN_MS}`;
/** The limits are of the transaction, so that they hold through a pooler, too. */
export const BEGIN = `begin; set local idle_in_transaction_session_timeout = ${IDLE_MS}; ${LOCKS_END}`;
/** A server that becomes the primary begins another one: the first eight digits of the name of the file that it writes changes to. */
export const TIMELINE = 'substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)';
/** The server is busy, or going away: it may tell the next time. */
const PASSING = /^(08|40|53|57|58)/;

/** The id of the former owner as an expression; null while it is not open. */
export const OF_FORMER_OWNER = `(select id from cluster_member where id = '${FORMER_OWNER.id}' and open)`;

/** Whether the server of a new connection tells its timeline. Some services do not let one ask. To be called outside of a transaction: a refusal would end it. */
export async function tellsTimeline(client: pg.Client): Promise<boolean> {
  try {
    await client.query(`select ${TIMELINE}`);
    return true;
  } catch (error) {
    if (error instanceof pg.DatabaseError && !PASSING.test(error.code ?? '')) return false;
    throw error;
  }
}

/** Waits for the end of the other transactions. Gives the timeline of the server, which behind a pooler may be another one each time. */
export async function inTurn(client: pg.Client, tells: boolean): Promise<string | undefined> {
  const { rows } = await client.query<{ timeline: string | null }>(
    `select ${IN_TURN}, ${tells ? TIMELINE : 'null'} as timeline`,
  );
  return rows[0]?.timeline ?? undefined;
}

/** What the database knows of a member; `null`: nothing. */
interface Known {
  readonly epoch: number | null;
  readonly beat: number | null;
}

/** Gives what the database knows of a member. Where the timeline is another one than was seen last, nobody gets units of which somebody may know more. */
export async function lookedBack(client: pg.Client, member: string, timeline: string | undefined): Promise<Known> {
  const { rows } = await client.query<Known & { seen: string | null }>(
    `select seen, epoch, beat from (select (select timeline from cluster_timeline) as seen) as one
       left join cluster_member on id = $1`,
    [member],
  );
  const { seen = null, ...known } = rows[0] ?? { epoch: null, beat: null };
  if (timeline === undefined || seen === timeline) return known;
  if (seen !== null) await keepForFormerOwner(client);
  await client.query(
    'insert into cluster_timeline (timeline) values ($1) on conflict (is_only) do update set timeline = $1',
    [timeline],
  );
  return known;
}

/** Whether the database knows less of a member than it has told it. */
export const isBehind = (known: Known, { epoch, answered }: BeatRequest): boolean =>
  known.epoch === null || known.epoch < epoch || (known.epoch === epoch && Number(known.beat) < answered);

/** All fences are closed, also that of the tables, and the units are those of the former owner. */
export async function begunAnew(client: pg.Client): Promise<'refused'> {
  const { rows: former } = await client.query<{ voters: string[] | null }>(
    `select voters from cluster_member where id = ${OF_FORMER_OWNER}`,
  );
  await client.query('update cluster_member set open = false, epoch = epoch + $1', [EPOCHS_LOST]);
  await openFormerOwner(client, former[0]?.voters);
  await client.query('update cluster_owner set member = $1', [FORMER_OWNER.id]);
  const { rows } = await client.query<{ made: string | null }>("select to_regclass('store_owner') as made");
  if (rows[0]?.made) await client.query('update store_owner set incarnation = incarnation + 1');
  return 'refused';
}

/** Whoever has units by changes that are lost may act at them until its lease is over. What open members have stays theirs. */
async function keepForFormerOwner(client: pg.Client): Promise<void> {
  // Nobody goes on without the database before these have promised not to take its units.
  const { rows } = await client.query<{ asked: string[] | null }>(
    `with listed as (select id, open, voters from cluster_member where not removed and id <> $1)
     select case when exists (select from listed where open) then coalesce(jsonb_agg(id), '[]') end as asked from listed as one
      where not exists (
        select from listed as other where other.open and other.id <> one.id and not other.voters @> to_jsonb(one.id))`,
    [FORMER_OWNER.id],
  );
  await openFormerOwner(client, rows[0]?.asked);
  await client.query('update cluster_owner set member = $1 where member is null', [FORMER_OWNER.id]);
}

/** Nothing that it sends under this epoch counts any more. Its units are of `next`. Gives their number. */
export async function closeFence(
  client: pg.Client,
  where: string,
  values: readonly unknown[],
  next = 'null',
): Promise<number> {
  const { rowCount } = await client.query(`update cluster_member set open = false where open and ${where}`, [
    ...values,
  ]);
  if (rowCount === 0) return 0;
  const freed = await client.query(`update cluster_owner set member = ${next} where member = $1`, [values[0]]);
  return freed.rowCount ?? 0;
}

/** While the former owner is open, units of a member that joins are its. */
export async function givenToFormerOwner(client: pg.Client, member: string): Promise<void> {
  const { rowCount } = await client.query(
    `update cluster_owner set member = ${OF_FORMER_OWNER} where member = $1 and ${OF_FORMER_OWNER} is not null`,
    [member],
  );
  if (rowCount !== 0) await waitAnew(client);
}

/** The former owner got units: a request that comes late is not the end of the lease of whoever had them. */
export async function waitAnew(client: pg.Client): Promise<void> {
  await client.query('update cluster_member set beat = beat + 1 where id = $1', [FORMER_OWNER.id]);
}

/** All begin to wait for it anew. Who is not among the voters waits much longer. */
async function openFormerOwner(client: pg.Client, voters: readonly string[] | null = null): Promise<void> {
  await client.query(
    `insert into cluster_member (id, epoch, beat, open, leaving, sites, name, address, version, place, voters)
     values ($1, 1, 0, true, true, '[]', $2, '', '', '', $3)
     on conflict (id) do update set epoch = cluster_member.epoch + 1, beat = 0, open = true, name = $2, voters = $3`,
    [FORMER_OWNER.id, FORMER_OWNER.name, voters && JSON.stringify(voters)],
  );
}
