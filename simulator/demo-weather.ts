/** A weather station for the demo: the windy day of its past was observed, and a shower. The same seed gives the same weather. */
import { setTimeout as pause } from 'node:timers/promises';
import { windyDay } from './past.ts';
import { between, seeded } from './random.ts';

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

/** From `first` to `now`, both s since 1970 UTC. Throws where the gateway takes none. */
export async function bringWeather(
  baseUrl: string,
  {
    first,
    now,
    seed,
    signal,
  }: { readonly first: number; readonly now: number; readonly seed: number; readonly signal: AbortSignal },
): Promise<void> {
  const address = `${baseUrl}/_stations/weather`;
  const station = { title: 'Simulated: weather', place: 'Main Street 1, on the roof', interval_s: INTERVAL_S };
  await sent(address, 'PUT', JSON.stringify(station), 'application/json', signal);
  const lines = weatherLines(first, now, seed);
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
function weatherLines(first: number, now: number, seed: number): string[] {
  const random = seeded(seed);
  const windy = windyDay(now);
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
