/** The log of each unit, for a person who looks for a fault; and for a limited time, every line on the wire. */
import {
  type DeviceState,
  EXPORT_COST,
  forgetRemoved,
  GatewayError,
  type Host,
  NEXT,
  openSpanOf,
  type Plugin,
  stream,
  tables,
} from '../../lib/index.ts';
import {
  kindsOf,
  LOG_ENTRY,
  LOG_QUERY,
  LOG_SETTINGS,
  type LogQuery,
  type LogSettings,
  shownEntry,
  shownTrace,
  TRACE,
  TRACE_BODY,
} from './schemas.ts';
import { ENTRIES, type EntryRow, LOG_MIGRATIONS, type LogEntry } from './tables.ts';
import { MOST_TRACES, Traces } from './trace.ts';
import { type EntryFilter, UnitLog } from './unit-log.ts';
import * as words from './words.ts';

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
  host.on('command', (event) => add(event, words.commandEntry(event.data)));
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
