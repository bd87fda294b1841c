/** Connections to PostgreSQL: every wait has a time limit, and a failed connection is not used again. */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { databaseAddress, searchPath } from '../../domain/database-address.ts';
import { messageOf } from '../../errors.ts';

const CONNECTIONS = 4;
const CONNECT_MS = 5_000;
/** A month of minutes takes a second or two on a slow line. */
const ANSWER_MS = 30_000;
/** How long a stalled transaction keeps its locks, ms: less than the time until a takeover, which needs them. */
const IDLE_MS = 30_000;
/** Set for the transaction, because then it also works through a pooler. */
const BEGIN = `begin; set local idle_in_transaction_session_timeout = ${IDLE_MS}`;
/** The server is stopping, has no free connections, or has ended a connection that was idle for too long. */
const SERVER_AWAY: ReadonlySet<string> = new Set(['57P01', '57P02', '57P03', '53300', '25P03']);
/** Otherwise these numbers arrive as text. All are below 2^53. */
const INT8 = 20;
const NUMERIC = 1700;

/** The database cannot be reached, or does not answer. */
export class DatabaseAway extends Error {
  override readonly name = 'DatabaseAway';
  readonly code = 'DATABASE_AWAY';
}

export interface Statements {
  /** `$1`, `$2` ... are placeholders for the values. Throws DatabaseAway, or the error of the server. */
  rows<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** An open transaction. `undo` does nothing after `commit`, and does not throw. */
export interface OpenTransaction extends Statements {
  commit(): Promise<void>;
  undo(): Promise<void>;
}

export class PostgresDatabase implements Statements {
  readonly #pool: pg.Pool;

  /** `url`: as in `databaseAddress`. Throws if the address is invalid, or if its certificates cannot be read. */
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
    // An idle connection may fail: the next statement gets another connection.
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

  /** Does all of `run`, or nothing. */
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

  /** Ends with `commit` or `undo`; until then it has a connection of its own. */
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
    // Between two statements nobody else listens for the end of the connection.
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

/** An error without a SQLSTATE is a network error, not an error of the statement. */
function explained(error: unknown): unknown {
  if (error instanceof pg.DatabaseError && !SERVER_AWAY.has(error.code ?? '')) return error;
  return new DatabaseAway(`the database does not answer: ${reasonOf(error)}`, { cause: error });
}

/** A host with several addresses has an error for each address, and no common one. */
const reasonOf = (error: unknown): string =>
  error instanceof AggregateError && error.errors.length > 0 ? messageOf(error.errors[0]) : messageOf(error);
