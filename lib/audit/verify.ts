/** Checks the audit log from its oldest record to its newest. Reads files, changes nothing. */
import { faultOf, type Link, ORIGIN } from './chain.ts';
import type { AuditRecord } from './contract.ts';
import { filesIn, logLines } from './files.ts';

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

/** `wanted`: an earlier hash, of any record: without it a log that was cut at its end looks complete. */
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
