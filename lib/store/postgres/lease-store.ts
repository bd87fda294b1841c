/** Lease and members in PostgreSQL, over one connection of their own, so that a beat never waits behind other work. */
import pg from 'pg';
import { unlessAborted } from '../../clock.ts';
import type { LeaseAnswer, LeaseRequest, LeaseRow, LeaseStore, LeaseView, MemberRow } from '../../cluster/contract.ts';
import { type DatabaseAddress, databaseWords } from '../../domain/database-address.ts';
import { LEASE_TABLES, lookAtTables, TABLE_NAMES } from './migrations.ts';
import { LOCK_TABLES } from './schema.ts';
import { configOf, makeSchema } from './session.ts';

/** For a silent server, ms. */
const SILENT_MS = 4_000;
/** The server ends an idle transaction, or a wait for a lock, ms. Limits of the transaction hold through a pooler, too. */
const LIMITS = 'begin; set local idle_in_transaction_session_timeout = 1000; set local lock_timeout = 5000';
/** Another one when a server becomes the primary: the first eight digits of the name of the file that it writes changes to. */
const TIMELINE = 'substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)';
/** The server is busy, or is going away. */
const PASSING = /^(08|40|53|57|58)/;
/** A table or a column is missing: the database was restored, perhaps. */
const MISSING: ReadonlySet<string> = new Set(['42P01', '42703']);
const CHANNEL = 'slm_lease_free';

/** `showsTimeline`: some services do not let one ask for it. */
interface Open {
  readonly client: pg.Client;
  readonly showsTimeline: boolean;
}

export class PostgresLeaseStore implements LeaseStore {
  readonly #config: pg.ClientConfig;
  readonly #address: DatabaseAddress;
  readonly #listeners = new Set<() => void>();
  #open: Promise<Open> | undefined;
  #isMade = false;
  /** One connection: two parallel requests would share one transaction. */
  #turn: Promise<unknown> = Promise.resolve();

  /** Throws StoreError `refused` where the file with certificates cannot be read. */
  constructor(address: DatabaseAddress) {
    this.#config = { ...configOf(address), application_name: 'slm-gateway lease', query_timeout: SILENT_MS };
    this.#address = address;
  }

