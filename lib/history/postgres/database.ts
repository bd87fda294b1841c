/** Connections to PostgreSQL: every wait has an end, and a connection that failed is not used again. */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { databaseAddress, searchPath } from '../../domain/database-address.ts';
import { messageOf } from '../../errors.ts';

const CONNECTIONS = 4;
const CONNECT_MS = 5_000;
/** A month of minutes takes a second or two over a slow line. */
const ANSWER_MS = 30_000;
/** A computer that stands still in a transaction keeps its locks no longer, ms: less than until another one takes over, which needs them. */
const IDLE_MS = 30_000;
/** The limit is of the transaction, so that it holds through a pooler, too. */
const BEGIN = `begin; set local idle_in_transaction_session_timeout = ${IDLE_MS}`;
/** SQLSTATEs of what a server says about itself: it is stopping, has no room for connections, or has ended this one, which was idle for too long. */
const SERVER_AWAY: ReadonlySet<string> = new Set(['57P01', '57P02', '57P03', '53300', '25P03']);
/** What comes as a text otherwise: no number here is beyond 2^53. */
const INT8 = 20;
const NUMERIC = 1700;

/** The database cannot be reached, or does not answer. */
export class DatabaseAway extends Error {
  override readonly name = 'DatabaseAway';
  readonly code = 'DATABASE_AWAY';
}

/** What can be asked, alone or in a transaction. */
export interface Statements {
  /** `$1`, `$2` ... stand for the values. Throws DatabaseAway, or the error of the server. */
  rows<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** A transaction that was begun. `undo` does nothing after `commit`, and does not throw. */
export interface OpenTransaction extends Statements {
  commit(): Promise<void>;
  undo(): Promise<void>;
}

/** A few connections, made when they are needed. */
export class PostgresDatabase implements Statements {
  readonly #pool: pg.Pool;

  /** `url`: as `databaseAddress` says. Throws where it is not one, or its certificates cannot be read. */
  constructor(url: string) {
    const address = databaseAddress(url);
    const { host, port, user, password, database, tls, rootCertificate } = address;
    const ca = rootCertificate === undefined ? undefined : readFileSync(rootCertificate, 'utf8');
    const types = new pg.TypeOverrides();
    for (const type of [INT8, NUMERIC]) types.setTypeParser(type, Number);
    this.#pool = new pg.Pool({
      host,
      port,
      user,
      password,
      database,
      ssl: tls !== 'disable' && { rejectUnauthorized: tls === 'verify-full', ...(ca !== undefined && { ca }) },
      application_name: 'slm history',
      max: CONNECTIONS,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: ANSWER_MS,
      keepAlive: true,
      types,
      ...searchPath(address),
    });
    // A connection that fails while nobody uses it: the next question gets another one.
    this.#pool.on('error', () => {});
  }

  async rows<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const own = await this.#connected();
    try {
      return await own.rows<Row>(text, values);
    } finally {
      own.release();
    }
  }

  /** All of what `run` does, or nothing. */
  async transaction<T>(run: (statements: Statements) => Promise<T>): Promise<T> {
    const transaction = await this.begin();
    try {
      const result = await run(transaction);
      await transaction.commit();
      return result;
    } catch (error) {
      await transaction.undo();
      throw error;
    }
  }

  /** Ends with `commit` or `undo`; until then it has a connection for itself. */
  async begin(): Promise<OpenTransaction> {
    const own = await this.#connected();
    let isOpen = true;
    const end = async (word: string) => {
      if (!isOpen) return;
      isOpen = false;
      try {
        if (!own.isBroken()) await own.rows(word);
      } finally {
        own.release();
      }
    };
    try {
      await own.rows(BEGIN);
    } catch (error) {
      own.release();
      throw error;
    }
    return { rows: own.rows, commit: () => end('commit'), undo: () => end('rollback').catch(() => {}) };
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #connected() {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw new DatabaseAway(`the database cannot be reached: ${reasonOf(error)}`, { cause: error });
    });
    // Between two statements nobody else hears that the connection ended.
    const ignore = () => {};
    client.on('error', ignore);
    let broken = false;
    return {
      isBroken: () => broken,
      rows: async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> => {
        try {
          return (await client.query<Row>(text, [...values])).rows;
        } catch (error) {
          const said = explained(error);
          broken ||= said instanceof DatabaseAway;
          throw said;
        }
      },
      release: () => {
        client.off('error', ignore);
        client.release(broken);
      },
    };
  }
}

/** An error without a SQLSTATE is one of the line, not of the statement. */
function explained(error: unknown): unknown {
  if (error instanceof pg.DatabaseError && !SERVER_AWAY.has(error.code ?? '')) return error;
  return new DatabaseAway(`the database does not answer: ${reasonOf(error)}`, { cause: error });
}

/** Of a host with several addresses there is an error for each of them, and none for all. */
const reasonOf = (error: unknown): string =>
  error instanceof AggregateError && error.errors.length > 0 ? messageOf(error.errors[0]) : messageOf(error);
