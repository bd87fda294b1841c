/** The figures of assessed days as a table to save, each with the reason of its verdict. */
import type { tables } from '../../lib/built-in.ts';
import { type Reply, rest } from '../../lib/index.ts';
import type { assess } from './assess.ts';
import { fileOfRows } from './event-table.ts';

type Assessed = Awaited<ReturnType<typeof assess>>;
type Figure = Assessed['days'][number]['figures'][number];

const COLUMNS: readonly tables.SheetColumn[] = [
  { title: 'unit_id', kind: 'text' },
  { title: 'date', kind: 'date' },
  { title: 'figure', kind: 'text' },
  { title: 'verdict', kind: 'text' },
  { title: 'value', kind: 'number' },
  { title: 'limit', kind: 'number' },
  { title: 'margin', kind: 'number' },
  { title: 'leq', kind: 'number' },
  { title: 'lmax', kind: 'number' },
  { title: 'peak_limit', kind: 'number' },
  { title: 'coverage', kind: 'number' },
  { title: 'excluded_s', kind: 'number' },
  { title: 'from', kind: 'time', offset: 'from offset' },
  { title: 'to', kind: 'time', offset: 'to offset' },
  { title: 'reason', kind: 'text' },
];

/** `from` and `to` are those of the window that decides, or of the period. */
export function assessedFile(found: Assessed, format: tables.CsvFormat | 'xlsx'): Promise<Reply> {
  const name = `assessment_${found.unit_id}_${found.days[0]?.date ?? ''}`;
  const rows = (time: (ms: number) => string | null) => rowsOf(found, time);
  return fileOfRows({ name, sheet: 'Assessment', columns: COLUMNS, zone: found.zone, rows }, format);
}

async function* rowsOf(
  { unit_id, weighting, days }: Assessed,
  time: (ms: number) => string | null,
): AsyncGenerator<readonly tables.Cell[]> {
  const lmaxName = `L${weighting?.frequency ?? ''}${weighting?.time ?? ''}max`;
  const written = (iso: string | null | undefined) => (iso ? time(Date.parse(iso)) : null);
  for (const { date, figures } of days)
    for (const one of figures) {
      const { figure, verdict, value, limit, margin, leq, lmax, peak_limit, coverage, excluded_s, worst } = one;
      yield [
        ...[unit_id, date, figure, verdict, value, limit, margin, leq, lmax, peak_limit, coverage, excluded_s],
        ...[written(worst?.from ?? one.from), written(worst?.to ?? one.to), reasonOf(one, lmaxName)],
      ];
      await rest();
    }
}

/** Each limit that is exceeded, with the level; then the remarks of the assessment. */
const reasonOf = ({ figure, over, reasons }: Figure, lmaxName: string): string =>
  [
    ...over.map(
      ({ quantity, level, limit }) => `${quantity === 'lmax' ? lmaxName : figure} ${level.toFixed(1)} of ${limit}`,
    ),
    ...reasons,
  ].join(' ');
