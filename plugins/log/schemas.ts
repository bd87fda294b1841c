import { iso, listQuery, MOMENT, named, type PageQuery, type Schema, TIME, whole } from '../../lib/index.ts';
import { type EntryKind, type EntryRow, KINDS } from './tables.ts';
import { MOST_LINES, type Trace } from './trace.ts';

/** How many entries of a unit are kept, and for how many days. */
export interface LogSettings {
  readonly entries_per_unit: number;
  readonly keep_days: number;
}

export const LOG_SETTINGS: Schema = {
  type: 'object',
  properties: {
    entries_per_unit: {
      type: 'integer',
      title: 'Entries of the log that are kept for each unit: this many routine entries, and this many others',
      minimum: 100,
      maximum: 100_000,
      default: 1_000,
    },
    keep_days: {
      type: 'integer',
      title: 'Days for which entries of the log are kept; 0: until there are too many',
      minimum: 0,
      maximum: 3_650,
      default: 90,
    },
  },
};

/** The filters of the log. */
export interface LogQuery extends PageQuery {
  readonly kind?: string;
  readonly from?: string;
  readonly to?: string;
  readonly q?: string;
  readonly outcome?: 'ok' | 'failed';
  readonly format: 'json' | 'csv' | 'csv-de';
}

export const LOG_QUERY = listQuery({
  kind: {
    type: 'string',
    pattern: `^(${KINDS.join('|')})(,(${KINDS.join('|')})){0,9}$`,
    description: `kinds, separated by commas: ${KINDS.join(', ')}`,
  },
  from: MOMENT,
  to: MOMENT,
  q: {
    type: 'string',
    maxLength: 200,
    description: 'part of the text, such as a command; case does not count',
  },
  outcome: { type: 'string', enum: ['ok', 'failed'], description: 'only successes, or only failures' },
  format: {
    type: 'string',
    enum: ['json', 'csv', 'csv-de'],
    default: 'json',
    description: 'CSV has all matching entries and no `next`.',
  },
});

/** The schema of the query allows no other words. */
export const kindsOf = (text: string | undefined) => text?.split(',') as readonly EntryKind[] | undefined;

const TEXT: Schema = { type: ['string', 'null'] };

/** An entry in answers. */
export const LOG_ENTRY: Schema = named('LogEntry', {
  id: { type: 'string' },
  time: TIME,
  kind: { type: 'string', enum: KINDS },
  text: { type: 'string', description: 'The command as it was sent, or the event in words.' },
  outcome: { ...TEXT, description: '`ok`, or the error: usually its code.' },
  duration_ms: { type: ['integer', 'null'] },
  by: { ...TEXT, description: 'Name of the API key that asked for it.' },
  role: TEXT,
});

/** With an RFC 3339 time. */
export const shownEntry = ({ id, at, kind, text, outcome, ms, keyName, role }: EntryRow) => ({
  id: String(id),
  time: iso(at) ?? '',
  kind,
  text,
  outcome,
  duration_ms: ms === null ? null : Math.round(ms),
  by: keyName,
  role,
});

/** How long a trace lasts. */
export const TRACE_BODY: Schema = {
  type: 'object',
  properties: {
    seconds: { type: 'integer', minimum: 1, maximum: 3_600, description: 'How long.' },
  },
  required: ['seconds'],
  additionalProperties: false,
};

const LINE: Schema = whole({
  time: TIME,
  port: { type: 'string', enum: ['control', 'ftp'] },
  direction: { type: 'string', enum: ['sent', 'received'] },
  text: { type: 'string' },
});

/** Whether a unit is traced, in answers. */
export const TRACE: Schema = named('Trace', {
  active: { type: 'boolean' },
  from: { type: ['string', 'null'], description: 'Null: no trace since the gateway started.' },
  until: { type: ['string', 'null'] },
  left_out: { type: 'integer', minimum: 0, description: `Older lines: the last ${MOST_LINES} are kept.` },
  lines: { type: 'array', items: LINE, description: 'The oldest first.' },
});

/** Undefined: there was no trace since the gateway started. */
export const shownTrace = (trace: Trace | undefined) => ({
  active: trace?.active ?? false,
  from: trace ? iso(trace.from) : null,
  until: trace ? iso(trace.until) : null,
  left_out: trace?.leftOut ?? 0,
  lines: (trace?.lines ?? []).map(({ at, port, direction, text }) => ({ time: iso(at), port, direction, text })),
});