  ask(request: LeaseRequest, signal: AbortSignal): Promise<LeaseAnswer> {
    return this.#transaction(async (open) => {
      const timeline = await timelineOf(open);
      const isDone = await done(open.client, request, timeline);
      await signOfLife(open.client, request);
      return { ...(await view(open.client, timeline)), isDone };
    }, signal);
  }

  look(signal: AbortSignal): Promise<LeaseView> {
    return this.#transaction(async (open) => view(open.client, await timelineOf(open)), signal);
  }

  remove({ id, beat }: Pick<MemberRow, 'id' | 'beat'>, signal: AbortSignal): Promise<boolean> {
    const remove = 'delete from cluster_instance where id = $1 and beat = $2';
    return this.#transaction(async ({ client }) => (await client.query(remove, [id, beat])).rowCount !== 0, signal);
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.then(({ client }) => client.end()).catch(() => {});
  }

  #transaction<T>(work: (open: Open) => Promise<T>, signal: AbortSignal): Promise<T> {
    const whole = async (opening: Promise<Open>): Promise<T> => {
      const open = await opening;
      await open.client.query(LIMITS);
      if (!this.#isMade) await this.#make(open.client);
      const result = await work(open);
      await open.client.query('commit');
      this.#isMade = true;
      return result;
    };
    const result = this.#turn.then(() => this.#connected(whole, signal));
    this.#turn = result.catch(() => {});
    return unlessAborted(result, signal);
  }

  async #connected<T>(work: (opening: Promise<Open>) => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    this.#open ??= this.#connect();
    const open = this.#open;
    try {
      return await unlessAborted(work(open), signal);
    } catch (error) {
      if (error instanceof pg.DatabaseError && MISSING.has(error.code ?? '')) this.#isMade = false;
      // The server undoes unfinished work together with the connection.
      this.#drop(open);
      throw error;
    }
  }

  async #connect(): Promise<Open> {
    const client = new pg.Client(this.#config);
    // An error between two requests ends the connection: the next request opens another.
    client.on('error', () => this.#drop(Promise.resolve({ client, showsTimeline: false })));
    client.on('notification', () => {
      for (const tell of this.#listeners) tell();
    });
    try {
      await client.connect();
      await makeSchema(client, this.#address);
      await client.query(`listen ${CHANNEL}`);
      return { client, showsTimeline: await showsTimeline(client) };
    } catch (error) {
      // A standby server lets one connect, and refuses then.
      client.end().catch(() => {});
      throw error;
    }
  }

  #drop(gone: Promise<Open>): void {
    this.#open = undefined;
    gone.then(({ client }) => client.end()).catch(() => {});
  }

  /** In a database without tables or with tables of a gateway. */
  async #make(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ name: string }>(TABLE_NAMES);
    lookAtTables(
      rows.map(({ name }) => name),
      databaseWords(this.#address),
    );
    await client.query(LOCK_TABLES);
    // An existing column is not added again: that would wait for all readers.
    const { rows: made } = await client.query<{ made: string | null }>(
      "select to_regclass('cluster_instance') as made",
    );
    if (!made[0]?.made) for (const statement of LEASE_TABLES) await client.query(statement);
  }
}

/** To be called outside of a transaction: a refusal would end it. */
async function showsTimeline(client: pg.Client): Promise<boolean> {
  try {
    await client.query(`select ${TIMELINE}`);
    return true;
  } catch (error) {
    if (error instanceof pg.DatabaseError && !PASSING.test(error.code ?? '')) return false;
    throw error;
  }
}

async function timelineOf({ client, showsTimeline }: Open): Promise<string | null> {
  if (!showsTimeline) return null;
  const { rows } = await client.query<{ timeline: string }>(`select ${TIMELINE} as timeline`);
  return rows[0]?.timeline ?? null;
}

/** Whether the `beat`, the `take` or the `leave` was done. */
async function done(
  client: pg.Client,
  { member, about, beat, take, leave }: LeaseRequest,
  timeline: string | null,
): Promise<boolean> {
  const change = async (sql: string, values: readonly unknown[]) =>
    (await client.query(sql, [...values])).rowCount !== 0;
  if (beat)
    return change(
      `update store_owner set beat = $3, alone = $4, timeline = $5
        where id = 1 and member = $1 and incarnation = $2 and beat >= $6 and beat < $3`,
      [member, beat.incarnation, beat.beat, beat.alone, timeline, beat.answered],
    );
  if (take?.seen) {
    // A beat waits for nobody. This statement waits for the transactions of the former holder (`medium.ts`).
    await client.query('select from store_owner where id = 1 for update');
    return change(
      `update store_owner set member = $1, name = $2, incarnation = incarnation + 1, beat = 0, alone = false, timeline = $3
        where id = 1 and member = $4 and incarnation = $5 and beat is not distinct from $6`,
      [member, about.name, timeline, take.seen.member, take.seen.incarnation, take.seen.beat],
    );
  }
  if (take)
    return change(
      `insert into store_owner (id, member, name, incarnation, beat, alone, timeline) values (1, $1, $2, 1, 0, false, $3)
        on conflict do nothing`,
      [member, about.name, timeline],
    );
  if (!leave || leave.incarnation === undefined) return false;
  const isFree = await change(
    'update store_owner set beat = null, alone = false where id = 1 and member = $1 and incarnation = $2',
    [member, leave.incarnation],
  );
  if (isFree) await client.query(`notify ${CHANNEL}`);
  return isFree;
}

async function signOfLife(client: pg.Client, { member, about, leave }: LeaseRequest): Promise<void> {
  await client.query(
    `insert into cluster_instance (id, name, address, version, place, beat, has_left) values ($1, $2, $3, $4, $5, 1, $6)
      on conflict (id) do update set name = $2, address = $3, version = $4, place = $5,
        beat = cluster_instance.beat + 1, has_left = $6`,
    [member, about.name, about.address, about.version, about.place, leave !== undefined],
  );
}

async function view(client: pg.Client, timeline: string | null): Promise<LeaseView> {
  const { rows: leases } = await client.query<LeaseRow & { time: number }>(
    `select member, name, incarnation, beat, alone, timeline from store_owner where id = 1`,
  );
  const { rows: members } = await client.query<MemberRow>(
    'select id, name, address, version, place, beat, has_left as "hasLeft" from cluster_instance order by id',
  );
  const { rows: times } = await client.query<{ time: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as time',
  );
  return { lease: leases[0], members, timeline, time: times[0]?.time ?? 0 };
}

/** Frees the lease of any holder, for a person who knows that it is gone. Resolves with its name; undefined: it was free. */
export async function releaseLease(address: DatabaseAddress): Promise<string | undefined> {
  const client = new pg.Client({ ...configOf(address), query_timeout: SILENT_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ name: string }>(
      'update store_owner set beat = null, alone = false where id = 1 and beat is not null returning name',
    );
    if (rows[0]) await client.query(`notify ${CHANNEL}`);
    return rows[0]?.name;
  } finally {
    await client.end().catch(() => {});
  }
}
