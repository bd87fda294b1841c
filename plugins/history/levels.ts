/** Answers GET history: reads the query, asks the history, and sends the rows. Large answers are sent page by page. */
import {
  etagOf,
  invalid,
  MAIN_CHANNEL,
  provisionalFrom,
  rowsAsked,
  seriesAsked,
  tables,
  type Weighting,
  type zones,
} from '../../lib/built-in.ts';
import {
  type DeviceConfig,
  type History,
  type HistoryQuery,
  type Host,
  iso,
  json,
  type Request,
  spanOf,
  stream,
} from '../../lib/index.ts';
import {
  CUT_MINUTES,
  type ExcludedTime,
  type ExcludingRow,
  edgeOf,
  excludingColumns,
  NOTHING_EXCLUDED,
  queryExcluding,
  type WithNotes,
} from '../notes/index.ts';
import { type LevelsRow, levelsFile } from './levels-file.ts';
import type { LevelsQuery } from './schemas.ts';

type Answer = Awaited<ReturnType<History['query']>>;

interface ColumnSeries {
  readonly columns: readonly string[];
  readonly channel: string | null;
  readonly weighting: Weighting | null;
}

interface AskedColumns {
  readonly span: zones.Span;
  readonly columns: tables.Columns;
  readonly query: HistoryQuery;
  /** Whether excluded time counts as not measured. */
  readonly isExcluding: boolean;
}

interface BesideAnswer extends Omit<Answer, 'rows'> {
  readonly rows: AsyncIterable<readonly LevelsRow[]>;
  /** The time of the first channel that its levels leave out. */
  readonly excluded: ExcludedTime;
  /** The time of the first channel that notes exclude, also if its levels have it. */
  readonly noted: ExcludedTime;
  readonly series: readonly ColumnSeries[];
}

/** Words with a weighting (`laeq`, `lceq`) may need several channels: their rows of one time are joined. */
async function queryBeside(
  host: Pick<Host, 'history'> & WithNotes,
  asked: AskedColumns,
  signal: AbortSignal,
): Promise<BesideAnswer> {
  const { columns, query } = asked;
  const wanted = columns.weightings ?? [null];
  const queries: HistoryQuery[] = [];
  for (const weighting of wanted)
    queries.push(weighting ? await resolved(host.history, ofWeighting(query, weighting), signal) : query);
  const read = async (each: HistoryQuery) => {
    const noted = host.notes.excluded(each.unitId, asked.span, each.channel);
    const excluded = asked.isExcluding ? noted : NOTHING_EXCLUDED;
    const answer = asked.isExcluding
      ? await queryExcluding(host.history, each, excluded, signal)
      : await host.history.query(each, signal);
    return { answer, excluded, noted };
  };
  let parts = await Promise.all(queries.map(read));
  // If a channel has only minutes left, the others are given in minutes, too.
  const coarse = parts.find(({ answer }) => answer.step !== parts[0]?.answer.step) && coarsened(query.over);
  if (coarse) {
    for (const { answer } of parts) await leave(answer.rows);
    parts = await Promise.all(queries.map((each) => read({ ...each, over: coarse })));
  }
  const [first] = parts;
  if (!first) throw new Error('nothing is asked for');
  const answers = parts.map(({ answer }) => answer);
  return {
    ...first.answer,
    mayHaveBounds: answers.some(({ mayHaveBounds }) => mayHaveBounds),
    cutMinutes: answers.some(({ cutMinutes }) => cutMinutes),
    digest: answers.map(({ digest }) => digest).join(' '),
    rows: answers.length === 1 ? first.answer.rows : beside(answers.map(({ rows }) => rows)),
    excluded: first.excluded,
    noted: first.noted,
    series: answers.map(({ channel, weighting }, place) => ({
      columns: columns.weighted?.flatMap(({ word, of }) => (of === place ? word : [])) ?? columns.quantities,
      channel,
      weighting,
    })),
  };
}

function ofWeighting(query: HistoryQuery, { frequency, time }: tables.WordWeighting): HistoryQuery {
  const { weighting: _weighting, ...rest } = query;
  return { channel: null, ...rest, ...(time ? { weighting: { frequency, time } } : { frequency }) };
}

