/** Members and owners in PostgreSQL. One connection of its own, so that a beat never waits behind other work. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { unlessAborted } from '../../clock.ts';
import type {
  BeatRequest,
  ClusterAnswer,
  ClusterRequest,
  ClusterView,
  DeclaredUnit,
  JoinRequest,
  MemberRow,
  SeenMember,
  SharedClusterStore,
  SharedFile,
} from '../../cluster/contract.ts';
import { GATEWAY_ROLE } from '../../domain/cluster-units.ts';
import { type DatabaseAddress, databaseWords } from '../../domain/database-address.ts';
import { isOtherTimeline } from '../../domain/timeline.ts';
import {
  BEGIN,
  begunAnew,
  closeFence,
  givenToFormerOwner,
  inTurn,
  isBehind,
  lookedBack,
  OF_FORMER_OWNER,
  tellsTimeline,
  waitAnew,
} from './cluster-fences.ts';
import { CLUSTER_TABLES } from './cluster-tables.ts';
import { lookAtTables, TABLE_NAMES } from './migrations.ts';
import { configOf } from './session.ts';

/** A server that says nothing for so long is given up, ms: those who wait behind the request have deadlines of their own. */
const SILENT_MS = 4_000;

/** In a transaction of its own. `timeline`: of the server; undefined where it does not tell. */
type Work<T> = (client: pg.Client, timeline: string | undefined) => Promise<T>;

/** `units`: rows that there are in any case, with their sites; made where they are missing. */
export class PostgresClusterStore implements SharedClusterStore {
  readonly #config: pg.ClientConfig;
  readonly #where: string;
  readonly #units: readonly DeclaredUnit[];
  #client: Promise<pg.Client> | undefined;
  readonly #listeners = new Set<() => void>();
  /** Those whose server tells its timeline. */
  readonly #telling = new WeakSet<pg.Client>();
  #isMade = false;
  /** There is one connection: what two asked at once would be one transaction. */
  #turn: Promise<unknown> = Promise.resolve();

  /** Throws StoreError `refused` where the file with certificates cannot be read. */
  constructor(address: DatabaseAddress, units: readonly DeclaredUnit[]) {
    this.#config = { ...configOf(address), application_name: 'slm-gateway cluster', query_timeout: SILENT_MS };
    this.#where = databaseWords(address);
    this.#units = units;
  }

