/**
 * Worked checks of the formulas and of every preset: the value on paper, computed here without the gateway, and the value of
 * the gateway. The page docs/assessment.md has them as a table. The day is that of `HOURS`: six hours of 40 dB, then 50, 6 x
 * 60, 2 x 58, 4 x 62, 55, 52, 52, 45, 42.
 */
import { EventFinder, ratingLevel, specificLevel, taktLevel } from '../../plugins/assessment/model/index.ts';
import { levelOfEvents } from '../../plugins/assessment/model/rating.ts';
import { type AskedDay, assess, type Place, placeIn, presetOf } from './profile.ts';

/** One row of the table. Levels in dB. */
export interface WorkedCheck {
  /** Name of a preset; empty: a formula. */
  readonly preset: string;
  readonly check: string;
  readonly worked: number;
  readonly got: number | null;
}

const HOUR_S = 3_600;
const WEDNESDAY = '2026-06-17';
const SATURDAY = '2026-06-20';

type Part = readonly [hours: number, level: number];

/** 10 lg of the sum of t times 10^(L/10), over the sum of t or over `hours`. */
function meanOf(parts: readonly Part[], hours = parts.reduce((sum, [length]) => sum + length, 0)): number {
  return 10 * Math.log10(parts.reduce((sum, [length, level]) => sum + length * 10 ** (level / 10), 0) / hours);
}

const plus = (added: number, ...parts: readonly Part[]): readonly Part[] =>
  parts.map(([hours, level]): Part => [hours, level + added]);

const h = (hours: number, level: number): Part => [hours, level];

/** From 07 to 19 of the day, and so on. */
const DAY: readonly Part[] = [h(6, 60), h(2, 58), h(4, 62)];
const EVENING: readonly Part[] = [h(1, 55), h(2, 52), h(1, 45)];
const NIGHT: readonly Part[] = [h(1, 42), h(6, 40), h(1, 50)];
/** From 06 to 22, and the hours from 22 to 06. */
const LONG_DAY: readonly Part[] = [h(1, 50), ...DAY, h(1, 55), h(2, 52)];
const SHORT_NIGHT: readonly Part[] = [h(1, 45), h(1, 42), h(6, 40)];

const of = (preset: string, figure: string, asked: Partial<AskedDay> = {}, place: Partial<Place> = {}) =>
  assess(presetOf(preset), placeIn('Europe/Berlin', place), { date: WEDNESDAY, ...asked }).of(figure).value;

/** Exposure of the first event of these seconds, as the preset finds events over a background of 50 dB. */
function exposureOf(levels: readonly number[]): number | null {
  const { over_background: over = 0, min_s = 1, hold_s = 1 } = presetOf('iso20906').events ?? {};
  const finder = new EventFinder({ minS: min_s, holdS: hold_s, threshold: () => 50 + (over ?? 0) });
  const found = levels.flatMap((leq, at) => finder.add({ at, leq, lmax: leq, seconds: 1 }) ?? []);
  return (found[0] ?? finder.end())?.lae ?? null;
}

const flat = (day: number, evening: number, night: number): Partial<Place> => ({
  level: (hour) => (hour < 7 || hour > 22 ? night : hour > 18 ? evening : day),
});

const FORMULAS: readonly Omit<WorkedCheck, 'preset'>[] = [
  {
    check: 'rating level: 2 h of 60 dB and 6 h of 50 dB in 8 h',
    worked: meanOf([h(2, 60), h(6, 50)]),
    got: ratingLevel([
      { level: 60, seconds: 2 * HOUR_S },
      { level: 50, seconds: 6 * HOUR_S },
    ]),
  },
  {
    check: 'rating level: 1 h of 60 dB in 16 h, else silence',
    worked: meanOf([h(1, 60)], 16),
    got: ratingLevel([{ level: 60, seconds: HOUR_S }], 16 * HOUR_S),
  },
  {
    check: 'residual: 65 dB in all, 60 dB without the source',
    worked: 10 * Math.log10(10 ** 6.5 - 10 ** 6),
    got: specificLevel(65, 60)?.level ?? null,
  },
  {
    check: 'events: ten of LAE 85 dB in 16 h',
    worked: 85 + 10 - 10 * Math.log10(16 * HOUR_S),
    got: levelOfEvents(85, 10, 16 * HOUR_S),
  },
  {
    check: 'LAFTeq of takts of 50, 50 and 80 dB',
    worked: meanOf([h(1, 50), h(1, 50), h(1, 80)]),
    got: taktLevel([50, 50, 80]),
  },
];

