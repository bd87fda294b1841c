/** Reads the address of a PostgreSQL from `database_url`. Nothing here prints the password. */

type DatabaseTls = 'disable' | 'require' | 'verify-full';

export interface DatabaseAddress {
  /** Name, address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** A missing schema is created. Undefined: the first of the user's search path, usually `public`. */
  readonly schema: string | undefined;
  readonly tls: DatabaseTls;
  /** File with the trusted certificates; undefined: those that Node trusts. */
  readonly rootCertificate: string | undefined;
}

const USUAL_PORT = 5_432;
const SCHEMA = 'schema';
const USUAL_SCHEMA = 'public';
/** A schema that needs no quotes. */
export const SCHEMA_PATTERN = '^[a-z_][a-z0-9_]{0,62}$';
const TLS: readonly string[] = ['disable', 'require', 'verify-full'] satisfies readonly DatabaseTls[];
const KNOWN: readonly string[] = ['sslmode', 'sslrootcert', SCHEMA];
const HERE = /^(localhost|127\..*|::1|\/.*)$/;

/**
 * `postgresql://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full&sslrootcert=FILE`. `sslmode` is `verify-full` by
 * default, and `disable` for a host on this computer. No error has a part of the given text.
 */
export function databaseAddress(text: string): DatabaseAddress {
  const url = URL.parse(text);
  if (!url || !['postgres:', 'postgresql:'].includes(url.protocol))
    throw new Error('must look like postgresql://USER:PASSWORD@HOST:5432/DATABASE');
  const stranger = [...url.searchParams.keys()].find((name) => !KNOWN.includes(name));
  if (stranger !== undefined) throw new Error('may have sslmode, sslrootcert and schema after its ?, and nothing else');
  const [user, password, host, database] = [url.username, url.password, url.hostname, url.pathname.slice(1)].map(plain);
  if (!host) throw new Error('lacks the host');
  if (host.includes(',')) throw new Error('has more than one host');
  if (!user) throw new Error('lacks the user');
  if (!database) throw new Error('lacks the name of the database after the host');
  const tls = url.searchParams.get('sslmode') ?? (HERE.test(bare(host)) ? 'disable' : 'verify-full');
  const schema = url.searchParams.get(SCHEMA);
  if (schema !== null && !new RegExp(SCHEMA_PATTERN).test(schema))
    throw new Error('has a schema that is more than small letters, digits and _');
  if (!isTls(tls)) throw new Error(`has an sslmode that is none of ${TLS.join(', ')}`);
  return {
    host: bare(host),
    port: Number(url.port || USUAL_PORT),
    user,
    password: password ?? '',
    database,
    tls,
    rootCertificate: url.searchParams.get('sslrootcert') ?? undefined,
    schema: schema ?? undefined,
  };
}

/** The address of the tables in a schema, in the form of `databaseAddress`. Empty: no database. */
export function databaseUrlOf({ database_url, database_schema }: DatabasePlace): string {
  if (database_url === '' || database_schema === USUAL_SCHEMA) return database_url;
  return `${database_url}${database_url.includes('?') ? '&' : '?'}${SCHEMA}=${database_schema}`;
}

interface DatabasePlace {
  readonly database_url: string;
  readonly database_schema: string;
}

/** Option of a new connection, so that it finds the tables of the schema. */
export const searchPath = ({ schema }: Pick<DatabaseAddress, 'schema'>): { readonly options?: string } =>
  schema === undefined ? {} : { options: `-c search_path=${schema}` };

/** For a person: `slm on db.example.org:5432`. */
export const databaseWords = ({ host, port, database, schema }: DatabaseAddress): string => {
  const name = schema === undefined ? database : `${database}, schema ${schema},`;
  return host.startsWith('/') ? `${name} in ${host}` : `${name} on ${host}:${port}`;
};

const isTls = (text: string): text is DatabaseTls => TLS.includes(text);
/** An IPv6 address has brackets in a URL. */
const bare = (host: string) => host.replace(/^\[(.*)\]$/, '$1');

function plain(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('has a % that is not followed by two hexadecimal digits: write a % of a password as %25');
  }
}
