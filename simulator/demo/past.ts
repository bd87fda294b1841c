/**
 * A week of sound that never was, for the demo: quiet nights, working days, a weekend, two times that are too loud, a windy day, and
 * a gap as of a link that was down. The same seed gives the same week. Knows no gateway: it makes the rows that a history takes.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { recording } from '../card/index.ts';
import type { FleetMember } from '../fleet.ts';
import { between, type Random, seeded } from '../random.ts';

/** One second of a series, as `lib/history` takes it. */
export interface PastSecond {
  /** Full second since 1970 UTC. */
  readonly at: number;
  readonly steps: number;
  readonly leq: number;
  readonly lmax: number;
  readonly lmin: number;
  readonly lpeak: number;
  readonly lp: readonly number[];
}

const HOUR_S = 3_600;
const DAY_S = 86_400;
/** Background of each local hour, dB. */
const QUIET = [36, 35, 34, 34, 35, 38, 42, 46, 48, 48, 48, 48, 47, 48, 48, 48, 48, 47, 46, 45, 44, 42, 40, 38];
/** Of a building site, on working days. */
const WORK = { from: 7, to: 17, pauseAt: 12, db: 12 };
/** Counted back from now, s: the link was down. */
const GAP = { from: 2.3 * DAY_S, to: 2.1 * DAY_S };
/** It was too loud: from a local time of day on, for some seconds, on the last day and some days before it. */
const LOUD = { hour: 10, minute: 20, lasts: 2_400, db: 78, daysBefore: [0, 3] };
/** Days before today, from midnight to midnight: gusts over a louder background. */
const WIND = { daysAgo: 5, db: 54, gustDb: 9 };
const STEPS = 10;

/** The hour that begins at `from`, up to `now`; seconds of the gap are left out. Both in s since 1970 UTC. */
export function pastHour(from: number, now: number, seed: number): PastSecond[] {
  const random = seeded(seed + from / HOUR_S);
  const seconds: PastSecond[] = [];
  const begins = loudTimes(now);
  const windy = windyDay(now);
  let gust = 0;
  let drift = 0;
  let passing = 0;
  for (let at = from; at < Math.min(from + HOUR_S, now); at += 1) {
    drift = drift * 0.995 + (random() - 0.5) * 0.6;
    passing = random() < 0.004 ? 6 + random() * 10 : passing * 0.85;
    const ago = now - at;
    if (ago < GAP.from && ago >= GAP.to) continue;
    const isWindy = at >= windy.from && at < windy.to;
    const isLoud = begins.some((begin) => at >= begin && at < begin + LOUD.lasts);
    gust = isWindy && random() < 0.02 ? random() * WIND.gustDb : gust * 0.9;
    const quiet = isWindy ? Math.max(WIND.db, usual(at)) + gust : usual(at);
    seconds.push(second(at, (isLoud ? LOUD.db : quiet) + drift + passing, random));
  }
  return seconds;
}

/** The windy day of the past that ends at `now`, from midnight to midnight; all in s since 1970 UTC. */
const windyDay = (now: number): { readonly from: number; readonly to: number } => ({
  from: dayBefore(midnightOf(now), WIND.daysAgo),
  to: dayBefore(midnightOf(now), WIND.daysAgo - 1),
});

/** When it begins to be too loud in the past of one house that ends at `now`; both in s since 1970 UTC. */
export const loudTimes = (now: number): readonly number[] =>
  LOUD.daysBefore.map((days) => dayBefore(lastLoud(now), days));

/** When it was too loud last: today, or yesterday where that is not over by the last full hour. */
function lastLoud(now: number): number {
  const day = new Date(now * 1_000);
  const begin = () => day.setHours(LOUD.hour, LOUD.minute, 0, 0) / 1_000;
  if (begin() + LOUD.lasts > now - (now % HOUR_S)) day.setDate(day.getDate() - 1);
  return begin();
}

/** The same time of the clock, whole days earlier. */
function dayBefore(at: number, days: number): number {
  const day = new Date(at * 1_000);
  return day.setDate(day.getDate() - days) / 1_000;
}

const midnightOf = (at: number): number => new Date(at * 1_000).setHours(0, 0, 0, 0) / 1_000;

/** The level that belongs to the hour, in the zone of this machine. */
function usual(at: number): number {
  const local = new Date(at * 1_000);
  const hour = local.getHours();
  const next = QUIET[(hour + 1) % 24] ?? 0;
  const quiet = (QUIET[hour] ?? 0) + ((next - (QUIET[hour] ?? 0)) * local.getMinutes()) / 60;
  const isWorkday = local.getDay() >= 1 && local.getDay() <= 5;
  const isWork = isWorkday && hour >= WORK.from && hour < WORK.to && hour !== WORK.pauseAt;
  return isWork ? quiet + WORK.db : quiet;
}

function second(at: number, level: number, random: Random): PastSecond {
  const lp = Array.from({ length: STEPS }, () => tenths(level + (random() - 0.5) * 2));
  const energy = lp.reduce((sum, each) => sum + 10 ** (each / 10), 0) / STEPS;
  const lmax = Math.max(...lp);
  return {
    at,
    steps: STEPS,
    leq: hundredths(10 * Math.log10(energy)),
    lmax,
    lmin: Math.min(...lp),
    lpeak: tenths(lmax + 14),
    lp,
  };
}

