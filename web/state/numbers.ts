/** Numbers, times and ages as people of the page's locale write them, and the names of levels. */
import { localTime, quantities } from '../../client/index.ts';
import { LOCALES } from '../words/language.ts';
import { say } from '../words/say.ts';

/** A number that is rounded to zero has no sign. */
const signDisplay = 'negative';
const ONE = new Intl.NumberFormat(LOCALES, { minimumFractionDigits: 1, maximumFractionDigits: 1, signDisplay });
const SHORT = new Intl.NumberFormat(LOCALES, { maximumFractionDigits: 1, signDisplay });
const WHOLE = new Intl.NumberFormat(LOCALES, { maximumFractionDigits: 0, signDisplay });

export const tenths = (value: number): string => ONE.format(value);
/** The same for levels, a dash for none. */
export const decibels = (level: number | null | undefined): string =>
  level === null || level === undefined ? '–' : ONE.format(level);
export const whole = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : WHOLE.format(value);
/** The form of CSV that spreadsheets on this computer read, whatever the language of the page: where the comma is decimal, `54.3` may become a date. */
export const csvFormat = (0.5).toLocaleString([...navigator.languages]).includes(',') ? 'csv-de' : 'csv';
/** Never rounded up: only what is whole is 100 %. */
export const percent = (share: number): string => `${SHORT.format(Math.floor(share * 1_000 + 1e-6) / 10)} %`;

/** The author of a change: the gateway calls its users `anybody` while nobody needs a key. */
export const personName = (name: string): string => (name === 'anybody' ? say('local user') : name);

export const countOfMeters = (count: number): string => say('{count} meter|{count} meters', { count });
export const length = (metres: number): string =>
  metres < 1_000 ? `${whole(metres)} m` : `${whole(metres / 1_000)} km`;

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];
/** `512 B`, `1.2 kB`, `340 MB`: thousands, not 1,024. */
export function bytes(size: number): string {
  let value = size;
  let unit = 0;
  while (value >= 1_000 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? WHOLE.format(value) : ONE.format(value)} ${UNITS[unit]}`;
}

const SPANS: readonly (readonly [seconds: number, said: (number: string) => string])[] = [
  [86_400, (number) => say('{number} d', { number })],
  [3_600, (number) => say('{number} h', { number })],
  [60, (number) => say('{number} min', { number })],
];
const inSeconds = (number: string): string => say('{number} s', { number });

/** `4 s`, `3 min`, `4.5 h`, `5 d`. */
export function span(seconds: number): string {
  const [size, said] = SPANS.find(([size]) => seconds >= size * 2) ?? [1, inSeconds];
  const count = Math.max(0, seconds / size);
  return said(size >= 3_600 && count < 10 ? SHORT.format(count) : WHOLE.format(Math.floor(count)));
}

const zoned = (zone: string | null | undefined) => (zone ? { timeZone: zone } : {});

/** `14:05:07` in the zone, or in that of the browser. */
export const clockTime = (at: string | number, zone?: string | null): string =>
  new Date(at).toLocaleTimeString(LOCALES, { hour: '2-digit', minute: '2-digit', second: '2-digit', ...zoned(zone) });
/** As `clockTime`, without the seconds of a full minute: for ends of windows, `20:00`. */
export const timeOfDay = (at: string | number, zone?: string | null): string =>
  new Date(at).getTime() % 60_000 === 0
    ? new Date(at).toLocaleTimeString(LOCALES, { hour: '2-digit', minute: '2-digit', ...zoned(zone) })
    : clockTime(at, zone);
/** `Sat 21 Nov, 14:05` in the zone, or in that of the browser. */
export const dayAndTime = (at: string | number, zone?: string | null): string =>
  new Date(at).toLocaleString(LOCALES, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    ...zoned(zone),
  });
export const dayOf = (at: string | number, zone?: string | null): string =>
  new Date(at).toLocaleDateString(LOCALES, { day: 'numeric', month: 'short', ...zoned(zone) });

/** `21 Nov 2026` here: for ends that may be years away. */
export const dayWithYear = (at: string): string =>
  new Date(at).toLocaleDateString(LOCALES, { day: 'numeric', month: 'short', year: 'numeric' });

/** Whether the clocks of a place show another time than that of the browser. */
const isElsewhere = (zone: string | null | undefined, at: string | number = Date.now()): boolean =>
  localInput(at, zone) !== localInput(at);
/** As `dayAndTime`, with the zone where its clocks differ from that of the browser: for pages with meters of several places. */
export const dayAndTimeOf = (at: string | number, zone: string | null | undefined): string =>
  `${dayAndTime(at, zone)}${zoneWord(at, zone)}`;

function zoneWord(at: string | number, zone: string | null | undefined): string {
  if (!isElsewhere(zone, at)) return '';
  const format = new Intl.DateTimeFormat(LOCALES, { timeZoneName: 'short', ...zoned(zone) });
  return ` ${format.formatToParts(new Date(at)).find(({ type }) => type === 'timeZoneName')?.value}`;
}

/** `2026-11-21T14:05` in the zone: what an input of the type datetime-local takes. */
export const localInput = (at: string | number, zone?: string | null): string =>
  localTime(new Date(at).getTime(), zone).slice(0, 16);

/** The weightings that belong to the names of levels. */
export type Weightings = quantities.SymbolWeightings;

/** The name of a level, with its weightings if they are known. `LAeq`, `LAFmax`; without them `Leq`. */
export const nameOf = quantities.symbolOf;
/** Of a percentile that the meter shows in one of its places: `LAF5`. */
export const percentileOf = (percent: number, weightings: Weightings): string =>
  quantities.symbolOf('ln1', weightings, [percent]);

/** Tiles of the live page, beside the level of this moment. */
export const MEASURED = quantities.quantitiesIn('dashboard');
