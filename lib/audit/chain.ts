/**
 * The audit log on the disk: a file of JSON lines for each month (UTC), `2026-11.jsonl`, in a folder of their own, and the
 * hash chain over all of them. Computes the hash of a record, and checks a chain, from the oldest record to the newest.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson } from '../domain/canonical-json.ts';
import type { AuditRecord } from './contract.ts';

const NAME = /^\d{4}-\d{2}\.jsonl$/;

export const fileFor = (at: number): string => `${new Date(at).toISOString().slice(0, 7)}.jsonl`;

/** If the clock was set back over the end of a month, a new record still follows the earlier ones. */
export const laterFile = (one: string, other: string): string => (one > other ? one : other);

export function endOf(name: string): number {
  const [year, month] = name.slice(0, 7).split('-').map(Number);
  return Date.UTC(year ?? 0, month ?? 0, 1);
}

const LONGEST_MONTH_MS = 31 * 86_400_000;

/**
 * Present time for the age of a month, ms UTC. The clock may be years ahead for an hour, and removed records are lost.
 * So it adds at most a month to the newest file before the present one. `names`: the oldest first.
 */
export function agesFrom(names: readonly string[], present: string, now: number): number {
  const before = names.findLast((name) => name < present);
  return before === undefined ? now : Math.min(now, endOf(before) + LONGEST_MONTH_MS);
}

/** The oldest first. Empty if the folder is missing. */
export async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => NAME.test(name)).sort();
}

export const sizeOf = async (folder: string, name: string): Promise<number> =>
  (await stat(join(folder, name)).catch(() => undefined))?.size ?? 0;

/**
 * Lines of one file, one at a time. Only a line feed ends a line: `readline` would also cut at a U+2028, which may
 * occur within JSON.
 */
export async function* logLines(folder: string, name: string): AsyncGenerator<string> {
  let begun = '';
  for await (const text of createReadStream(join(folder, name), 'utf8')) {
    const [rest = '', ...more] = String(text).split('\n');
    begun += rest;
    for (const next of more) {
      yield begun;
      begun = next;
    }
  }
  if (begun !== '') yield begun;
}

/** Adds text to a file; resolves when it is on the disk. If it fails, for example on a full disk, no part of the text stays. */
export async function append(folder: string, name: string, text: string): Promise<void> {
  const path = join(folder, name);
  const file = await open(path, 'a', 0o600);
  try {
    const { size } = await file.stat();
    try {
      await file.appendFile(text);
      await file.datasync();
    } catch (error) {
      // By its name: on Windows a file that was opened for appending cannot be cut.
      await truncate(path, size).catch(() => {});
      throw error;
    }
  } finally {
    await file.close();
  }
}

/** Cuts off a last line that a crash left unfinished. Returns the number of bytes removed. */
export async function mend(folder: string, name: string): Promise<number> {
  const path = join(folder, name);
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const tail = Buffer.alloc(Math.min(size, 65_536));
    await file.read(tail, 0, tail.length, size - tail.length);
    const whole = size - tail.length + tail.lastIndexOf(0x0a) + 1;
    if (whole < size) await truncate(path, whole);
    return size - whole;
  } finally {
    await file.close();
  }
}

export const remove = (folder: string, name: string): Promise<void> => rm(join(folder, name));

const ORIGIN = '0'.repeat(64);

/** The part of a record to which the next record refers. */
export interface Link {
  readonly n: number;
  readonly hash: string;
}

export const CHAIN_START: Link = { n: 0, hash: ORIGIN };

export function chained(last: Link, fields: Omit<AuditRecord, 'n' | 'prev' | 'hash'>): AuditRecord {
  const open = { ...fields, n: last.n + 1, prev: last.hash };
  return { ...open, hash: recordHash(open, last.hash) } as AuditRecord;
}

/** SHA-256 in hex over the earlier hash and the record without its own hash. */
function recordHash(open: Readonly<Record<string, unknown>>, prev: string): string {
  return createHash('sha256').update(prev).update(canonicalJson(open)).digest('hex');
}

/** The fault of a line that must follow `last`; `last` undefined: the line is the oldest record in the log. */
function faultOf(line: string, last: Link | undefined): { record?: AuditRecord; fault?: string } {
  const record = parsed(line);
  if (!record) return { fault: 'it is no record' };
  const { hash, ...open } = record;
  if (recordHash(open, record.prev) !== hash)
    return { record, fault: 'it was changed: its hash does not fit its content' };
  if (last && record.n !== last.n + 1)
    return { record, fault: `it should be number ${last.n + 1}: records are missing` };
  if (last && record.prev !== last.hash) return { record, fault: 'it does not follow the record before it' };
  return { record };
}

export function parsed(line: string): AuditRecord | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is AuditRecord =>
  typeof value === 'object' &&
  value !== null &&
  'n' in value &&
  Number.isSafeInteger(value.n) &&
  'prev' in value &&
  typeof value.prev === 'string' &&
  'hash' in value &&
  typeof value.hash === 'string';

export interface AuditVerdict {
  readonly records: number;
  /** The newest record; undefined for an empty log. */
  readonly head: Link | undefined;
  /** The first record that was changed after it was written. */
  readonly broken?: {
    readonly file: string;
    readonly line: number;
    readonly n: number | undefined;
    readonly why: string;
  };
  readonly found: boolean;
}

/**
 * Checks the audit log from its oldest record to its newest. Reads files, changes nothing. `wanted`: an earlier hash,
 * of any record: without it a log that was cut at its end looks complete.
 */
export async function verify(folder: string, wanted?: string): Promise<AuditVerdict> {
  const state: { records: number; first?: AuditRecord; head?: AuditRecord; anchored: boolean; found: boolean } = {
    records: 0,
    anchored: false,
    found: wanted === undefined,
  };
  for (const file of await filesIn(folder)) {
    let line = 0;
    for await (const text of logLines(folder, file)) {
      line += 1;
      const { record, fault } = faultOf(text, state.head);
      if (fault !== undefined || !record)
        return verdict(state, { file, line, n: record?.n, why: fault ?? 'it is no record' });
      state.first ??= record;
      state.head = record;
      state.records += 1;
      state.found ||= record.hash === wanted;
      state.anchored ||= isAnchorOf(record, state.first);
    }
  }
  const { first, anchored } = state;
  const isFirstEver = first?.n === 1 && first.prev === ORIGIN;
  if (first && !isFirstEver && !anchored)
    return verdict(state, {
      file: (await filesIn(folder))[0] ?? '',
      line: 1,
      n: first.n,
      why: 'it is the oldest one left and no anchor record says that those before it were removed',
    });
  return verdict(state);
}

const isAnchorOf = (record: AuditRecord, first: AuditRecord): boolean =>
  record.kind === 'anchor' && record.removed_through === first.n - 1 && record.removed_hash === first.prev;

const verdict = (
  { records, head, found }: { records: number; head?: AuditRecord; found: boolean },
  broken?: AuditVerdict['broken'],
): AuditVerdict => ({ records, head, found, ...(broken && { broken }) });
