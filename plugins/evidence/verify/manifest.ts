/**
 * What a package of evidence says about itself: the manifest with the hash of each file, the checks of a table that name a row and a field, and
 * the statement that is signed. Pure functions without Node, since the page that checks a package has them, too. docs/evidence.md has the format.
 */
import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';
import { canonicalJson } from '../../../lib/domain/canonical-json.ts';

/** The format of a package; another one is refused. */
export const FORMAT = 'slm-evidence/1';
/** Names of the entries that the manifest does not list. */
export const MANIFEST = 'manifest.json';
/** The signed envelope (DSSE). */
export const ENVELOPE = 'signature/envelope.json';
/** The public key, PEM. */
export const PUBLIC_KEY = 'signature/public-key.pem';
/** The answer of a time stamp server (RFC 3161), where there is one. */
export const TIMESTAMP = 'signature/timestamp.tsr';
/** Follows the name of a table: the file with its checks. */
export const CHECKS_SUFFIX = '.checks.json';
/** What an envelope holds. */
export const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
/** The type of a statement of in-toto. */
export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
/** What the statement says of the manifest. */
export const PREDICATE_TYPE = 'urn:slm-gateway:evidence:1';
/** `stamp` of a statement whose signature was stamped: who takes the stamp away is found out. Other words say why there is none. */
export const ATTACHED = 'attached';

/** Where a package comes from, and what was asked for. */
export interface PackageFields {
  readonly unit_id: string;
  readonly gateway: { readonly version: string };
  /** `sha256:` and the hex SHA-256 of the public key (DER, SPKI). */
  readonly key: { readonly fingerprint: string };
  readonly query: {
    /** RFC 3339 in UTC. */
    readonly from: string;
    /** RFC 3339 in UTC, the end; all entries of the ZIP have this time. */
    readonly to: string;
    /** IANA name. */
    readonly timezone: string;
    readonly include: readonly string[];
  };
}

/** A file of the package. */
export interface ManifestFile {
  readonly path: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** The whole manifest. */
export interface Manifest extends PackageFields {
  readonly format: typeof FORMAT;
  /** Sorted by path, without the manifest itself and what is in `signature/`. */
  readonly files: readonly ManifestFile[];
}

/** The checks of a table, as they stand in the file beside it. */
export interface Checks {
  /** Base64 of the first four bytes of SHA-256 of each line after the header. */
  readonly rows: string;
  /** Hex SHA-256 of all values of a column, joined by line feeds. */
  readonly columns: Readonly<Record<string, string>>;
}

/** When, and for what: the part of the statement that is this project's own. */
export interface Predicate {
  /** RFC 3339 in UTC. */
  readonly signed_at: string;
  readonly unit_id: string;
  readonly from: string;
  readonly to: string;
  /** `ATTACHED`, or why there is no time stamp. Packages of earlier versions do not say it. */
  readonly stamp?: string;
}

/** The text of `manifest.json`: canonical, so that equal packages have equal manifests. */
export function manifestText({ unit_id, gateway, key, query }: PackageFields, files: readonly ManifestFile[]): string {
  return canonicalJson({ format: FORMAT, unit_id, gateway, key, query, files } satisfies Manifest);
}

/** The text that is signed: it names the manifest by its hash. */
export function statementText(manifest: Uint8Array, { signed_at, unit_id, from, to, stamp }: Predicate): string {
  return canonicalJson({
    _type: STATEMENT_TYPE,
    subject: [{ name: MANIFEST, digest: { sha256: bytesToHex(sha256(manifest)) } }],
    predicateType: PREDICATE_TYPE,
    predicate: { signed_at, unit_id, from, to, ...(stamp !== undefined && { stamp }) },
  });
}

/** The text of `signature/envelope.json`; `keyid` is the fingerprint of the key that signed the payload. */
export function envelopeText(payload: Uint8Array, keyid: string, signature: Uint8Array): string {
  return canonicalJson({
    payloadType: PAYLOAD_TYPE,
    payload: base64Of(payload),
    signatures: [{ keyid, sig: base64Of(signature) }],
  });
}

/** The bytes that a signature of DSSE covers: type and content, each with its length in bytes. */
export function preAuthenticationEncoding(type: string, payload: Uint8Array): Uint8Array {
  const head = utf8ToBytes(`DSSEv1 ${utf8ToBytes(type).length} ${type} ${payload.length} `);
  const whole = new Uint8Array(head.length + payload.length);
  whole.set(head);
  whole.set(payload, head.length);
  return whole;
}

/** Whether a name is a file in the folder of the package, or below it, wherever it is unpacked. */
export function isPlainPath(path: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u001f\u007f\\\ufffd]/.test(path) || /^[A-Za-z]:/.test(path)) return false;
  return path.split('/').every((step) => step !== '' && step !== '.' && step !== '..');
}

