/**
 * Reads the CSV of an import while it arrives: rows are passed on page by page, and errors name their line.
 *
 *   start,duration_s,leq,lmax,l10
 *   2026-11-21T06:00:00Z,900,54.3,71.2,57.1
 *
 * The CSV of GET history can be imported again, also with semicolons and decimal commas.
 */
import {
  CrossedColumns,
  type CsvBody,
  type CsvLine,
  countOf,
  csvBody,
  type InputError,
  type IntervalRow,
  impossibleLevel,
  invalid,
  type LevelFault,
  momentOf,
  quantities,
  refuseChannel,
  unlessAborted,
  type Weighting,
} from '../../lib/built-in.ts';
import { GatewayError, type Host, isGatewayError, iso, json, type Request } from '../../lib/index.ts';
import type { ImportQuery } from './schemas.ts';

const MOST_ERRORS = 20;
const PAGE_ROWS = 1_000;

const NEEDED = ['start', 'duration_s', 'leq'];
export const GIVEN = quantities.KEPT.filter((name) => name !== 'leq');
/** Columns in the files of the gateway. `coverage` shortens a row, a local time with its offset must fit; others are ignored. */
const ALSO = [
  ...['local_time', 'utc_offset', ...GIVEN, 'coverage', 'quality', 'source', 'lp', 'excluded_s', 'leq_all'],
  ...quantities.EXTREMES.map(quantities.boundName),
];
/** Together these columns can replace the start. */
const LOCAL = ['local_time', 'utc_offset'];
const { PERCENTILE_NAME } = quantities;

interface Header extends Pick<CsvBody, 'separator'> {
  readonly columns: readonly string[];
}

export interface LeftOut {
  count: number;
  readonly rows: InputError[];
}

/**
 * Throws GatewayError INVALID with the first wrong lines (`/line/12`). Rows with impossible levels go to `leftOut`.
 * `time`: of the levels; S if it is not known.
 */
export async function* readRows(
  chunks: AsyncIterable<Buffer>,
  leftOut: LeftOut,
  time: Weighting['time'] = 'S',
): AsyncGenerator<readonly IntervalRow[]> {
  const errors: InputError[] = [];
  const crossed = new CrossedColumns(time);
  let [count, kept] = [0, 0];
  let header: Header | undefined;
  let page: IntervalRow[] = [];
  const { separator, lines } = await csvBody(chunks);
  for await (const line of lines) {
    count += 1;
    if (header === undefined) header = headerOf(line, separator);
    else {
      try {
        const row = rowOf(line, header);
        if (row && isPossible(row, leftOut)) {
          const fault = crossed.add(checkedOf(row));
          if (fault) errors.push(errorOf(fault));
          page.push(row);
          kept += 1;
        }
      } catch (error) {
        if (!isGatewayError(error, 'INVALID')) throw error;
        errors.push(...(error.errors ?? []));
      }
    }
    if (errors.length >= MOST_ERRORS) break;
    // After an error no rows are passed on, because nothing will be imported.
    if (page.length >= PAGE_ROWS && errors.length === 0) {
      yield page;
      page = [];
    }
  }
  if (header === undefined) throw wrong(1, 'is missing: the file is empty');
  if (count === 1) throw wrong(2, 'is missing: the file has one line only');
  errors.push(...crossed.ofMostRows.map(errorOf));
  if (kept === 0) errors.push(...leftOut.rows);
  if (errors.length > 0) throw invalid(errors.slice(0, MOST_ERRORS));
  if (page.length > 0) yield page;
}

const wrong = (line: number, message: string) => invalid([{ path: `/line/${line}`, message }]);

const errorOf = ({ line, message }: LevelFault): InputError => ({ path: `/line/${line}`, message });

function isPossible(row: IntervalRow, leftOut: LeftOut): boolean {
  const fault = impossibleLevel(checkedOf(row));
  if (!fault) return true;
  leftOut.count += 1;
  if (leftOut.rows.length < MOST_ERRORS) leftOut.rows.push(errorOf(fault));
  return false;
}

const checkedOf = ({ line = 0, duration, ln = {}, ...row }: IntervalRow) => ({
  line,
  seconds: duration,
  levels: quantities.levelsBy(quantities.KEPT, (name) => row[name]),
  ln,
});

const quoted = (text = '') => JSON.stringify(text.slice(0, 40));

