/** The periods of a day and their weights: of directive 2002/49/EC, 24 CFR 51 (Ldn), California (CNEL), or given by the caller. */
import { calendarSpans, momentsAround, type Span } from '../zone.ts';
import { energyOf } from './energy.ts';

/** As directive 2002/49/EC names them. */
export type PeriodName = 'day' | 'evening' | 'night';
export type IndexName = 'lden' | 'ldn' | 'cnel';

export interface Period {
  readonly name: PeriodName;
  /** Minutes after local midnight. `to` before `from`: over midnight. */
  readonly from: number;
  readonly to: number;
  /** How much more the energy of this period counts: 10^(penalty/10). */
  readonly weight: number;
}

export interface Preset {
  readonly index: IndexName;
  readonly periods: readonly Period[];
}

/** Minutes of a day without a clock change. */
const MINUTES_A_DAY = 1_440;

const hours = (name: PeriodName, from: number, to: number, weight: number): Period => ({
  name,
  from: from * 60,
  to: to * 60,
  weight,
});

const lden = (day: number, evening: number, night: number): Preset => ({
  index: 'lden',
  periods: [
    hours('day', day, evening, 1),
    hours('evening', evening, night, energyOf(5)),
    hours('night', night, day, energyOf(10)),
  ],
});

/** `eu` and its variants: directive 2002/49/EC; `ldn`: 24 CFR 51; `cnel`: California. */
export const PRESETS = Object.freeze({
  eu: lden(7, 19, 23),
  'eu-late': lden(7, 20, 23),
  it: lden(6, 20, 22),
  us: { index: 'ldn', periods: [hours('day', 7, 22, 1), hours('night', 22, 7, energyOf(10))] },
  /** The evening counts three times, which is 4.77 dB and not 5. */
  cnel: {
    index: 'cnel',
    periods: [hours('day', 7, 19, 1), hours('evening', 19, 22, 3), hours('night', 22, 7, energyOf(10))],
  },
} satisfies Readonly<Record<string, Preset>>);

/** The pieces of a period within the 24 hours, in minutes: two if it passes midnight. */
const minutesOfPeriod = ({ from, to }: Pick<Period, 'from' | 'to'>): readonly (readonly [number, number])[] =>
  from < to
    ? [[from, to]]
    : [
        [0, to],
        [from, MINUTES_A_DAY],
      ];

/** The first minute of the day that lies in no period or in several; null: they fill the day and do not overlap. */
export function misfit(periods: readonly Period[]): number | null {
  const pieces = periods.flatMap(minutesOfPeriod).toSorted(([a], [b]) => a - b);
  let reached = 0;
  for (const [from, to] of pieces) {
    if (from !== reached) return Math.min(from, reached);
    reached = to;
  }
  return reached === MINUTES_A_DAY ? null : reached;
}

/** Periods given by the caller: `07-19` or `07:30-19:00`; without an evening it belongs to the day. */
export interface OwnPeriods {
  readonly day?: string | undefined;
  readonly evening?: string | undefined;
  readonly night?: string | undefined;
  /** dB; 5 and 10 unless given. */
  readonly evening_penalty?: number | undefined;
  readonly night_penalty?: number | undefined;
}

/** The preset, or the fault and its parameter. */
export function ownPreset(own: OwnPeriods): Preset | { readonly at: PeriodName; readonly problem: string } {
  const weights = { day: 1, evening: energyOf(own.evening_penalty ?? 5), night: energyOf(own.night_penalty ?? 10) };
  const periods: Period[] = [];
  for (const name of ['day', 'evening', 'night'] as const) {
    const words = own[name];
    if (words === undefined && name === 'evening') continue;
    const read = words === undefined ? undefined : minutesOf(words);
    if (!read) return { at: name, problem: 'is needed, such as 07-19 or 07:30-19:00' };
    periods.push({ name, ...read, weight: weights[name] });
  }
  const gap = misfit(periods);
  if (gap === null) return { index: 'lden', periods };
  return { at: 'night', problem: `does not fit: ${clockText(gap)} lies in no period or in several` };
}

function minutesOf(words: string): { readonly from: number; readonly to: number } | undefined {
  const [, ...found] = /^(\d\d)(?::(\d\d))?-(\d\d)(?::(\d\d))?$/.exec(words) ?? [];
  const [fromHour, fromMinute = 0, toHour, toMinute = 0] = found.map((digits) =>
    digits === undefined ? undefined : Number(digits),
  );
  if (fromHour === undefined || toHour === undefined || fromMinute > 59 || toMinute > 59) return undefined;
  const from = fromHour * 60 + fromMinute;
  const to = toHour * 60 + toMinute;
  return from < MINUTES_A_DAY && to <= MINUTES_A_DAY ? { from, to } : undefined;
}

const clockText = (minutes: number): string =>
  [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');

const DAY_MS = 86_400_000;

export interface LocalDay extends Span {
  /** `YYYY-MM-DD` of the local calendar. */
  readonly date: string;
  readonly hours: number;
  /** Pieces of the periods, in order of time; together they are the day. */
  readonly pieces: readonly DayPiece[];
}

interface DayPiece extends Span {
  readonly period: PeriodName;
  /** The whole period of this piece: a night that midnight cuts continues in the day before or after. */
  readonly within: Span;
}

/**
 * Calendar days of a place with the real times of their periods: 23 or 25 hours at a clock change. A night over
 * midnight is part of two days: a day has the end of one night and the beginning of the next.
 *
 * Every local day that overlaps [from, to), as a whole day. Throws RangeError for an unknown zone.
 */
export function localDays(zone: string, span: Span, periods: readonly Period[] = []): LocalDay[] {
  const days = calendarSpans(zone, span, 'day');
  const moment = momentsAround(zone, { from: span.from - DAY_MS, to: span.to + DAY_MS });
  return days.map(({ name, local, from, to }) => {
    const at = (minutes: number) => moment(local + minutes * 60_000);
    const pieces = periods
      .flatMap((period) => minutesOfPeriod(period).map((piece) => pieceOf(period, piece, at)))
      .filter((piece) => piece.to > piece.from)
      .toSorted((a, b) => a.from - b.from);
    return { from, to, date: name, hours: (to - from) / 3_600_000, pieces };
  });
}

function pieceOf(
  { name, from, to }: Period,
  [begin, end]: readonly [number, number],
  at: (minutes: number) => number,
): DayPiece {
  const isCut = from >= to;
  const within = {
    from: at(isCut && begin === 0 ? from - MINUTES_A_DAY : begin),
    to: at(isCut && begin !== 0 ? to + MINUTES_A_DAY : end),
  };
  return { period: name, from: at(begin), to: at(end), within };
}
