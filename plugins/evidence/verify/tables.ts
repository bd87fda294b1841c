/**
 * The checks of a table, made with a package and compared by a verifier: the row whose hash is another, and the column whose hash is another,
 * cross in the field that was changed.
 */
import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';
import { canonicalJson } from '../../../lib/domain/canonical-json.ts';
import { countOf } from '../../../lib/domain/figures.ts';
import { base64Bytes, base64Of, canonical, isObject, isRecord, isText } from './manifest.ts';
import type { PackageDifference } from './report.ts';
import { isEqual } from './zip.ts';

/** The checks of a table, as they stand in the file beside it. */
export interface Checks {
  /** Base64 of the first four bytes of SHA-256 of each line after the header. */
  readonly rows: string;
  /** Hex SHA-256 of all values of a column, joined by line feeds. */
  readonly columns: Readonly<Record<string, string>>;
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
const ROW_BYTES = 4;

export function checksText(checks: TableChecks): string {
  const { rows, columns } = checks.end();
  return canonicalJson({ rows: base64Of(rows), columns } satisfies Checks);
}

/** Undefined where these are not the checks of a table. */
export const checksIn = (bytes: Uint8Array): Checks | undefined =>
  canonical(
    bytes,
    isRecord({ rows: isText, columns: (value) => isObject(value) && Object.values(value).every(isText) }),
  );

/** Rows that are named of one table; of the others only the number. */
const MOST_NAMED = 20;

/** `checks` as the manifest vouches for them; `actual` made from the table in the package. */
export function tableDifferences(
  file: string,
  checks: Checks,
  actual: ReturnType<TableChecks['end']>,
): PackageDifference[] {
  const rows = base64Bytes(checks.rows) ?? new Uint8Array();
  const names = Object.keys(checks.columns);
  const others = Object.keys(actual.columns);
  const lost = names.filter((name) => !others.includes(name));
  const found = others.filter((name) => !names.includes(name));
  if (lost.length > 0 || found.length > 0)
    return [
      { file, line: 1, fields: [...lost, ...found], what: 'the names of the columns are not those that were signed' },
    ];
  const lines = linesThatDiffer(rows, actual.rows);
  const fields = others.filter((name) => checks.columns[name] !== actual.columns[name]);
  const [before, now] = [rows.length / ROW_BYTES, actual.rows.length / ROW_BYTES];
  if (before !== now)
    return [
      {
        file,
        line: lines[0] ?? 1,
        what: `it has ${countOf(now, 'row')} in place of ${before}; the first that differs is this`,
      },
    ];
  if (lines.length === 0) return [{ file, ...(fields.length > 0 && { fields }), what: 'it is not as it was signed' }];
  const what = isReordered(rows, actual.rows) ? 'it is in another order' : 'it is not as it was signed';
  const named = lines.slice(0, MOST_NAMED).map((line) => ({ file, line, ...(fields.length > 0 && { fields }), what }));
  const more = lines.length - named.length;
  return more > 0
    ? [...named, { file, what: `${countOf(more, 'more row is', 'more rows are')} not as signed` }]
    : named;
}

function linesThatDiffer(before: Uint8Array, now: Uint8Array): number[] {
  const lines: number[] = [];
  const most = Math.max(before.length, now.length);
  for (let at = 0; at < most; at += ROW_BYTES)
    if (!isEqual(before.subarray(at, at + ROW_BYTES), now.subarray(at, at + ROW_BYTES))) lines.push(at / ROW_BYTES + 2);
  return lines;
}

/** Whether the same rows are there, in another order. */
function isReordered(before: Uint8Array, now: Uint8Array): boolean {
  const sorted = (rows: Uint8Array) =>
    Array.from({ length: rows.length / ROW_BYTES }, (_, n) =>
      rows.subarray(n * ROW_BYTES, (n + 1) * ROW_BYTES).join(),
    ).sort();
  return sorted(before).join(';') === sorted(now).join(';');
}
