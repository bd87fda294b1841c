/** The hash chain: computes the hash of a record, and checks a chain of records. Pure functions, no files. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../domain/canonical-json.ts';
import type { AuditRecord } from './contract.ts';

/** The hash before the first record. */
export const ORIGIN = '0'.repeat(64);

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
export function recordHash(open: Readonly<Record<string, unknown>>, prev: string): string {
  return createHash('sha256').update(prev).update(canonicalJson(open)).digest('hex');
}

/** The fault of a line that must follow `last`; `last` undefined: the line is the oldest record in the log. */
export function faultOf(line: string, last: Link | undefined): { record?: AuditRecord; fault?: string } {
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