/** Adds the channel and the weighting that the history finds: the excluded time depends on the channel. */
async function resolved(history: History, query: HistoryQuery, signal: AbortSignal): Promise<HistoryQuery> {
  const { channel, weighting, rows } = await history.query({ ...query, percentiles: [], digest: false }, signal);
  await leave(rows);
  return weighting ? { ...query, channel, weighting } : query;
}

function coarsened(over: HistoryQuery['over']): HistoryQuery['over'] | undefined {
  if (!('step' in over)) return undefined;
  return { from: Math.floor(over.from / 60) * 60, to: Math.ceil(over.to / 60) * 60, step: 60 };
}

async function leave(rows: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of rows) break;
}

/** All have a row for each step, in the same order. */
async function* beside(all: readonly AsyncIterable<readonly ExcludingRow[]>[]): AsyncGenerator<readonly LevelsRow[]> {
  const [first, ...others] = all.map((pages) => oneByOne(pages));
  if (!first) return;
  const PAGE = 200;
  let page: LevelsRow[] = [];
  try {
    for await (const row of first) {
      const rows: ExcludingRow[] = [row];
      for (const other of others) {
        const { value } = await other.next();
        if (value) rows.push(value);
      }
      const whole = tables.rowBeside(rows);
      if (whole) page.push(whole);
      if (page.length < PAGE) continue;
      yield page;
      page = [];
    }
    if (page.length > 0) yield page;
  } finally {
    for (const other of others) await other.return(undefined);
  }
}

async function* oneByOne(pages: AsyncIterable<readonly ExcludingRow[]>): AsyncGenerator<ExcludingRow, undefined> {
  for await (const page of pages) yield* page;
}

/** The most rows that a web page can take at once. */
const JSON_ROWS = 100_000;
/** The most rows that the history gives in one answer. */
const CSV_ROWS = 5_000_000;
/** Rows of a sheet below its titles (limit of spreadsheets). */
const XLSX_ROWS = 1_048_575;
/** The most local days, since each is computed before the first row: a hundred years. */
const MOST_DAYS = 36_525;
/** Up to this length an answer is sent as a whole; a longer answer is sent page by page, with an ETag that is known before its rows. */
const WHOLE_ROWS = 2_000;

interface LevelsRequest {
  readonly span: { readonly from: number; readonly to: number };
  readonly step: tables.StepName;
  readonly zone: string;
  readonly columns: tables.Columns;
  readonly query: HistoryQuery;
}

/** A note for answers with such rows; the cells of the rows show which rows these are. */
const BOUNDS =
  'Rows of the meter or of an import reach over the ends of rows of this answer: a maximum or minimum whose row is not certain is null, and the column with _bound has the most that it can be (a minimum: the least).';

/** Errors: UNIT_NOT_FOUND, INVALID with the path of the parameter, and those of the history. */
export async function answerLevels(
  host: Pick<Host, 'configs' | 'families' | 'history' | 'jobs'> & WithNotes,
  request: Request<unknown, LevelsQuery>,
): Promise<object> {
  const { unitId, query, caller } = request;
  const config = host.configs.of(unitId);
  const read = readQuery(host, config, query);
  const isExcluding = query.exclusions === 'apply';
  const answer = await queryBeside(host, { ...read, isExcluding }, caller.signal);
  const { excluded } = answer;
  const asked = answer.mayHaveBounds ? { ...read, columns: tables.withBounds(read.columns) } : read;
  if (query.format !== 'json') return levelsFile(unitId, query, asked, answer);
  const form: Form = { columns: asked.columns, more: isExcluding ? excludingColumns(excluded) : undefined };
  const head = {
    ...headOf(unitId, asked, answer, await provisionalFrom(host.jobs, config)),
    exclusions: excluded.notes.map(String),
    edge: edgeOf(excluded, answer),
    columns: [...tables.headerOf(asked.columns), ...(form.more?.header ?? [])],
  };
  if (tables.rowCount(asked.span, asked.step) > WHOLE_ROWS) {
    const etag = etagOf(JSON.stringify([head, excluded.ranges, answer.digest]));
    return stream(
      { stream: jsonText(head, answer.rows, form), contentType: 'application/json; charset=utf-8' },
      { etag },
    );
  }
  const rows: tables.Cell[][] = [];
  for await (const page of answer.rows) rows.push(...page.map((row) => cellsOf(row, form)));
  return json({ data: { ...head, rows } });
}

