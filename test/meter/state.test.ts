import t from 'tap';
import { observe, unknownDeviceState } from '../../lib/meter/meter-state.ts';
import { Retry } from '../../lib/meter/reachability.ts';
import { METER_DEFAULTS } from '../../lib/meter/settings.ts';
import { VirtualClock } from '../../simulator/clock.ts';

t.test('a start that was sent counts from its time, and a stop clears it', async (t) => {
  const started = observe(unknownDeviceState(), { measuring: true, paused: false, began: true }, 1_000);
  t.match(started, { measuring: true, paused: false, startedAt: 1_000, startSource: 'sent' });
  t.match(observe(started, { measuring: false }, 9_000), { measuring: false, paused: false, startedAt: null });
});

t.test('a measurement that was begun at the meter counts from the first time it was seen', async (t) => {
  const seen = observe(unknownDeviceState(), { measuring: true }, 1_000);
  t.match(seen, { measuring: true, paused: null, startedAt: 1_000 });
  t.equal(observe(seen, { measuring: true }, 9_000).startedAt, 1_000);
});

t.test('a start known from before counts if the measurement still runs, and not if it does not', async (t) => {
  t.equal(
    observe(unknownDeviceState({ startedAt: 500, startSource: 'sent' }), { measuring: true }, 1_000).startedAt,
    500,
  );
  t.equal(
    observe(unknownDeviceState({ startedAt: 500, startSource: 'sent' }), { measuring: false }, 1_000).startedAt,
    null,
  );
});

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const NOW = 1_800_000_000_000;
const running = (startedAt: number, startSource: 'sent' | 'computed' | 'seen') => ({
  ...unknownDeviceState({ startedAt, startSource }),
  measuring: true,
});
/** As LE - Leq says it, rounded. */
const length = (seconds: number) => ({ measuredSeconds: { least: seconds * 0.977, most: seconds * 1.023 } });

t.test('a measurement found running: its length gives its start', async (t) => {
  const found = observe(unknownDeviceState(), { measuring: true }, NOW);
  t.match(found, { startedAt: NOW, startSource: 'seen' });
  const computed = observe(found, length(600), NOW + SECOND);
  t.match(computed, { startSource: 'computed' });
  t.ok(Math.abs((computed.startedAt ?? 0) - (NOW + SECOND - 600 * SECOND)) <= 15 * SECOND);
  const later = observe(computed, length(7_200), NOW + 6_600 * SECOND);
  t.equal(later.startedAt, computed.startedAt, 'the first reading is the most exact');
});

t.test(
  'a start that was sent stays while the length fits, but not after a new start at the meter by hand',
  async (t) => {
    const sent = running(NOW - HOUR, 'sent');
    t.match(observe(sent, length(3_590), NOW), { startedAt: NOW - HOUR, startSource: 'sent' });
    const anew = observe(sent, length(60), NOW);
    t.match(anew, { startSource: 'computed' });
    t.ok(Math.abs((anew.startedAt ?? 0) - (NOW - 60 * SECOND)) <= 2 * SECOND);
  },
);

t.test('the length says nothing in a pause, after one, or when nothing is measured', async (t) => {
  const sent = running(NOW - HOUR, 'sent');
  t.match(observe({ ...sent, paused: true }, length(60), NOW), { startSource: 'sent' });
  t.match(observe(sent, length(60), NOW, true), { startSource: 'sent' });
  t.match(observe({ ...unknownDeviceState(), measuring: false }, length(60), NOW), { startedAt: null });
  t.match(observe(sent, { measuring: false }, NOW), { startedAt: null, startSource: null });
});

t.test('an empty observation changes nothing', async (t) => {
  const before = {
    ...unknownDeviceState({ startedAt: 1, startSource: 'sent' }),
    measuring: true,
    paused: true,
    storeName: '0001',
    frequencyWeighting: 'A',
  };
  t.same(observe(before, {}, 9_000), before);
  t.same(observe(before, { sleepMode: true }, 9_000), before);
  t.same(observe(before, { paused: false }, 9_000), { ...before, paused: false });
});

/** The waits after failures in a row, ms. */
function waits(random: () => number, who: 'operator' | 'viewer' | 'background', refused = false, times = 8) {
  const clock = new VirtualClock();
  const retry = new Retry({ clock, settings: METER_DEFAULTS, random });
  return Array.from({ length: times }, async () => {
    retry.failed(refused);
    return retry.remainingMs(who);
  });
}

t.test('waits double up to their limit, spread over their upper half, and start again after a success', async (t) => {
  const doubled = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000];
  t.same(await Promise.all(waits(() => 1, 'background')), doubled);
  t.same(await Promise.all(waits(() => 1, 'viewer')), doubled);
  t.same(await Promise.all(waits(() => 1, 'operator')), [1_000, 2_000, 4_000, 5_000, 5_000, 5_000, 5_000, 5_000]);
  t.same(await Promise.all(waits(() => 0, 'background', false, 1)), [500]);
  const retry = new Retry({ clock: new VirtualClock(), settings: METER_DEFAULTS, random: () => 1 });
  retry.failed();
  retry.failed();
  retry.worked();
  t.equal(retry.remainingMs('background'), 0);
  retry.failed();
  t.equal(retry.remainingMs('background'), 1_000);
});

t.test('a port that refuses is tried every 2 s in its first minute, for callers and viewers', async (t) => {
  const twos = [1_000, 2_000, 2_000, 2_000, 2_000, 2_000, 2_000, 2_000];
  t.same(await Promise.all(waits(() => 1, 'operator', true)), twos);
  t.same(await Promise.all(waits(() => 1, 'viewer', true)), twos);
  t.equal((await Promise.all(waits(() => 1, 'background', true))).at(-1), 60_000);
  const clock = new VirtualClock();
  const retry = new Retry({ clock, settings: METER_DEFAULTS, random: () => 1 });
  for (let i = 0; i < 8; i++) retry.failed(true);
  await clock.advance(60_000);
  retry.failed(true);
  t.equal(retry.remainingMs('operator'), 5_000);
  t.equal(retry.remainingMs('viewer'), 60_000);
});
