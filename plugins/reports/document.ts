/** A report as data: what it says, before anybody prints it, and where the lines of its charts go. Numbers are those that the API gives; a printer decides how many decimals people see. */
import encodeQR from 'qr';
import type * as api from '../../client/schemas.ts';

/** The kind of the cells in a column: levels in dB, shares from 0 to 1, numbers as they are, times as ISO 8601 with their offset from UTC, dates as `2026-10-25`. */
type ColumnKind = 'text' | 'time' | 'date' | 'level' | 'share' | 'number';

/** Null: there is no such value. */
export type ReportCell = string | number | null;

export interface ReportColumn {
  readonly title: string;
  readonly kind: ColumnKind;
}

/** The colour beside a row or below a day. */
export type VerdictMark = 'good' | 'warn' | 'bad' | 'unknown';

/** Every row has as many cells as there are columns. */
export interface ReportTable {
  readonly block: 'table';
  /** For people who cannot see it. */
  readonly name: string;
  readonly columns: readonly ReportColumn[];
  readonly rows: readonly (readonly ReportCell[])[];
  /** One for each row; absent: no row has one. */
  readonly marks?: readonly (VerdictMark | null)[];
}

/** A paragraph. Lines stay lines. */
export interface ReportText {
  readonly block: 'text';
  readonly text: string;
  /** Absent: as all others. `lead`: the sentence that says it all; `note`: small. */
  readonly look?: 'lead' | 'note';
}

export interface ReportSeries {
  readonly name: string;
  readonly look: 'light' | 'dark' | 'light dotted' | 'dark dotted';
  readonly points: readonly (readonly [at: number, level: number | null])[];
}

export interface ReportChart {
  readonly block: 'chart';
  readonly name: string;
  /** s since 1970 UTC. */
  readonly from: number;
  readonly to: number;
  /** Length of a row, s; a row of a day may be longer or shorter where the clocks change. */
  readonly stepS: number;
  readonly series: readonly ReportSeries[];
  /** Where local days begin, s since 1970 UTC, with the day as `2026-10-25`; of a short span also hours, such as `06:00`. */
  readonly days: readonly (readonly [at: number, day: string])[];
  readonly gaps: readonly (readonly [from: number, to: number])[];
  readonly nights: readonly (readonly [from: number, to: number])[];
  readonly excluded: readonly (readonly [from: number, to: number])[];
  readonly limit: number | null;
  readonly limits: readonly (readonly [from: number, to: number, db: number])[];
}

export interface ReportStrip {
  readonly block: 'strip';
  readonly name: string;
  /** `2026-10-25` */
  readonly days: readonly string[];
  readonly rows: readonly {
    readonly name: string;
    readonly cells: readonly {
      readonly text: string;
      readonly level: number | null;
      /** `plain`: a text that is no level. */
      readonly look: 'level' | 'excluded' | 'none' | 'plain';
      readonly mark: VerdictMark | null;
    }[];
  }[];
}

export type ReportBlock = ReportText | ReportTable | ReportChart | ReportStrip;

/** Columns of one kind, next to each other. */
export const headings = (kind: ColumnKind, ...titles: readonly string[]): readonly ReportColumn[] =>
  titles.map((title) => ({ title, kind }));

export const tableOf = (
  name: string,
  columns: readonly ReportColumn[],
  rows: readonly (readonly ReportCell[])[],
): ReportTable => ({ block: 'table', name, columns, rows });

export const paragraph = (text: string): ReportText => ({ block: 'text', text });

export const SECTION_NAMES = Object.freeze([
  'overview',
  'summary',
  'meter',
  'levels',
  'limits',
  'days',
  'charts',
  'exceedances',
  'events',
  'exclusions',
  'calibration',
  'weather',
  'left_out',
  'method',
] as const);
export type SectionName = (typeof SECTION_NAMES)[number];

// As the API shows them, with exact blocks.

export interface ReportSection extends Omit<api.ReportSection, 'blocks'> {
  readonly blocks: readonly ReportBlock[];
}

export interface ReportedUnit extends Omit<api.ReportedUnit, 'sections'> {
  readonly sections: readonly ReportSection[];
}

/** The same levels, notes, events and wishes give the same report. */
export interface ReportDocument extends Omit<api.ReportDocument, 'overview' | 'units'> {
  readonly overview: ReportSection | null;
  readonly units: readonly ReportedUnit[];
}

/** The units in the order in which people read: the methods and hashes of all of them are last. */
export function readingOrder(units: readonly ReportedUnit[]): readonly Pick<ReportedUnit, 'title' | 'sections'>[] {
  const isMethod = ({ section }: ReportSection) => section === 'method';
  if (units.length < 2) return units;
  const parts = units.map(({ title, sections }) => ({ title, sections: sections.filter((one) => !isMethod(one)) }));
  return [...parts, ...units.map(({ title, sections }) => ({ title, sections: sections.filter(isMethod) }))].filter(
    ({ sections }) => sections.length > 0,
  );
}

