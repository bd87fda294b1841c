/** The hash chain: how a record gets its hash and how a chain of records is checked. Pure functions, no files. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../domain/canonical-json.ts';
import type { AuditRecord } from './contract.ts';

/** The hash before the first record. */
export const ORIGIN = '0'.repeat(64);

/** A record as the next one refers to it. */
export interface Link {
  readonly n: number;
  readonly hash: string;
}

/** Where a chain begins. */
export const CHAIN_START: Link = { n: 0, hash: ORIGIN };

/** The record that follows `last`. */
export function chained(last: Link, fields: Omit<AuditRecord, 'n' | 'prev' | 'hash'>): AuditRecord {
  const open = { ...fields, n: last.n + 1, prev: last.hash };
  return { ...open, hash: recordHash(open, last.hash) } as AuditRecord;
}

/** SHA-256 in hex over the hash before and the record without its own. */
export function recordHash(open: Readonly<Record<string, unknown>>, prev: string): string {
  return createHash('sha256').update(prev).update(canonicalJson(open)).digest('hex');
}

/** What is wrong with a line that must follow `last`; `last` undefined: it is the oldest record kept. */
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

/** Undefined where the line is no record. */
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
