/**
 * The cost of one broken meter for the others. 199 meters are asked at a steady rate. One more meter has each fault of the
 * simulator's catalogue in turn, and is asked for everything at once. Compared with windows without a fault in the same run.
 * Also measured: the time of a command to an idle meter until it is on the wire. Exits with 1 beyond a bound.
 * `node bench/isolation.ts [fault ...]`, about four minutes for all of them.
 */
import { WebSocket } from 'ws';
import { CATALOGUE } from '../simulator/faults/catalogue.ts';
import { openSetting, pause, quantile, type Setting } from './setting/index.ts';

const OTHERS = 199;
/** Meters for the commands whose way to the wire is timed. */
const IDLE = 20;
const WINDOW_MS = 6_000;
const EVERY_MS = 2_000;
/** How often a window beyond a bound is repeated, each time with one without a fault. */
const TRIES = 4;
const BOUND = { rate: 0.99, p99Ms: 20, wireMs: 1 };

const kinds = process.argv.slice(2).length > 0 ? process.argv.slice(2) : Object.keys(CATALOGUE);
const unit = (number: number) => `sim-${number}`;
const victimOf = (index: number) => unit(OTHERS + IDLE + 1 + index);

interface Window {
  /** Part of the requests that were answered well. */
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
}

/** Asks each of the others every two seconds, evenly spread, and waits for all answers. */
async function ask(setting: Setting): Promise<Window> {
  const began = performance.now();
  const times: number[] = [];
  let sent = 0;
  const one = async (unitId: string, at: number) => {
    await pause(began + at - performance.now());
    sent += 1;
    const asked = performance.now();
    const answer = await fetch(`${setting.gateway.baseUrl}/${unitId}/measurement-state`);
    await answer.arrayBuffer();
    if (answer.ok) times.push(performance.now() - asked);
  };
  const requests = [];
  for (let round = 0; round < WINDOW_MS / EVERY_MS; round++) {
    for (let number = 1; number <= OTHERS; number++) {
      requests.push(one(unit(number), round * EVERY_MS + (number / OTHERS) * EVERY_MS));
    }
  }
  await Promise.all(requests);
  return { rate: times.length / sent, p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

/** From the call to the socket, ms, for meters that rest, one after the other until `signal` aborts. */
async function timeTheWire(setting: Setting, signal: AbortSignal): Promise<number[]> {
  const times: number[] = [];
  for (let turn = 0; !signal.aborted; turn++) {
    const unitId = unit(OTHERS + 1 + (turn % IDLE));
    const called = performance.now();
    await setting.host.meter(unitId).perform('measuring', { signal: new AbortController().signal });
    times.push(setting.sentAt(unitId) - called);
    await pause(Math.max(0, EVERY_MS / IDLE - (performance.now() - called)));
  }
  return times;
}

/** Everything at once, for as long as the window lasts: operators, background readings, a viewer, the card. */
function torment(setting: Setting, unitId: string): () => void {
  const ending = new AbortController();
  const base = setting.gateway.baseUrl;
  const viewer = new WebSocket(`${base.replace('http', 'ws')}/${unitId}/live`);
  viewer.on('error', () => {});
  const again = async (path: string, method: string) => {
    while (!ending.signal.aborted) {
      await fetch(`${base}/${unitId}/${path}?timeout_s=5`, { method, signal: ending.signal })
        .then((answer) => answer.arrayBuffer())
        .catch(() => {});
      await pause(100);
    }
  };
  for (const [path, method] of [
    ['live', 'GET'],
    ['battery', 'GET'],
    ['start', 'POST'],
    ['ftp/files', 'GET'],
  ] as const) {
    again(path, method);
  }
  return () => {
    ending.abort();
    viewer.terminate();
  };
}

async function underFault(setting: Setting, kind: string, victim: string): Promise<Window> {
  const well = await setting.fault(victim, kind);
  const leave = torment(setting, victim);
  const window = await ask(setting);
  leave();
  await well();
  return window;
}

const ms = (value: number) => value.toFixed(1).padStart(8);
const show = (name: string, { rate, p50, p99 }: Window, bad = false) =>
  console.log(`${name.padEnd(24)}${(rate * 100).toFixed(1).padStart(8)} %${ms(p50)}${ms(p99)}${bad ? '  BEYOND' : ''}`);

const setting = await openSetting({
  meters: OTHERS + IDLE + kinds.length,
  config: (unitId) => ({ pollEnabled: kinds.some((_, index) => victimOf(index) === unitId), pollIntervalSeconds: 1 }),
});
const timing = new AbortController();
try {
  await ask(setting);
  const wire = timeTheWire(setting, timing.signal);
  console.log(`${'1 of 200 meters has'.padEnd(24)}   well answered    p50     p99 ms`);
  const calm = [await ask(setting), await ask(setting), await ask(setting)];
  for (const window of calm) show('no fault', window);
  const usual = quantile(
    calm.map(({ p99 }) => p99),
    0.5,
  );
  const isBad = ({ rate, p99 }: Window, calm = usual) => rate < BOUND.rate || p99 > calm + BOUND.p99Ms;
  for (const [index, kind] of kinds.entries()) {
    let window = await underFault(setting, kind, victimOf(index));
    let bad = isBad(window);
    // A fault has its effect each time; another program on this computer does not.
    for (let more = 1; more < TRIES && bad; more++) {
      const beside = await ask(setting);
      window = await underFault(setting, kind, victimOf(index));
      bad = isBad(window, Math.max(usual, beside.p99));
    }
    if (bad) process.exitCode = 1;
    show(kind, window, bad);
  }
  timing.abort();
  const times = await wire;
  const [middle, most, late] = [0.5, 0.95, 0.99].map((part) => quantile(times, part));
  if (Number(most) > BOUND.wireMs) process.exitCode = 1;
  console.log(
    `a command to an idle meter: to the wire in ${middle?.toFixed(2)} ms (p50), ${most?.toFixed(2)} ms (p95), ${late?.toFixed(2)} ms (p99) of ${times.length}`,
  );
} finally {
  timing.abort();
  await setting.close();
}
process.exit();