const EUROPE: readonly WorkedCheck[] = [
  {
    preset: 'eu-lden',
    check: 'Lden of 60, 55 and 50 dB by day, evening and night',
    worked: 60,
    got: of('eu-lden', 'lden', {}, flat(60, 55, 50)),
  },
  {
    preset: 'eu-lden',
    check: 'Lden of 60 dB all day',
    worked: meanOf([h(12, 60), h(4, 65), h(8, 70)]),
    got: of('eu-lden', 'lden', {}, flat(60, 60, 60)),
  },
  {
    preset: 'eu-lden',
    check: 'Lden of the day of hours',
    worked: meanOf([...DAY, ...plus(5, ...EVENING), ...plus(10, ...NIGHT)]),
    got: of('eu-lden', 'lden'),
  },
  {
    preset: 'eu-lden-es',
    check: 'Lden of the day of hours, 07/19/23',
    worked: meanOf([...DAY, ...plus(5, ...EVENING), ...plus(10, ...NIGHT)]),
    got: of('eu-lden-es', 'lden'),
  },
  {
    preset: 'eu-lden-it',
    check: 'the same, 06/20/22',
    worked: meanOf([h(1, 50), ...DAY, h(1, 55), ...plus(5, h(2, 52)), ...plus(10, ...SHORT_NIGHT)]),
    got: of('eu-lden-it', 'lden'),
  },
  {
    preset: 'eu-lden-se',
    check: 'the same, 06/18/22',
    worked: meanOf([
      ...[h(1, 50), h(6, 60), h(2, 58), h(3, 62)],
      ...plus(5, h(1, 62), h(1, 55), h(2, 52)),
      ...plus(10, ...SHORT_NIGHT),
    ]),
    got: of('eu-lden-se', 'lden'),
  },
  {
    preset: 'fr-voisinage',
    check: 'emergence of the day 07-22 over a residual of 54 dB',
    worked: meanOf([...DAY, h(1, 55), h(2, 52)]) - 54,
    got: of('fr-voisinage', 'day', { chosen: { day: { residual: 54 } } }),
  },
  {
    preset: 'es-rd1367',
    check: 'LKeq by day: K_I 6 (LAIeq - LAeq 15.5), K_f 6, K_t 3: at most 9',
    worked: meanOf(DAY) + 9,
    got: of('es-rd1367', 'day', { chosen: { day: { low_frequency: 6, tonal: 3 } } }, { impulse: 15.5 }),
  },
  {
    preset: 'it-dm16-3-98',
    check: 'LA by night with K_T, K_I and K_B of 3 dB each',
    worked: meanOf(SHORT_NIGHT) + 9,
    got: of('it-dm16-3-98', 'night', { chosen: { night: { tonal: 3, impulse: 3, low_frequency: 3 } } }),
  },
];

const BY_TAKTS: Partial<Place> = { takt: 4 };
const TONES = { day: { tonal: 3 }, night: { tonal: 3 } } as const;
const GERMANY: readonly WorkedCheck[] = [
  {
    preset: 'de-ta-laerm',
    check: 'Lr by day, WA, workday: K_T 3, K_I 4, K_R 6 from 06 to 07 and 20 to 22',
    worked: meanOf([...plus(13, h(1, 50), h(2, 52)), ...plus(7, ...DAY, h(1, 55))]),
    got: of('de-ta-laerm', 'day', { area: 'WA', chosen: TONES }, BY_TAKTS),
  },
  {
    preset: 'de-ta-laerm',
    check: 'Lr of the loudest full hour of the night: 45 dB, K_T 3, K_I 4',
    worked: 52,
    got: of('de-ta-laerm', 'night', { area: 'WA', chosen: TONES }, BY_TAKTS),
  },
  {
    preset: 'de-avv-baulaerm',
    check: 'Lr by day 07-20 with takts, machines for 6 h: 5 dB less',
    worked: meanOf([...DAY, h(1, 55)]) + 4 - 5,
    got: of('de-avv-baulaerm', 'day', { chosen: { day: { duration_s: 6 * HOUR_S } } }, BY_TAKTS),
  },
];

const OTHERS: readonly WorkedCheck[] = [
  {
    preset: 'uk-bs5228',
    check: 'LAeq of the rest of a Saturday, 13-23',
    worked: meanOf([h(2, 58), h(4, 62), ...EVENING]),
    got: of('uk-bs5228', 'evening', { date: SATURDAY }),
  },
  {
    preset: 'uk-bs4142',
    check: 'worst hour of 62 dB, residual 55, K 4 + 3, over a background of 50 dB',
    worked: 10 * Math.log10(10 ** 6.2 - 10 ** 5.5) + 7 - 50,
    got: of('uk-bs4142', 'day', { chosen: { day: { residual: 55, background: 50, tonal: 4, impulse: 3 } } }),
  },
  {
    preset: 'us-ldn',
    check: 'Ldn of the day of hours',
    worked: meanOf([...DAY, h(1, 55), h(2, 52), ...plus(10, h(1, 45), ...NIGHT)]),
    got: of('us-ldn', 'ldn'),
  },
  {
    preset: 'us-cnel',
    check: 'CNEL of the day of hours: three times the energy in the evening',
    worked: meanOf([...DAY, h(3, 55), h(6, 52), ...plus(10, h(1, 45), ...NIGHT)], 24),
    got: of('us-cnel', 'cnel'),
  },
  { preset: 'jp-kankyo', check: 'LAeq by day, 06-22', worked: meanOf(LONG_DAY), got: of('jp-kankyo', 'day') },
  {
    preset: 'jp-kankyo',
    check: 'L5 of the works: a quarter of the day is of 62 dB',
    worked: 62,
    got: of('jp-kankyo', 'works', { area: 'works' }),
  },
  {
    preset: 'sg-construction',
    check: 'LAeq,12h, 07-19',
    worked: meanOf(DAY),
    got: of('sg-construction', 'day'),
  },
  {
    preset: 'sg-construction',
    check: 'worst 5 minutes of the night: the hour of 50 dB',
    worked: 50,
    got: of('sg-construction', 'night_5min'),
  },
  {
    preset: 'hk-construction',
    check: 'worst half hour of the day: of the hours of 62 dB',
    worked: 62,
    got: of('hk-construction', 'day'),
  },
  {
    preset: 'iso20906',
    check: 'LAE of an event: 100 s of 70 dB over 50 dB',
    worked: 70 + 10 * Math.log10(100),
    got: exposureOf([...Array<number>(60).fill(50), ...Array<number>(100).fill(70), ...Array<number>(60).fill(50)]),
  },
];

/** All of them, the formulas first. */
export const WORKED_CHECKS: readonly WorkedCheck[] = [
  ...FORMULAS.map((check) => ({ preset: '', ...check })),
  ...EUROPE,
  ...GERMANY,
  ...OTHERS,
];