function headerOf({ cells }: CsvLine, separator: Header['separator']): Header {
  if (cells.length === 1 && cells[0] === 'CSV')
    throw wrong(1, 'is "CSV": this is a .rnd file of the card of a meter. The mirror reads such files, not the import');
  const columns = cells.map((name) => name.toLowerCase());
  const unknown = columns.findIndex(
    (name) => !NEEDED.includes(name) && !ALSO.includes(name) && !PERCENTILE_NAME.test(name),
  );
  if (unknown >= 0)
    throw wrong(
      1,
      `has an unknown column ${quoted(cells[unknown])}, number ${unknown + 1}; known are ${[...NEEDED, ...ALSO].join(', ')}, l01 to l99`,
    );
  const hasLocal = LOCAL.every((name) => columns.includes(name));
  const missing = NEEDED.find((name) => !columns.includes(name) && !(name === 'start' && hasLocal));
  if (missing === 'start') throw wrong(1, `has no column start, and not both ${LOCAL.join(' and ')} in its place`);
  if (missing) throw wrong(1, `has no column ${missing}`);
  if (new Set(columns).size < columns.length) throw wrong(1, 'has a column twice');
  return { separator, columns };
}

/** Undefined for a row without any level: a gap. */
function rowOf({ number, cells }: CsvLine, { separator, columns }: Header): IntervalRow | undefined {
  if (cells.length !== columns.length)
    throw wrong(number, `has ${cells.length} cells and the header ${columns.length}`);
  const cell = (name: string) => cells[columns.indexOf(name)] ?? '';
  const level = (name: string) => levelIn(cell(name), number, name, separator);
  const leq = level('leq');
  const others = quantities.levelsBy(GIVEN, level);
  const percentiles = columns
    .filter((name) => PERCENTILE_NAME.test(name))
    .map((name) => [Number(name.slice(1)), level(name)] as const);
  if (leq === null) {
    if ([...Object.values(others), ...percentiles.map(([, value]) => value)].every((value) => value === null))
      return undefined;
    throw wrong(number, 'has no leq');
  }
  const ln = Object.fromEntries(percentiles.filter(([, value]) => value !== null)) as Record<number, number>;
  return {
    at: startOf(cell('start'), localOf(cell('local_time'), cell('utc_offset')), number),
    duration: durationOf(cell('duration_s'), cell('coverage'), number),
    leq,
    ...others,
    ...(Object.keys(ln).length > 0 && { ln }),
    line: number,
  };
}

const TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:[0-5]\d(\.0+)?)?([Zz]|[+-]\d\d(:?\d\d)?)$/;

/** `2026-10-25 02:00:00` and `UTC+02:00` as one text; undefined if they do not have these forms, which spreadsheets keep. */
function localOf(time: string, offset: string): string | undefined {
  const [, hours] = /^(?:UTC)?([+-]\d\d:?\d\d|)$/.exec(offset) ?? [];
  const text = `${time}${hours === '' ? 'Z' : hours}`;
  return offset !== '' && hours !== undefined && TIME.test(text) ? text : undefined;
}

/** A local time alone may mean two times: it never counts without its offset. */
function startOf(start: string, local: string | undefined, line: number): number {
  const text = start === '' ? (local ?? '') : start;
  if (!TIME.test(text))
    throw wrong(line, 'has a start that is no full second with its offset, such as 2026-11-21T06:00:00Z');
  const secondOf = (one: string) => momentOf(one, `/line/${line}`) / 1_000;
  const at = secondOf(text);
  if (local !== undefined && local !== text && secondOf(local) !== at)
    throw wrong(line, 'has a start and a local_time that are not the same time');
  return at;
}

/** If a row has data only for a part of its time, it gets the length of its data: no gap is hidden. */
function durationOf(text: string, coverage: string, line: number): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) < 1 || Number(text) > 86_400)
    throw wrong(line, 'has a duration_s that is not 1 to 86400 whole seconds');
  const share = coverage === '' ? 1 : Number(coverage.replace(',', '.'));
  if (!/^[01](?:[.,]\d{1,6})?$/.test(coverage || '1') || share > 1)
    throw wrong(line, 'has a coverage that is not 0 to 1');
  return Math.max(1, Math.floor(Number(text) * share));
}

function levelIn(text: string, line: number, name: string, separator: string): number | null {
  if (text === '') return null;
  const pattern = separator === ';' ? /^-?\d{1,3}([.,]\d{1,6})?$/ : /^-?\d{1,3}(\.\d{1,6})?$/;
  const level = Number(text.replace(',', '.'));
  if (!pattern.test(text) || Math.abs(level) > 300) throw wrong(line, `has a ${name} that is no level in dB`);
  return level;
}

