/** Members and owners in PostgreSQL. One connection of its own, so that a beat never waits behind other work. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { unlessAborted } from '../../clock.ts';
import type {
  ClusterAnswer,
  ClusterRequest,
  ClusterView,
  DeclaredUnit,
  MemberRow,
  SeenMember,
  SharedClusterStore,
  SharedFile,
} from '../../cluster/contract.ts';
import { type DatabaseAddress, databaseWords } from '../../domain/database-address.ts';
import { BEGIN, begunAnew, inTurn, isBehind, lookedBack, tellsTimeline } from './cluster-fences.ts';
import { beat, join } from './cluster-requests.ts';
import { makeClusterTables } from './cluster-tables.ts';
import { answerFrom, clusterView } from './cluster-view.ts';
import { lookAtTables, TABLE_NAMES } from './migrations.ts';
import { configOf } from './session.ts';

/** A server that says nothing for so long is given up, ms: those who wait behind the request have deadlines of their own. */
const SILENT_MS = 4_000;

/** A table or a column that is not there: it may have been before the database was restored. */
const MISSING: ReadonlySet<string> = new Set(['42P01', '42703']);

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
  /** The last long answer was not read to its end. Until one is, nothing is asked that others take for a sign of life: who gives these and hears nothing would keep what it has for ever. */
  #isUnread = false;
  /** There is one connection: what two asked at once would be one transaction. */
  #turn: Promise<unknown> = Promise.resolve();

  /** Throws StoreError `refused` where the file with certificates cannot be read. */
  constructor(address: DatabaseAddress, units: readonly DeclaredUnit[]) {
    this.#config = { ...configOf(address), application_name: 'slm-gateway cluster', query_timeout: SILENT_MS };
    this.#where = databaseWords(address);
    this.#units = units;
  }

  ask(request: ClusterRequest, signal: AbortSignal): Promise<ClusterAnswer> {
    return this.#inTurn(
      async (client, timeline) => {
        const known = await lookedBack(client, request.member, timeline);
        if (request.kind === 'join') return { epoch: await join(client, request), timeline };
        if (isBehind(known, request)) return begunAnew(client);
        const isDone = await beat(client, request, this.#units, timeline);
        return isDone ? { epoch: request.epoch, timeline } : 'refused';
      },
      signal,
      async (client, done) => {
        if (done === 'refused') return done;
        return answerFrom(await this.#view(client), request, done);
      },
    );
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
    return this.#inTurn(
      async () => {},
      signal,
      async (client) => (await clusterView(client, false)).members,
    );
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
    return this.#inTurn(
      async () => {},
      signal,
      async (client) => {
        const file = 'select name, version, text from cluster_file where name = $1';
        return (await client.query<SharedFile>(file, [name])).rows[0];
      },
    );
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

  /**
   * One transaction after another, of all members. What may be long is read by `after`, out of turn: a server waits for who does not read its answer, whatever limits there
   * are, and one that stands still keeps nobody from a turn then.
   */
  #inTurn<T>(work: Work<T>, signal: AbortSignal): Promise<T>;
  #inTurn<T, R>(work: Work<T>, signal: AbortSignal, after: (client: pg.Client, done: T) => Promise<R>): Promise<R>;
  #inTurn<T, R>(
    work: Work<T>,
    signal: AbortSignal,
    after?: (client: pg.Client, done: T) => Promise<R>,
  ): Promise<T | R> {
    const whole = async (opening: Promise<pg.Client>) => {
      if (after && this.#isUnread) await this.#view(await opening);
      const done = await this.#transaction(opening, work);
      return after ? after(await opening, done) : done;
    };
    const done = this.#turn.then(() => this.#connected(whole, signal));
    this.#turn = done.catch(() => {});
    return unlessAborted(done, signal);
  }

  async #connected<T>(work: (opening: Promise<pg.Client>) => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    this.#client ??= this.#connect();
    const client = this.#client;
    try {
      return await unlessAborted(work(client), signal);
    } catch (error) {
      if (error instanceof pg.DatabaseError && MISSING.has(error.code ?? '')) {
        this.#isMade = false;
        // The next transaction makes it.
        this.#isUnread = false;
      }
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

  async #view(client: pg.Client): Promise<ClusterView> {
    this.#isUnread = true;
    const seen = await clusterView(client, this.#telling.has(client));
    this.#isUnread = false;
    return seen;
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
    await makeClusterTables(client);
    for (const { unit, site } of this.#units)
      await client.query('insert into cluster_owner (unit, site) values ($1, $2) on conflict do nothing', [unit, site]);
  }
}