  ask(request: ClusterRequest, signal: AbortSignal): Promise<ClusterAnswer> {
    return this.#inTurn(async (client, timeline) => {
      const known = await lookedBack(client, request.member, timeline);
      if (request.kind === 'join') return { ...(await join(client, request)), timeline };
      if (isBehind(known, request)) return begunAnew(client);
      const answer = await beat(client, request, this.#units, timeline);
      return answer === 'refused' ? answer : { ...answer, timeline };
    }, signal);
  }

  remove({ id, epoch, beat: last }: SeenMember, signal: AbortSignal): Promise<boolean> {
    return this.#inTurn(async (client) => {
      const { rowCount } = await client.query(
        `update cluster_member set open = false, removed = true where id = $1 and epoch = $2 and beat = $3
           and not exists (select from cluster_owner where member = $1)`,
        [id, epoch, last],
      );
      return rowCount !== 0;
    }, signal);
  }

  members(signal: AbortSignal): Promise<readonly MemberRow[]> {
    return this.#inTurn(async (client) => (await view(client)).members, signal);
  }

  secret(signal: AbortSignal): Promise<Uint8Array> {
    return this.#inTurn(async (client) => {
      await client.query('insert into cluster_secret (secret) values ($1) on conflict do nothing', [randomBytes(32)]);
      const { rows } = await client.query<{ secret: Buffer }>('select secret from cluster_secret');
      return rows[0]?.secret ?? Buffer.alloc(0);
    }, signal);
  }

  versions(signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    return this.#inTurn(async (client) => {
      const { rows } = await client.query<{ name: string; version: number }>('select name, version from cluster_file');
      return new Map(rows.map(({ name, version }) => [name, version]));
    }, signal);
  }

  read(name: string, signal: AbortSignal): Promise<SharedFile | undefined> {
    return this.#inTurn(async (client) => {
      const { rows } = await client.query<SharedFile>('select name, version, text from cluster_file where name = $1', [
        name,
      ]);
      return rows[0];
    }, signal);
  }

  write({ name, version, text }: SharedFile, signal: AbortSignal): Promise<boolean> {
    return this.#inTurn(async (client) => {
      const { rowCount } = await client.query(
        `insert into cluster_file values ($1, $2, $3) on conflict (name) do update
           set version = excluded.version, text = excluded.text where cluster_file.version < excluded.version`,
        [name, version, text],
      );
      return rowCount !== 0;
    }, signal);
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** One transaction after another, of all members. */
  #inTurn<T>(work: Work<T>, signal: AbortSignal): Promise<T> {
    const done = this.#turn.then(() => this.#connected(work, signal));
    this.#turn = done.catch(() => {});
    return unlessAborted(done, signal);
  }

  async #connected<T>(work: Work<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    this.#client ??= this.#connect();
    const client = this.#client;
    try {
      return await unlessAborted(this.#transaction(client, work), signal);
    } catch (error) {
      // A table may be missing that the database had before it was restored.
      if (error instanceof pg.DatabaseError && error.code === '42P01') this.#isMade = false;
      // What its server still does is undone with the connection, or was done: nobody knows.
      this.#drop(client);
      throw error;
    }
  }

  /** Ends the connection. */
  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client?.then((open) => open.end()).catch(() => {});
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client(this.#config);
    // An error between two requests ends the connection: the next request opens another.
    client.on('error', () => this.#drop(Promise.resolve(client)));
    client.on('notification', () => {
      for (const tell of this.#listeners) tell();
    });
    try {
      await client.connect();
      await client.query('listen slm_cluster_changed');
      if (await tellsTimeline(client)) this.#telling.add(client);
      return client;
    } catch (error) {
      // A standby lets one connect, and refuses then.
      client.end().catch(() => {});
      throw error;
    }
  }

  #drop(gone: Promise<pg.Client>): void {
    this.#client = undefined;
    gone.then((client) => client.end()).catch(() => {});
  }

  async #transaction<T>(opening: Promise<pg.Client>, work: Work<T>): Promise<T> {
    const client = await opening;
    await client.query(BEGIN);
    const timeline = await inTurn(client, this.#telling.has(client));
    if (!this.#isMade) await this.#make(client);
    const answer = await work(client, timeline);
    await client.query('commit');
    this.#isMade = true;
    return answer;
  }

  async #make(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ name: string }>(TABLE_NAMES);
    lookAtTables(
      rows.map(({ name }) => name),
      this.#where,
    );
    for (const table of CLUSTER_TABLES) await client.query(table);
    for (const { unit, site } of this.#units)
      await client.query('insert into cluster_owner (unit, site) values ($1, $2) on conflict do nothing', [unit, site]);
  }
}

async function join(
  client: pg.Client,
  { member, sites, name, address, version, place }: JoinRequest,
): Promise<ClusterView> {
  await client.query(
    `insert into cluster_member values ($1, 1, 0, true, false, $2, $3, $4, $5, $6)
     on conflict (id) do update set epoch = cluster_member.epoch + 1, beat = 0, open = true, leaving = false,
       sites = excluded.sites, name = excluded.name, address = excluded.address, version = excluded.version,
       place = excluded.place, voters = case when cluster_member.open then cluster_member.voters end, removed = false`,
    [member, JSON.stringify(sites), name, address, version, place],
  );
  await givenToFormerOwner(client, member);
  return view(client);
}

async function beat(
  client: pg.Client,
  request: BeatRequest,
  always: readonly DeclaredUnit[],
  timeline: string | undefined,
): Promise<ClusterAnswer> {
  const { member, epoch, release, close, claim, units, state } = request;
  const isOld = isOtherTimeline(request.timeline, timeline);
  // What it gives away may have another owner by a change that is lost, and who was silent for it may have beaten.
  const next = isOld ? OF_FORMER_OWNER : 'null';
  const { rowCount } = await client.query(
    `update cluster_member set beat = $3, leaving = $4, voters = $5
      where id = $1 and epoch = $2 and open and beat < $3 and (not $6 or ${OF_FORMER_OWNER} is not null)`,
    [member, epoch, request.beat, state !== 'staying', JSON.stringify(request.voters), isOld],
  );
  if (rowCount === 0) return 'refused';
  let freed = 0;
  if (release.length > 0) {
    const update = `update cluster_owner set member = ${next} where unit = any($1) and member = $2`;
    freed += (await client.query(update, [release, member])).rowCount ?? 0;
  }
  for (const seen of isOld ? [] : close)
    freed += await closeFence(client, 'id = $1 and epoch = $2 and beat = $3', [seen.id, seen.epoch, seen.beat]);
  if (state === 'gone') freed += await closeFence(client, 'id = $1', [member], next);
  if (isOld && freed > 0) await waitAnew(client);
  if (units) await declare(client, member, units, always);
  if (units || freed > 0) await client.query('delete from cluster_owner where removed and member is null');
  let claimed = 0;
  if (claim.length > 0 && state !== 'gone') {
    const update = 'update cluster_owner set member = $2 where unit = any($1) and member is null';
    claimed = (await client.query(update, [claim, member])).rowCount ?? 0;
  }
  if (state === 'gone' || freed + claimed > 0) await client.query('notify slm_cluster_changed');
  return view(client);
}

/** Makes rows of units that have none, and marks those that are no units any more. */
async function declare(
  client: pg.Client,
  member: string,
  units: readonly DeclaredUnit[],
  always: readonly DeclaredUnit[],
): Promise<void> {
  const role = 'select from cluster_owner where unit = $1 and member = $2';
  if ((await client.query(role, [GATEWAY_ROLE, member])).rowCount === 0) return;
  const named = [units.map(({ unit }) => unit), units.map(({ site }) => site)];
  const kept = always.map(({ unit }) => unit);
  await client.query(
    `insert into cluster_owner (unit, site) select unit, site from unnest($1::text[], $2::text[]) as named (unit, site)
     on conflict do nothing`,
    named,
  );
  await client.query(
    `update cluster_owner set site = named.site, removed = false from unnest($1::text[], $2::text[]) as named (unit, site)
     where cluster_owner.unit = named.unit and (removed or cluster_owner.site <> named.site) and cluster_owner.unit <> all($3)`,
    [...named, kept],
  );
  await client.query(
    `update cluster_owner set removed = true
     where not removed and unit not in (select unnest($1::text[])) and unit <> all($2)`,
    [named[0], kept],
  );
}

async function view(client: pg.Client): Promise<ClusterView> {
  const members = await client.query<Omit<MemberRow, 'voters'> & { voters: string[] | null; time: number }>(
    `select id, epoch, beat, open, leaving, sites, name, address, version, place, voters,
            (extract(epoch from clock_timestamp()) * 1000)::float8 as time
       from cluster_member where open or not removed order by id`,
  );
  const owners = await client.query<DeclaredUnit & { pinned: string | null; member: string | null; removed: boolean }>(
    'select * from cluster_owner order by unit',
  );
  return {
    time: members.rows[0]?.time,
    members: members.rows.map(({ voters, time: _, ...row }) => ({ ...row, voters: voters ?? undefined })),
    owners: owners.rows.map(({ pinned, member, ...row }) => ({
      ...row,
      pinned: pinned ?? undefined,
      member: member ?? undefined,
    })),
  };
}
