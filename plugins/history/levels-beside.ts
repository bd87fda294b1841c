/**
 * The rows of GET history. Words with a weighting (`laeq`, `lceq`) may need several channels: each weighting is queried by
 * itself, and the rows of one time are joined. Rows of two weightings are never mixed.
 */
import { type History, type HistoryQuery, type Host, tables, type Weighting, type zones } from '../../lib/index.ts';
import {
  type ExcludedTime,
  type ExcludingRow,
  NOTHING_EXCLUDED,
  queryExcluding,
  type WithNotes,
} from '../notes/index.ts';

type Answer = Awaited<ReturnType<History['query']>>;

/** A row, with the rows of other channels beside it. */
export type LevelsRow = ExcludingRow & tables.RowsBeside;

/** The channel and weighting of some columns; null: no data. */
export interface ColumnSeries {
  readonly columns: readonly string[];
  readonly channel: string | null;
  readonly weighting: Weighting | null;
}

/** The columns of a request. */
export interface AskedColumns {
  readonly span: zones.Span;
  readonly columns: tables.Columns;
  readonly query: HistoryQuery;
  /** Whether excluded time counts as not measured. */
  readonly isExcluding: boolean;
}

/** An answer of one or of several channels. */
export interface BesideAnswer extends Omit<Answer, 'rows'> {
  readonly rows: AsyncIterable<readonly LevelsRow[]>;
  /** The excluded time of the first channel. */
  readonly excluded: ExcludedTime;
  readonly series: readonly ColumnSeries[];
}

/** Errors: those of the history. */
export async function queryBeside(
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
    const excluded = asked.isExcluding ? host.notes.excluded(each.unitId, asked.span, each.channel) : NOTHING_EXCLUDED;
    const answer = asked.isExcluding
      ? await queryExcluding(host.history, each, excluded, signal)
      : await host.history.query(each, signal);
    return { answer, excluded };
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
    series: answers.map(({ channel, weighting }, place) => ({
      columns: columns.weighted?.flatMap(({ word, of }) => (of === place ? word : [])) ?? columns.quantities,
      channel,
      weighting,
    })),
  };
}

/** The requested channel, or any channel with the weighting. */
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
