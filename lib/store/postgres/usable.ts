/** Whether a server can be used, and by the gateway of this data folder. */
import { StoreError } from '../problem.ts';
import { IDENTITY_FILE, type InstanceIdentity } from './identity.ts';

/** Name of the fact that tells this database from others. */
export const DATABASE_ID = 'database-id';
/** The first release whose SQL is used here. */
const OLDEST = 150_000;

/** What a server says of itself. */
export interface ServerFacts {
  readonly version: number;
  readonly encoding: string;
  readonly standby: boolean;
  readonly read_only: boolean;
}

/** One row of `ServerFacts`. */
export const SERVER_FACTS = `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
  pg_is_in_recovery() as standby, current_setting('transaction_read_only')::boolean as read_only`;

/** Throws StoreError `refused` or `read-only`. */
export function refuseUnusable(facts: ServerFacts | undefined, where: string): void {
  if (!facts) throw new StoreError('refused', `the database ${where} says nothing of itself`);
  if (facts.version < OLDEST)
    throw new StoreError(
      'refused',
      `the database ${where} is of PostgreSQL ${Math.floor(facts.version / 10_000)}: 15 or newer is needed`,
    );
  if (facts.encoding !== 'UTF8')
    throw new StoreError(
      'refused',
      `the database ${where} keeps texts as ${facts.encoding}: make one with createdb --encoding=UTF8 --template=template0`,
    );
  if (facts.standby || facts.read_only)
    throw new StoreError(
      'read-only',
      `the database ${where} can only be read: ${facts.standby ? 'it is a standby; name the primary server in database_url' : 'set default_transaction_read_only to off for its user'}`,
    );
}

/** Throws StoreError `other` where the data folder belongs to another database. `found`: the id of this one, if it has one. */
export function refuseOther(
  { database }: InstanceIdentity,
  found: string | undefined,
  where: string,
  dataDir: string,
): void {
  if (database === undefined || database === found) return;
  const holds = found === undefined ? 'is a new one' : 'holds the data of another gateway';
  throw new StoreError(
    'other',
    `the database ${where} ${holds}, and the data folder ${dataDir} belongs to a different one: name that one in database_url; if the change is meant, remove ${IDENTITY_FILE} from the data folder first`,
  );
}
