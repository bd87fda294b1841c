/** Compares the levels of each local day with the seal that the gateway wrote into its audit log when the day was over. */
import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';
import { canonicalJson } from '../../../lib/domain/canonical-json.ts';
import { dayRoot, type KindRoot } from './merkle.ts';
import type { PackageDifference, SealResult } from './report.ts';

export const SEALS = 'seals.json';

export interface SealedLevels {
  readonly day: string;
  readonly kinds: readonly KindRoot[];
}

interface Seal {
  readonly day: string;
  readonly version: number;
  readonly root: string;
  readonly rows: number;
  readonly kinds?: readonly KindRoot[];
  readonly audit?: unknown;
}

interface Span {
  readonly from: string;
  readonly to: string;
  readonly timezone: string;
}

export function levelsAt(path: string): { readonly day: string; readonly kind: string } | undefined {
  const [, day, kind] = /^levels\/(\d{4}-\d\d-\d\d)\/([a-z]+)\.csv$/.exec(path) ?? [];
  return day === undefined || kind === undefined ? undefined : { day, kind };
}

/** Each day of levels, and what differs; `text` is the file with the seals. */
export function checkSeals(
  text: string,
  days: readonly SealedLevels[],
  span: Span,
): [readonly SealResult[], readonly PackageDifference[]] {
  const differences: PackageDifference[] = [];
  const seals = sealsIn(text);
  if (!seals) return [[], [{ file: SEALS, what: 'it is no list of seals' }]];
  for (const { day, version, root, rows, audit } of seals)
    if (audit !== undefined && !isRecordOfSeal(audit, [day, root, version, rows]))
      differences.push({
        file: SEALS,
        what: `the audit record of the seal of ${day}, version ${version}, does not fit it`,
      });
  const results = days.map(({ day, kinds }): SealResult => {
    const seal = seals.filter((other) => other.day === day).toSorted((a, b) => b.version - a.version)[0];
    if (!seal) return { day, version: null, result: 'none' };
    if (!isWhole(day, span)) return { day, version: seal.version, result: 'part' };
    const result = compared(seal, kinds);
    if (result === 'differs')
      differences.push({ file: `levels/${day}`, what: 'the levels do not fit the seal of the day' });
    return { day, version: seal.version, result };
  });
  return [results, differences];
}

/** Seconds are removed earlier than minutes: then the other tables are compared alone. */
function compared(seal: Seal, kinds: readonly KindRoot[]): SealResult['result'] {
  if (seal.root === dayRoot(kinds) && seal.rows === rowsIn(kinds)) return 'fits';
  const sealed = seal.kinds ?? [];
  if (dayRoot(sealed) !== seal.root) return 'differs';
  const [present, before] = [withoutSeconds(kinds), withoutSeconds(sealed)];
  const areFewer = rowsIn(kinds) - rowsIn(present) < rowsIn(sealed) - rowsIn(before);
  return areFewer && rowsIn(present) > 0 && dayRoot(present) === dayRoot(before) ? 'minutes' : 'differs';
}

const rowsIn = (kinds: readonly KindRoot[]): number => kinds.reduce((sum, { rows }) => sum + rows, 0);
const withoutSeconds = (kinds: readonly KindRoot[]) => kinds.filter(({ kind }) => kind !== 'seconds');

function sealsIn(text: string): readonly Seal[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every(isSeal) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isSeal(value: unknown): value is Seal {
  if (typeof value !== 'object' || value === null) return false;
  const { day, version, root, rows, kinds = [] }: Partial<Record<string, unknown>> = { ...value };
  if (!Array.isArray(kinds) || !kinds.every(isKind)) return false;
  return typeof day === 'string' && typeof root === 'string' && typeof version === 'number' && typeof rows === 'number';
}

function isKind(value: unknown): value is KindRoot {
  const { kind, root, rows }: Partial<Record<string, unknown>> = { ...Object(value) };
  return typeof kind === 'string' && typeof root === 'string' && typeof rows === 'number';
}

/** The record has a hash of its own, and names the day, the root, the version and the rows. */
function isRecordOfSeal(record: unknown, named: readonly (string | number)[]): boolean {
  if (typeof record !== 'object' || record === null || !('hash' in record) || !('prev' in record)) return false;
  const { hash, ...open } = record;
  const actual = bytesToHex(sha256(utf8ToBytes(`${open.prev}${canonicalJson(open)}`)));
  const values = new Set(leavesOf(open));
  return actual === hash && named.every((value) => values.has(value));
}

function leavesOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [value];
}

/** Whether the span has all of a local day. */
function isWhole(day: string, { from, to, timezone }: Span): boolean {
  try {
    const zone = new Intl.DateTimeFormat('en-CA', {
      timeZone: timezone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
    const dayOf = (ms: number) => zone.format(ms);
    const [begin, end] = [Date.parse(from), Date.parse(to)];
    const isCutBefore = dayOf(begin) === day && dayOf(begin - 1) === day;
    return !isCutBefore && dayOf(end) !== day;
  } catch {
    return false;
  }
}
