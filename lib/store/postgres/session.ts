/**
 * The one connection to the server: opened when it is needed, and dropped when it hangs. Transactions follow each other
 * (`../commits.ts`), so one connection is enough. Nothing depends on the server remembering a connection: a pooler may
 * be between.
 */
import { readFileSync } from 'node:fs';
import { type PostgresCursor, PostgresDialect, type PostgresPoolClient, type PostgresQueryResult } from 'kysely';
import pg from 'pg';
import { type DatabaseAddress, databaseWords, searchPath } from '../../domain/database-address.ts';
import { messageOf } from '../../errors.ts';
import { StoreError } from '../problem.ts';

/** Longest wait for a new connection, ms. */
const CONNECT_MS = 5_000;
/** Idle time after which the computer checks whether the other end is still there, ms. */
const KEEP_ALIVE_MS = 10_000;
/** Code of the server for a character that no text may have. The character would end the statement. */
const CODE_ZERO = '22021';
/** int8: ids and times in ms since 1970, which a number of JavaScript holds. */
const INT8 = 20;
/** json: text, as SQLite has it. */
const JSON_TYPE = 114;

/** As the query builder sees it. */
interface Connection extends PostgresPoolClient {
  end(): Promise<void>;
}

/** A connection that is made again when it was lost. */
export class ServerSession {
  readonly #address: DatabaseAddress;
  readonly #config: pg.ClientConfig;
  #present: Promise<Connection> | undefined;

  /** Throws StoreError `refused` where the file with certificates cannot be read. */
  constructor(address: DatabaseAddress) {
    this.#address = address;
    this.#config = configOf(address);
  }

  /** For the ORM: every statement and every transaction goes over this connection. */
  dialect(): PostgresDialect {
    const pool = { connect: () => this.#connection(), end: async () => this.drop(), options: {} };
    return new PostgresDialect({ pool });
  }

  /** Drops the connection with its work; the next caller opens another one. */
  drop(): void {
    const dropped = this.#present;
    this.#present = undefined;
    // While a statement runs, this destroys the socket: it does not wait for a silent server.
    dropped?.then((client) => client.end()).catch(() => {});
  }

  #connection(): Promise<Connection> {
    this.#present ??= this.#open();
    return this.#present;
  }

  #open(): Promise<Connection> {
    const client = new pg.Client(this.#config);
    const forget = () => {
      if (this.#present === opened) this.#present = undefined;
    };
    // Without a listener an error ends the process. The query that waits for an answer fails as well.
    client.on('error', forget);
    client.on('end', forget);
    const opened = client
      .connect()
      .then(() => makeSchema(client, this.#address))
      .then(() => connectionOf(client));
    opened.catch(forget);
    return opened;
  }
}

function connectionOf(client: pg.Client): Connection {
  function query<R>(sql: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  function query(sql: unknown, values: readonly unknown[] = []): unknown {
    if (typeof sql !== 'string') throw new Error('rows are not read by a cursor here');
    if ([sql, ...values].some((text) => typeof text === 'string' && text.includes('\0')))
      return Promise.reject(Object.assign(new Error('a text with the code 0'), { code: CODE_ZERO }));
    return client.query(sql, [...values]);
  }
  return { query, release: () => {}, end: () => client.end() };
}

/** How to connect. Throws StoreError `refused` where the file with certificates cannot be read. */
export function configOf(address: DatabaseAddress): pg.ClientConfig {
  const types = new pg.TypeOverrides();
  types.setTypeParser(INT8, Number);
  types.setTypeParser(JSON_TYPE, String);
  return {
    host: address.host,
    port: address.port,
    user: address.user,
    password: address.password,
    database: address.database,
    ssl: tlsOf(address),
    application_name: 'slm-gateway',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    types,
    ...searchPath(address),
  };
}

/**
 * Creates the schema of the address if it is missing. That needs a right which is not required if the schema exists.
 */
export async function makeSchema(client: pg.Client, { schema }: DatabaseAddress): Promise<void> {
  if (schema === undefined) return;
  const { rows } = await client.query<{ found: string | null }>('select to_regnamespace($1) as found', [schema]);
  if (!rows[0]?.found) await client.query(`create schema if not exists ${schema}`);
}

function tlsOf(address: DatabaseAddress): pg.ClientConfig['ssl'] {
  const { tls, rootCertificate } = address;
  if (tls === 'disable') return false;
  try {
    const ca = rootCertificate === undefined ? undefined : readFileSync(rootCertificate, 'utf8');
    return { rejectUnauthorized: tls === 'verify-full', ...(ca !== undefined && { ca }) };
  } catch (error) {
    throw new StoreError(
      'refused',
      `the certificates for the database ${databaseWords(address)} cannot be read: ${messageOf(error)}`,
      error,
    );
  }
}
