/** The days of a calendar, by the clock of a place. */
import { firstMomentOf } from '../../client/index.ts';
import { now } from '../state/fleet.ts';
import { localInput } from '../state/numbers.ts';
import { LOCALES } from '../words/language.ts';
import { say } from '../words/say.ts';

/** The indices of a day, as the API names them. */
export type IndexName = 'lden' | 'ldn' | 'cnel';
/** The same as acousticians write them. */
export const INDEX_NAMES: Readonly<Record<IndexName, string>> = { lden: 'Lden', ldn: 'Ldn', cnel: 'CNEL' };

const DAY_MS = 86_400_000;
export const WEEKS = 5;

/** Noon of the Monday four weeks before that of today, ms. */
export function firstDay(zone: string | null): number {
  const noon = firstMomentOf(`${localInput(now.peek(), zone).slice(0, 10)}T12:00`, zone);
  const weekday = (new Date(`${localInput(noon, zone).slice(0, 10)}T12:00Z`).getUTCDay() + 6) % 7;
  return noon - (weekday + (WEEKS - 1) * 7) * DAY_MS;
}

/** The first moment of the day of this noon, ms. */
export const midnight = (noon: number, zone: string | null): number => firstMomentOf(dateOf(noon, zone), zone);

/** `2026-11-21` */
export const dateOf = (noon: number, zone: string | null): string => localInput(noon, zone).slice(0, 10);

/** `21 Nov` */
export const dateText = (noon: number, timeZone: string | null = 'UTC'): string =>
  new Date(noon).toLocaleDateString(LOCALES, {
    day: 'numeric',
    month: 'short',
    ...(timeZone && { timeZone }),
  });
/** The same of `2026-11-21`. */
export const textOfDate = (date: string): string => dateText(Date.parse(`${date}T12:00Z`));

/** The periods of the day that an index can have, as the API names them. */
export const presets = (): readonly (readonly [preset: string, index: 'lden' | 'ldn' | 'cnel', word: string])[] => [
  ['eu', 'lden', say('Lden, evening 19-23')],
  ['eu-late', 'lden', say('Lden, evening 20-23')],
  ['it', 'lden', say('Lden, Italy')],
  ['us', 'ldn', 'Ldn'],
  ['cnel', 'cnel', 'CNEL'],
];
