/** The chart of levels over time: its lines, limits, nights, and time that is excluded or missing. */
import { indices as domain, tables, zones } from '../../lib/built-in.ts';
import type { HistoryRow } from '../../lib/index.ts';
import type { ReportChart, ReportSeries } from './document.ts';
import type { Gathered } from './gathered.ts';
import { namesOf, type ReportWords } from './words.ts';

/** Beginning of a row, s since 1970 UTC, with its levels. */
type ChartRow = readonly [at: number, leq: number | null, lmax: number | null];

const MINUTE_MS = 60_000;
const TICKS_MS = [1, 5, 15, 60, 180, 360, 720].map((minutes) => minutes * MINUTE_MS);
const MOST_TICKS = 8;
/** Nights of a longer time are thinner than a line. */
const MOST_NIGHTS = 100;

const at = (iso: string): number => zones.instantOf(iso) / 1_000;
const isSeen = (points: ReportSeries['points']) => points.some(([, level]) => level !== null);
const hasBounds = ({ own }: Gathered) => (own?.rows ?? []).some(({ bounds }) => bounds.lmax);
const hasReadings = ({ own }: Gathered) => (own?.rows ?? []).some(({ leq, lp }) => leq === null && lp !== null);

/** Undefined: there is nothing to draw. */
export function levelsChart(gathered: Gathered, words: ReportWords, title: string): ReportChart | undefined {
  const { leq, lmax } = namesOf(gathered);
  const drawing = drawn(gathered);
  return (
    drawing && { block: 'chart', name: words.say('{title}: {leq} and {lmax}, dB', { title, leq, lmax }), ...drawing }
  );
}

function drawn(gathered: Gathered): Omit<ReportChart, 'block' | 'name'> | undefined {
  const { levels, own, wish } = gathered;
  const { leq, lmax } = namesOf(gathered);
  const rows: readonly ChartRow[] = own
    ? own.rows.map((row) => [row.from, row.leq, row.lmax])
    : (levels?.rows ?? []).map((row) => [at(row[0]), row[1], row[2]]);
  const bounds = (own?.rows ?? []).map((row) => [row.from, row.bounds.lmax?.level ?? null] as const);
  const readings = (own?.rows ?? []).map((row) => [row.from, row.leq === null ? row.lp : null] as const);
  const lines: readonly ReportSeries[] = [
    { name: lmax, look: 'light', points: rows.map(([from, , level]) => [from, level]) },
    ...(isSeen(bounds) ? [{ name: lmax, look: 'light dotted', points: bounds } as const] : []),
    { name: leq, look: 'dark', points: rows.map(([from, level]) => [from, level]) },
    ...(isSeen(readings) ? [{ name: leq, look: 'dark dotted', points: readings } as const] : []),
  ];
  if (!lines.some(({ points }) => isSeen(points))) return undefined;
  const span = { from: zones.instantOf(wish.from), to: zones.instantOf(wish.to) };
  return {
    from: span.from / 1_000,
    to: span.to / 1_000,
    stepS: own ? tables.STEPS[own.step] : (levels?.step_s ?? 0),
    series: lines,
    days: ticksOf(wish.zone, span),
    gaps: (own?.rows ?? []).flatMap(gapOf),
    nights: nightsOf(gathered, span),
    excluded: excludedOf(gathered, span),
    limit: wish.limit?.db ?? null,
    limits: limitsOf(gathered),
  };
}

export function chartWords(gathered: Gathered, chart: ReportChart, words: ReportWords): string {
  const { own } = gathered;
  const { say } = words;
  const { leq, lmax } = namesOf(gathered);
  return [
    say('{leq} (dark) and {lmax} (light) of each {step}, dB. Where there is no line there is no data.', {
      leq,
      lmax,
      step: words.duration(chart.stepS),
    }),
    ...(own ? [say('Shaded: time without data, as wide as what is missing.')] : []),
    ...(hasBounds(gathered)
      ? [say('Light and dotted: what {lmax} is at the most, where it cannot be placed.', { lmax })]
      : []),
    ...(hasReadings(gathered) ? [say('Dark and dotted: means of single readings, where nothing was measured.')] : []),
    ...(chart.limit === null && chart.limits.length === 0 ? [] : [say('Dashed: the limit.')]),
    ...(chart.nights.length > 0 ? [say('Blue: night.')] : []),
    ...(chart.excluded.length > 0 ? [say('Grey: excluded time.')] : []),
  ].join(' ');
}

/** As wide as the missing time of the row. */
function gapOf({ from, to, measured }: HistoryRow): readonly (readonly [from: number, to: number])[] {
  const missing = 1 - domain.coverageOf(measured, to - from);
  return missing < 0.001 ? [] : [[from, from + (to - from) * missing]];
}

type Times = readonly (readonly [from: number, to: number])[];

function nightsOf({ wish }: Gathered, span: zones.Span): Times {
  const { periods } = domain.PRESETS[wish.periods as keyof typeof domain.PRESETS] ?? { periods: [] };
  const night = periods.find(({ name }) => name === 'night');
  const around = { from: span.from - 36 * 60 * MINUTE_MS, to: span.to };
  const days = zones.calendarSpans(wish.zone, around, 'day');
  if (!night || days.length > MOST_NIGHTS) return [];
  const moment = zones.momentsAround(wish.zone, { from: days[0]?.from ?? 0, to: days.at(-1)?.to ?? 0 });
  const length = (night.to - night.from + 1_440) % 1_440;
  return days.flatMap(({ name }) => {
    const begin = Date.parse(name) + night.from * MINUTE_MS;
    return within(span, moment(begin), moment(begin + length * MINUTE_MS));
  });
}

const excludedOf = ({ exclusions, wish }: Gathered, span: zones.Span): Times =>
  wish.exclusions === 'ignore'
    ? []
    : (exclusions?.items ?? []).flatMap(({ from, to }) =>
        within(span, zones.instantOf(from), to === null ? span.to : zones.instantOf(to)),
      );

const within = (span: zones.Span, from: number, to: number): Times =>
  from < span.to && to > span.from ? [[Math.max(from, span.from) / 1_000, Math.min(to, span.to) / 1_000]] : [];

/** Of permits, where the limit is a level over a time; two that are the same are one line. */
function limitsOf({ verdicts = [] }: Gathered): ReportChart['limits'] {
  const found = new Map<string, readonly [from: number, to: number, db: number]>();
  for (const { days } of verdicts)
    for (const { parts } of days)
      for (const { applies_from: from, applies_to: to, limit_db: db } of parts)
        if (from !== null && to !== null && db !== null) found.set(`${from} ${to} ${db}`, [at(from), at(to), db]);
  return [...found.values()];
}

/** Local days, or full hours of a short span: s since 1970 UTC. */
function ticksOf(zone: string, span: zones.Span): readonly (readonly [at: number, label: string])[] {
  const days = zones.calendarSpans(zone, span, 'day');
  const every = TICKS_MS.find((step) => (span.to - span.from) / step <= MOST_TICKS);
  const all = days.flatMap(({ name, from, to }): (readonly [at: number, label: string])[] => {
    const count = every === undefined ? 1 : Math.ceil((to - from) / every);
    return Array.from({ length: count }, (_, n) => {
      const moment = from + n * (every ?? 0);
      return [moment / 1_000, n === 0 ? name : zones.localIso(zone, moment).slice(11, 16)] as const;
    });
  });
  return all.filter(([moment]) => moment * 1_000 >= span.from && moment * 1_000 < span.to);
}