/** White modules around a QR code (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/** A QR code as the path of its dark modules; `side`: its modules with the white ones around it. */
export function codeShape(address: string): { readonly path: string; readonly side: number } {
  const rows = encodeQR(address, 'raw', { ecc: 'medium', border: QUIET_ZONE });
  const runs = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) => {
      if (!isDark || row[x - 1]) return [];
      const length = row.slice(x).findIndex((other) => !other);
      return `M${x} ${y}h${length}v1h-${length}z`;
    }),
  );
  return { path: runs.join(''), side: rows.length };
}

const TICK_STEPS = [1, 2, 5, 10, 20, 50] as const;
const MOST_TICKS = 7;
const MOST_DAYS = 8;
const LEAST_GAP = 0.0004;

export type ChartPlace = readonly [x: number, y: number];

/** `dayText`: a day such as `2026-10-25` as its label. Axes from full steps of dB below the lowest level to above the highest one. */
export function chartShape(
  { from, to, stepS, series, days, gaps, nights, excluded, limit, limits }: ReportChart,
  dayText: (day: string) => string,
) {
  const allLimits = [...(limit === null ? [] : [[from, to, limit] as const]), ...limits];
  const given = allLimits.map(([, , db]) => db);
  let [low, high] = [Math.min(...given), Math.max(...given)];
  for (const { points } of series)
    for (const [, level] of points) if (level !== null) [low, high] = [Math.min(low, level), Math.max(high, level)];
  const range = Math.max(1, high - low);
  const step = TICK_STEPS.find((each) => range / each <= MOST_TICKS - 2) ?? 50;
  const [bottom, top] = [Math.floor(low / step) * step, Math.ceil((high + 0.01) / step) * step];
  const x = (at: number) => Math.min(1, Math.max(0, (at - from) / (to - from)));
  const y = (level: number) => (top - level) / (top - bottom);
  const ticks = Array.from({ length: Math.round((top - bottom) / step) + 1 }, (_, n) => bottom + n * step);
  const every = Math.ceil(days.length / MOST_DAYS);
  return {
    // Each in pieces: a gap ends a piece.
    lines: series.map(({ name, look, points }) => ({ name, look, pieces: piecesOf(points, stepS, x, y) })),
    // Behind the lines, the first below the next. Also a short one is seen.
    shades: ([...shadesOf('night', nights), ...shadesOf('excluded', excluded), ...shadesOf('gap', gaps)] as const).map(
      ({ look, begin, end }) => ({ look, x: x(begin), width: Math.max(LEAST_GAP, x(end) - x(begin)) }),
    ),
    limits: allLimits.map(([begin, end, db]) => ({
      x: x(begin),
      width: x(end) - x(begin),
      y: y(db),
      label: String(db),
    })),
    levels: ticks.map((level) => ({ y: y(level), label: String(level) })),
    // A label is empty where there is no room for one.
    days: days.map(([at, day], index) => ({ x: x(at), label: index % every === 0 ? dayText(day) : '' })),
  };
}

const shadesOf = <Look extends string>(look: Look, times: ReportChart['gaps']) =>
  times.map(([begin, end]) => ({ look, begin, end }));

/** Levels from quiet to loud, as colours from pale to dark. dB */
const [QUIET, LOUD] = [35, 80];
const [PALE, DARK] = [
  [232, 241, 250],
  [11, 61, 107],
] as const;

export function stripInk({ level, look }: ReportStrip['rows'][number]['cells'][number]): {
  readonly fill: string;
  readonly ink: string;
} {
  if (look === 'excluded') return { fill: '#d0d3d6', ink: '#1b1f24' };
  if (look !== 'level' || level === null) return { fill: '#ffffff', ink: '#1b1f24' };
  const share = Math.min(1, Math.max(0, (level - QUIET) / (LOUD - QUIET)));
  const parts = PALE.map((pale, n) => Math.round(pale + ((DARK[n] ?? 0) - pale) * share));
  const fill = `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
  return { fill, ink: share > 0.6 ? '#ffffff' : '#1b1f24' };
}

export const MARK_INKS: Readonly<Record<VerdictMark, string>> = Object.freeze({
  good: '#2f7d4c',
  warn: '#d98e1f',
  bad: '#b3261e',
  unknown: '#8a949a',
});

function piecesOf(
  points: ReportChart['series'][number]['points'],
  stepS: number,
  x: (at: number) => number,
  y: (level: number) => number,
): ChartPlace[][] {
  const pieces: ChartPlace[][] = [];
  let piece: ChartPlace[] | undefined;
  for (const [index, [at, level]] of points.entries()) {
    if (level === null) {
      piece = undefined;
      continue;
    }
    if (!piece) {
      piece = [];
      pieces.push(piece);
    }
    const end = points[index + 1]?.[0] ?? at + stepS;
    piece.push([x(at), y(level)], [x(end), y(level)]);
  }
  return pieces;
}
