/** Noise events in the words of the API: fields of an answer, CSV, and workbooks for spreadsheets. */
import { tables, zones } from '../../lib/built-in.ts';
import { iso, type Reply, stream } from '../../lib/index.ts';
import type * as assessment from './model/index.ts';

const { decibels } = tables;

/** Levels dB with two decimals. */
export const shownEvent = ({ from, to, lae, lae10, lmax, lmaxAt, threshold, missingS }: assessment.NoiseEvent) => ({
  start: iso(from * 1_000),
  end: iso(to * 1_000),
  duration_s: to - from,
  lae: decibels(lae),
  lae10: decibels(lae10),
  lmax: decibels(lmax),
  lmax_at: iso(lmaxAt * 1_000),
  threshold: decibels(threshold),
  missing_s: missingS,
});

const COLUMNS: readonly tables.SheetColumn[] = [
  { title: 'unit_id', kind: 'text' },
  { title: 'start', kind: 'time', offset: 'start offset' },
  { title: 'end', kind: 'time', offset: 'end offset' },
  { title: 'duration_s', kind: 'number' },
  { title: 'lae', kind: 'number' },
  { title: 'lae10', kind: 'number' },
  { title: 'lmax', kind: 'number' },
  { title: 'lmax_at', kind: 'time', offset: 'lmax_at offset' },
  { title: 'threshold', kind: 'number' },
  { title: 'missing_s', kind: 'number' },
  { title: 'note', kind: 'text' },
];

interface NoiseEventsFound {
  readonly unitId: string;
  readonly zone: string;
  /** ms since 1970 UTC. */
  readonly span: zones.Span;
  /** Share of the span that was measured and is not excluded, 0 to 1. */
  readonly coverage: number;
  /** The reason why events may be missing; null: no measured event is missing. */
  readonly reason: string | null;
  readonly events: readonly assessment.NoiseEvent[];
}

/** The first line says why events may be missing: a file without events must not look like a quiet time. */
export function noiseEventsFile(found: NoiseEventsFound, format: tables.CsvFormat | 'xlsx'): Promise<Reply> {
  const name = `noise-events_${found.unitId}_${new Date(found.span.from).toISOString().slice(0, 10)}`;
  const rows = (time: (ms: number) => string | null) => rowsOf(found, time);
  return fileOfRows({ name, sheet: 'Events', columns: COLUMNS, zone: found.zone, rows }, format);
}

interface FileOfRows {
  readonly name: string;
  readonly sheet: string;
  readonly columns: readonly tables.SheetColumn[];
  readonly zone: string;
  rows(time: (ms: number) => string | null): AsyncIterable<readonly tables.Cell[]>;
}

export async function fileOfRows(
  { name, sheet, columns, zone, rows }: FileOfRows,
  format: tables.CsvFormat | 'xlsx',
): Promise<Reply> {
  if (format === 'xlsx') {
    const book = tables.workbookStream(
      sheet,
      columns,
      rows((ms) => zones.localIso(zone, ms)),
    );
    return stream({ stream: await book, contentType: tables.XLSX_TYPE, name: `${name}.xlsx` });
  }
  const csv = csvOf(columns, rows(iso), format);
  return stream({ stream: csv, contentType: 'text/csv; charset=utf-8', name: `${name}.csv` });
}

async function* csvOf(
  columns: readonly tables.SheetColumn[],
  rows: AsyncIterable<readonly tables.Cell[]>,
  format: tables.CsvFormat,
): AsyncGenerator<string> {
  yield tables.csvHead(
    columns.map(({ title }) => title),
    format,
  );
  for await (const cells of rows) yield tables.csvLine(cells, format);
}

async function* rowsOf(
  { unitId, span, coverage, reason, events }: NoiseEventsFound,
  time: (ms: number) => string | null,
): AsyncGenerator<readonly tables.Cell[]> {
  const unmeasured = `Only ${Math.floor(coverage * 1_000) / 10} % of this time was measured.`;
  const note = [reason, coverage < 1 ? unmeasured : null].filter(Boolean).join(' ');
  const none = Array.from({ length: 6 }, () => null);
  if (note !== '') yield [unitId, time(span.from), time(span.to), (span.to - span.from) / 1_000, ...none, note];
  for (const event of events) {
    const { duration_s, lae, lae10, lmax, threshold, missing_s } = shownEvent(event);
    const [from, to, loudest] = [event.from, event.to, event.lmaxAt].map((seconds) => time(seconds * 1_000));
    yield [
      ...[unitId, from ?? null, to ?? null, duration_s, lae, lae10, lmax, loudest ?? null],
      ...[threshold, missing_s, null],
    ];
  }
}
