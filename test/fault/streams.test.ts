/**
 * Each fault that can meet a running stream: what its viewers were shown and told, when the operator's stop reached the
 * meter, how often the line was opened, and how long it took until frames flowed again.
 */
import t, { type Test } from 'tap';
import { startMeasurement, stopMeasurement } from '../../lib/drivers/nl43/commands.ts';
import type { FeedStatus } from '../../lib/meter/contract.ts';
import { CATALOGUE } from '../../simulator/faults/catalogue.ts';
import { Viewer } from '../meter/support/viewer.ts';
import { openScene, STEP_MS } from './support/scene.ts';

const SUB = '\x1a';
const FAULT_MS = 10_000;

interface Row {
  readonly kind: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Statuses for viewers while the fault is there, oldest first. */
  readonly told: readonly FeedStatus[];
  /** Least frames in the ten seconds before the stop, of a hundred. */
  readonly frames: number;
  /** Outcome of the stop. Default: done. */
  readonly stop?: string;
  /** ms from the operator to the meter; undefined: it is not sent, because the line could not be had or proved. */
  readonly stopMs?: number;
  readonly connects: number;
  /** ms from the end of the fault to the next frame, at most. */
  readonly recovery: number;
}

const unharmed = { told: ['interrupted', 'ok'], frames: 85, stopMs: 1_100, connects: 0, recovery: 500 } as const;
/** A stream is tried again after 1, 2, 4 ... s, less a quarter here; an operator or a new viewer would shorten that. */
const lost = { told: ['lost'], frames: 0, recovery: 16_000 } as const;

const garbled = {
  told: ['interrupted', 'interrupted'],
  frames: 0,
  stop: 'DEVICE_GARBLED',
  connects: 5,
  recovery: 10_000,
} as const;
const unanswered = {
  told: ['interrupted'],
  frames: 85,
  stop: 'DEVICE_TIMEOUT',
  connects: 5,
  recovery: 12_000,
} as const;
/** Nobody can connect. */
const away = { ...lost, told: ['lost', 'lost'], stop: 'DEVICE_UNREACHABLE', connects: 0 } as const;

const ROWS: readonly Row[] = [
  { kind: 'latency', ...unharmed, stopMs: 1_600 },
  { kind: 'wake-up', ...unharmed },
  { kind: 'joined', ...unharmed },
  { kind: 'split', ...unharmed, frames: 40, stopMs: 5_200, connects: 1, recovery: 3_000 },
  { kind: 'one-byte', ...unharmed, frames: 40, stopMs: 5_200, connects: 1, recovery: 3_000 },
  { kind: 'frozen', ...unharmed },
  { kind: 'frames-lost', ...unharmed },
  { kind: 'data-after-sub', ...unharmed, stopMs: 1_200 },
  { kind: 'prompt-doubled', ...unharmed },
  { kind: 'prompt-missing', ...unharmed, stopMs: 3_700, connects: 1 },
  { kind: 'off-by-one', ...unharmed, stopMs: 3_700, connects: 1, recovery: 3_000 },
  { kind: 'nat-forgets', ...unharmed },
  { kind: 'late-slot', ...unharmed },
  { kind: 'half-open', ...unharmed },
  { kind: 'unserved', ...unharmed },
  { kind: 'reset-on-connect', ...unharmed },
  { kind: 'unsolicited', ...unharmed, stopMs: 1_600, connects: 4, recovery: 3_000 },
  { kind: 'stall', told: Array(3).fill('interrupted'), frames: 9, stopMs: 3_700, connects: 1, recovery: 15_000 },
  { kind: 'garbled', settings: { share: 0.5 }, ...garbled, stopMs: 1_100 },
  { kind: 'endless-data', ...garbled },
  { kind: 'late-reply', ...unanswered },
  { kind: 'no-reply', ...unanswered },
  { kind: 'half-line', ...garbled, stop: 'DEVICE_TIMEOUT', connects: 2 },
  {
    kind: 'refusing',
    told: ['interrupted', 'lost'],
    frames: 85,
    stop: 'DEVICE_WRONG_STATE',
    stopMs: 1_100,
    connects: 0,
    recovery: 60_000,
  },
  { kind: 'reset-mid-reply', ...lost, stop: 'OUTCOME_UNKNOWN', stopMs: 5_100, connects: 8 },
  { kind: 'half-close', ...lost, stopMs: 5_100, connects: 12 },
  { kind: 'refused', ...away },
  { kind: 'wedge', ...away },
  { kind: 'reboot', ...away, recovery: 60_000 },
  { kind: 'asleep', ...lost, told: ['interrupted', 'interrupted'], stop: 'DEVICE_TIMEOUT', connects: 0 },
];

t.jobs = 8;

t.test('no fault of the catalogue that touches the control port is left out', async (t) => {
  const kinds = Object.keys(CATALOGUE).filter((kind) => !kind.startsWith('ftp-'));
  t.same(new Set(ROWS.map(({ kind }) => kind)), new Set(kinds));
});

for (const row of ROWS) {
  t.test(
    `a stream under ${row.kind}: loss is reported, the stop is sent once, frames come again by themselves`,
    { buffered: true },
    (t) => watch(t, row),
  );
}

async function watch(t: Test, row: Row): Promise<void> {
  const scene = await openScene(t);
  const { device, clock, meter } = scene;
  await scene.until(scene.ask(startMeasurement()));
  const viewer = new Viewer();
  t.teardown(meter.feed.watch(viewer));
  await scene.pass(5_000);
  device.log.clear();
  const shown = viewer.counters.length;
  device.faults.on(row.kind, row.settings);
  await scene.pass(FAULT_MS);
  const frames = viewer.counters.length - shown;
  t.ok(frames >= row.frames && frames <= 101, `${frames} frames`);
  const asked = clock.elapsed();
  const stop = await scene.until(scene.ask(stopMeasurement()));
  t.equal(stop.code, row.stop, stop.text ?? 'done');
  t.ok(stop.ms <= stop.deadlineMs, `answered after ${stop.ms} ms`);
  const reached = device.log.events.filter((event) => event.kind === 'command' && event.text === 'Measure,Stop');
  t.equal(reached.length, row.stopMs === undefined ? 0 : 1, 'sent once, or not at all');
  if (row.stopMs)
    t.ok((reached[0]?.at ?? 0) - asked <= row.stopMs, `reached it after ${(reached[0]?.at ?? 0) - asked} ms`);
  await scene.pass(FAULT_MS);
  t.same(viewer.statuses, row.told);
  t.ok(device.log.connects <= row.connects, `${device.log.connects} connects`);
  device.faults.clear();
  const since = clock.elapsed();
  for (const before = viewer.counters.length; viewer.counters.length === before && clock.elapsed() - since < 90_000; ) {
    await scene.pass(100);
  }
  t.ok(clock.elapsed() - since <= row.recovery, `frames again after ${clock.elapsed() - since} ms`);
  await scene.pass(3_000);
  t.equal(viewer.statuses.at(-1), 'ok');
  t.equal(viewer.ended, undefined);
  t.same(scene.states.at(-1), 'online');
  // An end of a connection travels for up to a step of the clock. The rest of the meter begins when the end arrives.
  t.same(device.log.spacingViolations(1_000 - STEP_MS), []);
  t.equal(device.log.commands.filter((text) => text === SUB).length <= 3, true, 'SUB is no command to repeat');
}