function readQuery({ families }: Pick<Host, 'families'>, config: DeviceConfig, query: LevelsQuery): LevelsRequest {
  const span = spanOf(query);
  const zone = query.zone ?? config.timezone;
  const columns = tables.columnsOf(query.quantities);
  if ('unknown' in columns)
    throw invalid([{ path: '/quantities', message: `has a word other than ${tables.QUANTITY_WORDS}` }]);
  const step = query.step === 'auto' ? tables.autoStep(span) : query.step;
  checkSize(span, step, query.format);
  const of = seriesAsked(query, families.find(config.family));
  return {
    span,
    step,
    zone,
    columns,
    query: {
      unitId: config.unitId,
      over: rowsAsked(span, step, zone),
      percentiles: columns.percentiles,
      digest: true,
      ...(query.source && { source: query.source }),
      ...of,
    },
  };
}

const MOST_ROWS = {
  json: [JSON_ROWS, ', or format=csv'],
  xlsx: [XLSX_ROWS, ', or format=csv'],
  csv: [CSV_ROWS, ''],
  'csv-de': [CSV_ROWS, ''],
} as const;

function checkSize(span: LevelsRequest['span'], step: tables.StepName, format: LevelsQuery['format']): void {
  const rows = tables.rowCount(span, step);
  const [most, cure] = step === '1d' ? [MOST_DAYS, ''] : MOST_ROWS[format];
  if (rows <= most) return;
  const message = `would give ${rows} rows, more than ${most}: use a longer step or a shorter span${cure}`;
  throw invalid([{ path: '/step', message }]);
}

function headOf(unitId: string, asked: LevelsRequest, answer: BesideAnswer, provisional: number | null) {
  const { span, step, zone, columns, query } = asked;
  const { over } = query;
  const stepS = answer.step ?? tables.STEPS[step];
  const isCoarser = answer.step !== null && answer.step > tables.STEPS[step];
  // Cards have only the main channel.
  const mayChange = answer.series.some(({ channel }) => channel === null || channel === MAIN_CHANNEL);
  const first = 'step' in over ? over.from : (over.ranges[0]?.from ?? span.from / 1_000);
  const last = 'step' in over ? over.to : (over.ranges.at(-1)?.to ?? span.to / 1_000);
  return {
    unit_id: unitId,
    from: tables.utc(isCoarser ? Math.floor(first / stepS) * stepS : first),
    to: tables.utc(isCoarser ? Math.ceil(last / stepS) * stepS : last),
    step_s: stepS,
    zone,
    channel: answer.channel,
    weighting: answer.weighting,
    other_weightings: answer.otherWeightings,
    series: answer.series,
    notes: [
      ...answer.series.flatMap(({ columns, weighting }, place) =>
        weighting === null && asked.columns.weightings?.[place]
          ? [`No channel has recorded levels of this weighting in this span: ${columns.join(', ')}.`]
          : [],
      ),
      ...(isCoarser ? [`Single seconds of this span are no longer kept; the rows are of ${stepS} s.`] : []),
      ...('restarts' in over
        ? ['The clocks change by a part of a step: a row there is shorter, up to where the next begins.']
        : []),
      ...(answer.cutMinutes ? [CUT_MINUTES] : []),
      ...(columns.bounds.length > 0 && answer.mayHaveBounds ? [BOUNDS] : []),
    ],
    provisional_from:
      !mayChange || provisional === null || provisional >= span.to ? null : iso(Math.max(provisional, span.from)),
  };
}

type Pages = AsyncIterable<readonly LevelsRow[]>;
type Form = Omit<tables.CsvForm<LevelsRow>, 'format' | 'local'>;

const cellsOf = (row: LevelsRow, { columns, more }: Form): tables.Cell[] => [
  ...tables.cellsOf(row, columns),
  ...(more?.cellsOf(row) ?? []),
];

async function* jsonText(head: object, pages: Pages, form: Form): AsyncGenerator<string> {
  const whole = JSON.stringify({ status: 'ok', data: { ...head, rows: [] } });
  yield whole.slice(0, -']}}'.length);
  let separator = '';
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield separator + page.map((row) => JSON.stringify(cellsOf(row, form))).join(',');
    separator = ',';
  }
  yield ']}}';
}