const tenths = (level: number): number => Math.round(level * 10) / 10;
const hundredths = (level: number): number => Math.round(level * 100) / 100;

// Recordings of sound for the demo: a person can listen to the loud times of its past.

/** `times`: when it began to be loud, s since 1970 UTC. The copies of the card come at once. */
export async function bringRecordings(
  baseUrl: string,
  { unitId, meter }: FleetMember,
  times: readonly number[],
  { seed, signal }: { readonly seed: number; readonly signal: AbortSignal },
): Promise<void> {
  const ahead = shownTime(meter) - Date.now();
  for (const at of times) {
    const about = {
      at: at * 1_000 + RECORDED.after + ahead,
      seconds: RECORDED.seconds,
      seed: seed + at,
      model: meter.read('Type'),
    };
    const { path, bytes, modifiedAt } = recording(about);
    meter.card.addFile(path, bytes, modifiedAt);
  }
  await fetch(`${baseUrl}/${unitId}/mirror`, { method: 'POST', signal });
}

/** ms after it begins to be loud: in the middle of it. */
const RECORDED = { after: 20 * 60_000, seconds: 20 };

/** The time on the clock of the meter, read as if it were UTC, ms since 1970. */
export const shownTime = (meter: FleetMember['meter']): number =>
  Date.parse(`${meter.read('Clock').replaceAll('/', '-').replace(' ', 'T')}Z`);

// A weather station for the demo: the windy day of its past was observed, and a shower. The same seed gives the same weather.

const INTERVAL_S = 600;
/** Of the rules that a unit has by itself: wind above 5 m/s is a reason to exclude levels. */
const [CALM, WINDY] = [
  [0.5, 4],
  [6, 11],
] as const;
/** Hours before the end of the past, and mm in ten minutes. */
const SHOWER = { fromH: 30, toH: 28.5, mm: [0.2, 1.4] } as const;
/** Lines of one request. */
const MOST_LINES = 1_000;

interface WeatherOptions {
  /** s since 1970 UTC, as `now`. */
  readonly first: number;
  readonly now: number;
  readonly seed: number;
  /** Default: the windy day of one house. */
  readonly windy?: { readonly from: number; readonly to: number };
  readonly signal: AbortSignal;
}

/** From `first` to `now`. Throws where the gateway takes none. */
export async function bringWeather(
  baseUrl: string,
  { first, now, seed, windy = windyDay(now), signal }: WeatherOptions,
): Promise<void> {
  const address = `${baseUrl}/_stations/weather`;
  const station = { title: 'Simulated: weather', place: 'Main Street 1, on the roof', interval_s: INTERVAL_S };
  await sent(address, 'PUT', JSON.stringify(station), 'application/json', signal);
  const lines = weatherLines(first, now, seed, windy);
  for (let from = 0; from < lines.length; from += MOST_LINES) {
    const some = lines.slice(from, from + MOST_LINES).join('\n');
    await sent(`${address}/observations`, 'POST', some, 'application/x-ndjson', signal);
  }
}

/** Sends what is observed while the demo runs, each ten minutes until `signal` aborts: the station must not fall silent. Nothing where the gateway has no such station. */
export async function goOnWithWeather(baseUrl: string, seed: number, signal: AbortSignal): Promise<void> {
  const address = `${baseUrl}/_stations/weather`;
  const { ok } = await fetch(address, { signal }).catch(() => ({ ok: false }));
  while (ok) {
    const end = (Math.floor(Date.now() / 1_000 / INTERVAL_S) + 1) * INTERVAL_S;
    await pause(end * 1_000 - Date.now(), undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return;
    const [line = ''] = weatherLines(end, end, seed + end);
    await sent(`${address}/observations`, 'POST', line, 'application/x-ndjson', signal).catch(() => {});
  }
}

/** One for each ten minutes. */
function weatherLines(first: number, now: number, seed: number, windy = windyDay(now)): string[] {
  const random = seeded(seed);
  const lines: string[] = [];
  for (let at = Math.ceil(first / INTERVAL_S) * INTERVAL_S; at <= now; at += INTERVAL_S) {
    const isWindy = at > windy.from && at <= windy.to;
    const speed = between(random, isWindy ? WINDY : CALM);
    const ago = (now - at) / 3_600;
    const isWet = ago < SHOWER.fromH && ago > SHOWER.toH;
    const values = {
      wind_speed: speed,
      wind_direction: (240 + 40 * random()) % 360,
      gust: speed * between(random, [1.3, 1.8]),
      rain: isWet ? between(random, SHOWER.mm) : 0,
      temperature: 9 + 5 * Math.sin(((at % 86_400) / 86_400 - 0.375) * 2 * Math.PI) + random(),
    };
    const rounded = Object.entries(values).map(([name, value]) => [name, Math.round(value * 10) / 10]);
    lines.push(JSON.stringify({ time: new Date(at * 1_000).toISOString(), ...Object.fromEntries(rounded) }));
  }
  return lines;
}

async function sent(url: string, method: string, body: string, type: string, signal: AbortSignal): Promise<void> {
  const answer = await fetch(url, { method, body, headers: { 'Content-Type': type }, signal });
  if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}: ${await answer.text()}`);
}
