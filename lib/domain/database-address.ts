/** Where a PostgreSQL is, as `database_url` says it. Nothing here prints the password. */

/** How the connection is encrypted: not at all, without a look at the certificate, or with one. */
export type DatabaseTls = 'disable' | 'require' | 'verify-full';

/** One database on one server. */
export interface DatabaseAddress {
  /** Name, address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly tls: DatabaseTls;
  /** File with the certificates that are trusted; undefined: those that Node trusts. */
  readonly rootCertificate: string | undefined;
}

const USUAL_PORT = 5_432;
const TLS: readonly string[] = ['disable', 'require', 'verify-full'] satisfies readonly DatabaseTls[];
const KNOWN: readonly string[] = ['sslmode', 'sslrootcert'];
const HERE = /^(localhost|127\..*|::1|\/.*)$/;

/**
 * `postgresql://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full&sslrootcert=FILE`. Without `sslmode` it is `verify-full`, and on this
 * computer `disable`. Throws an error with what is wrong, which has nothing of the text itself.
 */
export function databaseAddress(text: string): DatabaseAddress {
  const url = URL.parse(text);
  if (!url || !['postgres:', 'postgresql:'].includes(url.protocol))
    throw new Error('must look like postgresql://USER:PASSWORD@HOST:5432/DATABASE');
  const stranger = [...url.searchParams.keys()].find((name) => !KNOWN.includes(name));
  if (stranger !== undefined) throw new Error('may have sslmode and sslrootcert after its ?, and nothing else');
  const [user, password, host, database] = [url.username, url.password, url.hostname, url.pathname.slice(1)].map(plain);
  if (!host) throw new Error('lacks the host');
  if (host.includes(',')) throw new Error('has more than one host');
  if (!user) throw new Error('lacks the user');
  if (!database) throw new Error('lacks the name of the database after the host');
  const tls = url.searchParams.get('sslmode') ?? (HERE.test(bare(host)) ? 'disable' : 'verify-full');
  if (!isTls(tls)) throw new Error(`has an sslmode that is none of ${TLS.join(', ')}`);
  return {
    host: bare(host),
    port: Number(url.port || USUAL_PORT),
    user,
    password: password ?? '',
    database,
    tls,
    rootCertificate: url.searchParams.get('sslrootcert') ?? undefined,
  };
}

/** For a person: `slm on db.example.org:5432`. */
export const databaseWords = ({ host, port, database }: DatabaseAddress): string =>
  host.startsWith('/') ? `${database} in ${host}` : `${database} on ${host}:${port}`;

const isTls = (text: string): text is DatabaseTls => TLS.includes(text);
/** An IPv6 address stands in brackets. */
const bare = (host: string) => host.replace(/^\[(.*)\]$/, '$1');

function plain(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('has a % that is not followed by two hexadecimal digits: write a % of a password as %25');
  }
}
