/**
 * The hash chain: computes the hash of a record, and checks a chain of records, from the oldest to the newest in the
 * files of the log.
 */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../domain/canonical-json.ts';
import type { AuditRecord } from './contract.ts';
import { filesIn, logLines } from './files.ts';

/** The hash before the first record. */
const ORIGIN = '0'.repeat(64);

/** The part of a record to which the next record refers. */
export interface Link {
  readonly n: number;
  readonly hash: string;
}

/** Beginning of a chain. */
export const CHAIN_START: Link = { n: 0, hash: ORIGIN };

/** The record that follows `last`. */
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

/** Undefined if the line is not a record. */
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

/** Result of a check of the whole log. */
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
  /** Whether the wanted hash is in the chain. */
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