const KIND = 'history-import';

interface Input {
  readonly channel?: string;
  readonly weighting: Weighting;
  /** Id of the file that arrives. After a restart the file is gone. */
  readonly file: string;
}

type Imported = Awaited<ReturnType<Host['history']['import']>>;

/** The result of the job: times are those of the API, not seconds. */
type Result = ReturnType<typeof shown>;
const shown = ({ rows, from, to }: Imported, leftOut: LeftOut) => ({
  rows,
  from: iso(from * 1_000),
  to: iso(to * 1_000),
  left_out: leftOut.count,
});

interface Arriving {
  readonly rows: AsyncIterable<readonly IntervalRow[]>;
  readonly leftOut: LeftOut;
  readonly signal: AbortSignal;
  readonly done: PromiseWithResolvers<Imported>;
}

type TakeImport = (request: Request<unknown, ImportQuery>) => Promise<object>;

/** The answer comes at the end of the job, which can be listed and cancelled. The file is not kept. */
export function createImports(host: Host): TakeImport {
  const arriving = new Map<string, Arriving>();
  const byJob = new Map<unknown, Arriving>();

  host.jobs.kind<Input, Result, unknown>({
    name: KIND,
    oneAtATime: 'unit',
    async run({ unitId, input, signal, progress }) {
      const file = arriving.get(input.file);
      if (!file || unitId === null) throw new GatewayError('STOPPING', 'The file is no longer there; send it again.');
      const ended = AbortSignal.any([signal, file.signal]);
      try {
        const { channel, weighting } = input;
        const target = { unitId, weighting, ...(channel && { channel }) };
        const imported = await host.history.import(target, counted(file.rows, progress), ended);
        file.done.resolve(imported);
        return shown(imported, file.leftOut);
      } catch (error) {
        file.done.reject(error);
        throw error;
      }
    },
  });
  // A job that is cancelled while it waits never runs.
  host.on('job', ({ data: { id, state } }) => {
    if (state === 'cancelled') byJob.get(id)?.done.reject(new GatewayError('STOPPING', 'The import was cancelled.'));
  });

  return async ({ unitId, query, upload, caller }) => {
    const { channel } = query;
    if (channel) refuseChannel(channel, host.families.find(host.configs.of(unitId).family), '/channel');
    host.configs.of(unitId);
    const weighting = { frequency: query.frequency_weighting, time: query.time_weighting };
    const leftOut: LeftOut = { count: 0, rows: [] };
    const file: Arriving = {
      // F is also the default of the request, so it is not known.
      rows: readRows(upload, leftOut, weighting.time === 'I' ? 'I' : 'S'),
      leftOut,
      signal: caller.signal,
      done: Promise.withResolvers(),
    };
    const name = crypto.randomUUID();
    arriving.set(name, file);
    try {
      const { id } = await host.jobs.start(KIND, unitId, { weighting, file: name, ...(channel && { channel }) });
      byJob.set(id, file);
      const { rows } = await unlessAborted(file.done.promise, caller.signal).finally(() => byJob.delete(id));
      const message = `${rowsWere(rows)} imported into the history of ${unitId}.${wordsOf(leftOut)}`;
      return json({ message, job: String(id), left_out: leftOut.rows }, { status: 202, location: `/_jobs/${id}` });
    } finally {
      arriving.delete(name);
      file.done.promise.catch(() => {});
    }
  };
}

const rowsWere = (rows: number) => countOf(rows, 'row was', 'rows were');

/** Names each row by its line. */
function wordsOf({ count, rows }: LeftOut): string {
  if (count === 0) return '';
  const lines = rows.map(({ path, message }) => `${path.replace('/line/', 'line ')} ${message}`);
  const more = count > rows.length ? [`and ${count - rows.length} more`] : [];
  return ` ${rowsWere(count)} left out: ${[...lines, ...more].join('; ')}.`;
}

async function* counted(
  pages: AsyncIterable<readonly IntervalRow[]>,
  progress: (done: number, total: number | null, unit: string) => void,
): AsyncGenerator<readonly IntervalRow[]> {
  let rows = 0;
  for await (const page of pages) {
    rows += page.length;
    progress(rows, null, 'rows');
    yield page;
  }
}
