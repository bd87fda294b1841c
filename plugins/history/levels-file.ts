/** The rows of GET history as a file: CSV, or a workbook. Each row has the seconds that notes exclude. */
import { etagOf, MAIN_CHANNEL, tables, type Weighting, zones } from '../../lib/built-in.ts';
import { type HistoryQuery, stream } from '../../lib/index.ts';
import { type ExcludedTime, type ExcludingRow, excludedColumn, excludingColumns } from '../notes/index.ts';
import type { LevelsQuery } from './schemas.ts';

export type LevelsRow = ExcludingRow & tables.RowsBeside;

interface AskedFile {
  readonly step: tables.StepName;
  readonly zone: string;
  readonly columns: tables.Columns;
  readonly query: HistoryQuery;
}

interface FoundRows {
  readonly rows: Pages;
  readonly series: readonly { readonly channel: string | null; readonly weighting: Weighting | null }[];
  /** Length of a row, s; null: calendar days. */
  readonly step: number | null;
  readonly digest: string | null;
  /** The time that the levels leave out. */
  readonly excluded: ExcludedTime;
  /** The time that notes exclude, also if the levels have it. */
  readonly noted: ExcludedTime;
}

type FileForm = Omit<tables.CsvForm<LevelsRow>, 'format'>;

/** The file has its unit, first day, step, channel and weighting in its name; the main channel is not named. */
export async function levelsFile(unitId: string, query: LevelsQuery, asked: AskedFile, answer: FoundRows) {
  const { columns, zone, step } = asked;
  const isExcluding = query.exclusions === 'apply';
  const more = isExcluding ? excludingColumns(answer.excluded) : excludedColumn(answer.noted);
  const plain = answer.series.find((_, place) => !columns.weightings?.[place]);
  const { weighting = null, channel = null } = plain ?? {};
  const levels = weighting ? `_${weighting.frequency}${weighting.time}` : '';
  const isOther = channel !== null && channel !== MAIN_CHANNEL;
  const name = `${unitId}_${query.from.slice(0, 10)}_${step}${isOther ? `_${channel}` : ''}${levels}`;
  const weightings = weighting ?? { frequency: null, time: null };
  const symbols = query.header === 'symbols' ? { unitId, weightings, ...(isOther && { channel }) } : undefined;
  const form: FileForm = { columns, more, symbols };
  const { format } = query;
  if (format === 'xlsx') {
    const workbook = await tables.workbookStream('Levels', sheetColumnsOf(form), sheetRows(answer.rows, form, zone));
    return stream({ stream: workbook, contentType: tables.XLSX_TYPE, name: `${name}.xlsx` });
  }
  const local = query.local_time ? zone : undefined;
  const { series, step: length, digest, noted } = answer;
  const { header } = query;
  const etag = etagOf(
    JSON.stringify([format, local, header, columns, asked.query, noted.ranges, isExcluding, series, length, digest]),
  );
  const written = { ...form, format: format === 'csv-de' ? format : ('csv' as const) };
  const file = csv(answer.rows, { ...written, local: local === undefined ? undefined : tables.clockOf(local) });
  return stream({ stream: file, contentType: 'text/csv; charset=utf-8', name: `${name}.csv` }, { etag });
}

type Pages = AsyncIterable<readonly LevelsRow[]>;

/** If the caller disconnects, leaving the loop ends the work of the history. */
async function* csv(pages: Pages, form: tables.CsvForm<LevelsRow>): AsyncGenerator<string> {
  yield tables.csvHeader(form);
  for await (const page of pages) yield page.map((row) => tables.csvRow(row, form)).join('');
}

const KINDS: Readonly<Record<string, tables.SheetKind>> = {
  unit_id: 'text',
  start: 'time',
  duration_s: 'number',
  coverage: 'share',
  quality: 'text',
  source: 'text',
  excluded_s: 'number',
};

function namesOf({ symbols, ...form }: FileForm): readonly string[] {
  const names = tables.titlesOf(form).map(String);
  return symbols ? ['unit_id', ...names] : names;
}

const sheetColumnsOf = (form: FileForm): readonly tables.SheetColumn[] => {
  const titles = tables.titlesOf(form);
  return namesOf(form).map((name, place) => ({ title: String(titles[place]), kind: KINDS[name] ?? 'level' }));
};

/** Times are those of the zone. */
async function* sheetRows(pages: Pages, form: FileForm, zone: string): AsyncGenerator<readonly tables.SheetCell[]> {
  const start = namesOf(form).indexOf('start');
  for await (const page of pages)
    for (const row of page) yield tables.fileCellsOf(row, form).with(start, zones.localIso(zone, row.from * 1_000));
}