/** The values of a line of CSV as they are written: a value in quotes keeps them, and a comma in quotes divides nothing. */
export function writtenValues(line: string): readonly string[] {
  if (!line.includes('"')) return line.split(',');
  const values: string[] = [];
  let begin = 0;
  let isQuoted = false;
  for (let at = 0; at <= line.length; at += 1) {
    if (line[at] === '"') isQuoted = !isQuoted;
    if (at < line.length && (line[at] !== ',' || isQuoted)) continue;
    values.push(line.slice(begin, at));
    begin = at + 1;
  }
  return values;
}

/** A line of a table has at most this many letters; no row of levels comes near. */
const LONGEST_LINE = 1_048_576;

/** SHA-256 of texts as UTF-8, in hex: programs on Node have a quicker one (`native-hashes.ts`). */
export interface TextHashes {
  whole(text: string): string;
  begin(): { update(text: string): unknown; end(): string };
}

const PURE_HASHES: TextHashes = {
  whole: (text) => bytesToHex(sha256(utf8ToBytes(text))),
  begin() {
    const hash = sha256.create();
    return { update: (text) => hash.update(utf8ToBytes(text)), end: () => bytesToHex(hash.digest()) };
  },
};

/** Makes the checks of a table from its text, which may come in pieces. Each line ends with a line feed. Throws a RangeError at a line of more than a million letters. */
export class TableChecks {
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** The beginnings of the hashes, in one piece that grows: a day of seconds is half a megabyte. */
  private rows = new Uint8Array(4_096);
  private used = 0;
  private rest = '';
  private header: string | undefined;
  private columns: readonly ReturnType<TextHashes['begin']>[] = [];
  /** Called with each line after the header. */
  private readonly onRow: ((line: string) => void) | undefined;
  private readonly hashes: TextHashes;

  constructor(onRow?: (line: string) => void, hashes: TextHashes = PURE_HASHES) {
    this.onRow = onRow;
    this.hashes = hashes;
  }

  add(bytes: Uint8Array): void {
    this.take(this.decoder.decode(bytes, { stream: true }));
  }

  /** The first four bytes of the hash of each row, one after another. Ends the text. */
  end(): { readonly rows: Uint8Array; readonly columns: Readonly<Record<string, string>> } {
    this.take(this.decoder.decode());
    // A last line without its line feed is a line, too: nothing of a table is without its check.
    if (this.rest !== '') this.take('\n');
    const rows = this.rows.slice(0, this.used);
    const names = writtenValues(this.header ?? '');
    return { rows, columns: Object.fromEntries(this.columns.map((hash, n) => [names[n], hash.end()])) };
  }

  private take(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    if (this.rest.length > LONGEST_LINE) throw new RangeError('it has a line that is too long for a table');
    if (this.header === undefined && lines.length > 0) {
      this.header = lines.shift() ?? '';
      this.columns = writtenValues(this.header).map(() => this.hashes.begin());
    }
    const isFirst = this.used === 0;
    const values = lines.map((line) => {
      this.onRow?.(line);
      this.keep(this.hashes.whole(line));
      return writtenValues(line);
    });
    if (values.length === 0) return;
    // One piece of text for each column: a hash takes it faster than single values.
    for (const [n, hash] of this.columns.entries())
      hash.update((isFirst ? '' : '\n') + values.map((row) => row[n] ?? '').join('\n'));
  }

  private keep(hash: string): void {
    if (this.used + ROW_BYTES > this.rows.length) {
      const larger = new Uint8Array(this.rows.length * 2);
      larger.set(this.rows);
      this.rows = larger;
    }
    for (let n = 0; n < ROW_BYTES; n += 1) this.rows[this.used + n] = Number.parseInt(hash.slice(2 * n, 2 * n + 2), 16);
    this.used += ROW_BYTES;
  }
}

/** Bytes of a row's hash in its check: enough to find a row; the hash of the file is what proves. */
export const ROW_BYTES = 4;

/** The text of the file beside a table. */
export function checksText(checks: TableChecks): string {
  const { rows, columns } = checks.end();
  return canonicalJson({ rows: base64Of(rows), columns } satisfies Checks);
}

/** Base64 with padding. */
export function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x80_00) text += String.fromCharCode(...bytes.subarray(at, at + 0x80_00));
  return btoa(text);
}

/** Undefined where it is not base64 with padding, in its one proper form. */
export function base64Bytes(text: string): Uint8Array | undefined {
  try {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return base64Of(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}
