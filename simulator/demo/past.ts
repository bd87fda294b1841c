/** Recordings of the loud times of the demo, and the weather of its station. The same seed gives the same weather. */
import { setTimeout as pause } from 'node:timers/promises';
import { recording } from '../card/index.ts';
import type { FleetMember } from '../fleet.ts';
import { between, seeded } from '../random.ts';
import type { TimeSpan } from './week.ts';

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
  readonly windy: TimeSpan;
  readonly signal: AbortSignal;
}

/** From `first` to `now`. Throws where the gateway takes none. */
export async function bringWeather(
  baseUrl: string,
  { first, now, seed, windy, signal }: WeatherOptions,
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

/** Sends an observation each ten minutes until `signal` aborts: the station must not fall silent. Does nothing where the gateway has no such station. */
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
function weatherLines(first: number, now: number, seed: number, windy?: TimeSpan): string[] {
  const random = seeded(seed);
  const lines: string[] = [];
  for (let at = Math.ceil(first / INTERVAL_S) * INTERVAL_S; at <= now; at += INTERVAL_S) {
    const isWindy = windy !== undefined && at > windy.from && at <= windy.to;
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
