/** The log of each unit, for a person who looks for a fault; and for a limited time, every line on the wire. */
import { type DeviceState, listQuery, MOMENT, NEXT, openSpanOf, type PageQuery, tables } from '../../lib/built-in.ts';
import {
  EXPORT_COST,
  forgetRemoved,
  GatewayError,
  type Host,
  iso,
  named,
  type Plugin,
  type Schema,
  stream,
  TIME,
  whole,
} from '../../lib/index.ts';
import * as words from './entries.ts';
import { MOST_LINES, MOST_TRACES, type Trace, Traces } from './trace.ts';
import {
  ENTRIES,
  type EntryFilter,
  type EntryKind,
  type EntryRow,
  KINDS,
  LOG_MIGRATIONS,
  type LogEntry,
  UnitLog,
} from './unit-log.ts';

interface LogSettings {
  readonly entries_per_unit: number;
  readonly keep_days: number;
}

/** `plugin_settings.log`. */
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

interface LogQuery extends PageQuery {
  readonly kind?: string;
  readonly from?: string;
  readonly to?: string;
  readonly q?: string;
  readonly outcome?: 'ok' | 'failed';
  readonly format: 'json' | 'csv' | 'csv-de';
}

const LOG_QUERY = listQuery({
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
const kindsOf = (text: string | undefined) => text?.split(',') as readonly EntryKind[] | undefined;

const TEXT: Schema = { type: ['string', 'null'] };

const LOG_ENTRY: Schema = named('LogEntry', {
  id: { type: 'string' },
  time: TIME,
  kind: { type: 'string', enum: KINDS },
  text: { type: 'string', description: 'The command as it was sent, or the event in words.' },
  outcome: { ...TEXT, description: '`ok`, or the error: usually its code.' },
  duration_ms: { type: ['integer', 'null'] },
  by: { ...TEXT, description: 'Name of the API key that asked for it.' },
  role: TEXT,
});

const shownEntry = ({ id, at, kind, text, outcome, ms, keyName, role }: EntryRow) => ({
  id: String(id),
  time: iso(at) ?? '',
  kind,
  text,
  outcome,
  duration_ms: ms === null ? null : Math.round(ms),
  by: keyName,
  role,
});

const TRACE_BODY: Schema = {
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

const TRACE: Schema = named('Trace', {
  active: { type: 'boolean' },
  from: { type: ['string', 'null'], description: 'Null: no trace since the gateway started.' },
  until: { type: ['string', 'null'] },
  left_out: { type: 'integer', minimum: 0, description: `Older lines: the last ${MOST_LINES} are kept.` },
  lines: { type: 'array', items: LINE, description: 'The oldest first.' },
});

const shownTrace = (trace: Trace | undefined) => ({
  active: trace?.active ?? false,
  from: trace ? iso(trace.from) : null,
  until: trace ? iso(trace.until) : null,
  left_out: trace?.leftOut ?? 0,
  lines: (trace?.lines ?? []).map(({ at, port, direction, text }) => ({ time: iso(at), port, direction, text })),
});

const plugin: Plugin<LogSettings> = {
  name: 'log',
  about: 'The log of each meter, and every line on its wire for a limited time',
  settings: LOG_SETTINGS,
  async register(host) {
    const { entries_per_unit: limit, keep_days: keepDays } = host.settings;
    const own = await host.tables([ENTRIES], LOG_MIGRATIONS);
    const log = new UnitLog({ ...host, tables: own, limit, keepDays });
    await log.load();
    host.onStop(() => log.close());
    await forgetRemoved(host, own, log);
    listen(host, log);
    addLog(host, log);
    addTrace(host);
  },
};
export default plugin;

function listen(host: Host<LogSettings>, log: UnitLog): void {
  const states = new Map<string, DeviceState>();
  const add = ({ unitId, time }: { readonly unitId: string; readonly time: number }, entry: LogEntry | undefined) => {
    if (entry && unitId !== '') log.add(unitId, time, entry);
  };
  host.on('command', (event) => add(event, { kind: 'command', ...event.data }));
  host.on('connection', (event) => add(event, words.connectionEntry(event.data)));
  host.on('reachability', (event) => add(event, words.reachabilityEntry(event.data)));
  host.on('request', (event) => add(event, words.changeEntry(event.data)));
  host.on('file', (event) => add(event, words.fileEntry(event.data)));
  host.on('recording', (event) => add(event, words.recordingEntry(event.data)));
  host.on('state', (event) => {
    add(event, words.stateEntry(states.get(event.unitId), event.data.state));
    states.set(event.unitId, event.data.state);
  });
  host.on('exchange', (event) => add(event, words.exchangeEntry(event.data)));
  const jobs = new Map<unknown, unknown>();
  host.on('job', (event) => {
    const { id, state, endedAt } = event.data;
    // A job publishes its progress, too.
    if (jobs.get(id) !== state) add(event, words.jobEntry(event.data));
    if (endedAt === null) jobs.set(id, state);
    else jobs.delete(id);
  });
  host.on('removal', ({ unitId }) => states.delete(unitId));
}

function addLog(host: Host<LogSettings>, log: UnitLog): void {
  host.route<unknown, LogQuery>({
    method: 'GET',
    path: '/{unit_id}/log',
    access: 'viewer',
    summary: 'Show the log of a unit',
    description:
      'Commands with outcome and duration, connections, changes of state, requests and who made them, files, jobs. The newest first. The meter is not contacted.',
    query: LOG_QUERY,
    answer: { data: { type: 'array', items: LOG_ENTRY }, next: NEXT },
    etag: true,
    contentTypes: ['text/csv'],
    cost: ({ query }) => (query.format === 'json' ? 0 : EXPORT_COST),
    errors: ['UNIT_NOT_FOUND'],
    async handle({ unitId, query }) {
      host.configs.of(unitId);
      const entries = log.find(unitId, filterOf(query));
      const { format, limit } = query;
      if (format !== 'json')
        return stream({
          stream: csv(entries, format),
          contentType: 'text/csv; charset=utf-8',
          name: `${unitId}_log.csv`,
        });
      const page: EntryRow[] = [];
      let next: string | null = null;
      for await (const entry of entries) {
        if (page.length === limit) {
          next = String(page.at(-1)?.id);
          break;
        }
        page.push(entry);
      }
      return { data: page.map(shownEntry), next };
    },
  });
}

function filterOf(query: LogQuery): EntryFilter {
  const { kind, q, outcome, cursor } = query;
  const before = cursor === undefined ? undefined : Number(cursor);
  return { kinds: kindsOf(kind), ...openSpanOf(query), part: q?.toLowerCase(), outcome, before };
}

async function* csv(entries: AsyncIterable<EntryRow>, format: tables.CsvFormat): AsyncGenerator<string> {
  yield tables.csvHead(['time', 'kind', 'text', 'outcome', 'duration_ms', 'by', 'role'], format);
  for await (const entry of entries) {
    const { time, kind, text, outcome, duration_ms: ms, by, role } = shownEntry(entry);
    yield tables.csvLine([time, kind, text, outcome, ms, by, role], format);
  }
}

function addTrace(host: Host<LogSettings>): void {
  const traces = new Traces(host.clock, host.wire);
  host.onStop(() => traces.close());
  host.on('removal', ({ unitId }) => traces.forget(unitId));
  const path = '/{unit_id}/trace';
  const access = 'admin';
  const answer = { data: TRACE };
  const parts = { path, access, answer } as const;

  host.route<{ readonly seconds: number }, unknown>({
    ...parts,
    method: 'POST',
    summary: 'Keep every line to and from a meter for a while',
    description: `At most an hour, of at most ${MOST_TRACES} units, in memory: a restart ends it. If a trace runs already, it begins again. Credentials are masked.`,
    body: TRACE_BODY,
    errors: ['UNIT_NOT_FOUND', 'DEVICE_BUSY'],
    handle({ unitId, body }) {
      host.configs.of(unitId);
      if (!traces.begin(unitId, body.seconds * 1_000))
        throw new GatewayError(
          'DEVICE_BUSY',
          `${MOST_TRACES} units are traced already; end one trace with DELETE trace.`,
        );
      return { data: shownTrace(traces.of(unitId)) };
    },
  });

  host.route({
    ...parts,
    method: 'GET',
    summary: 'Show the lines to and from a meter',
    errors: ['UNIT_NOT_FOUND'],
    handle({ unitId }) {
      host.configs.of(unitId);
      return { data: shownTrace(traces.of(unitId)) };
    },
  });

  host.route({
    ...parts,
    method: 'DELETE',
    summary: 'Keep no more lines to and from a meter',
    description: 'Lines that were kept can still be read.',
    answer: { message: { type: 'string' } },
    errors: ['UNIT_NOT_FOUND'],
    handle({ unitId }) {
      host.configs.of(unitId);
      traces.end(unitId);
      return { message: 'The trace has ended.' };
    },
  });
}
