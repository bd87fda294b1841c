/**
 * The same seed and the same commands at the same times give the same bytes: on the wire and on the card, whatever the
 * speed, and however often somebody asks. An hour of measuring takes no longer than the work of it.
 */
import t, { type Test } from 'tap';
import { type Clock, type MeterOptions, type SimulatedMeter, startMeter, VirtualClock } from '../../simulator/index.ts';
import { Client } from './rig.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const SUB = '\x1a';

/** Typed lines and their times, ms of the meter. The odd parts keep the device time off the edge of a second. */
type Script = readonly (readonly [at: number, text: string])[];

const line = (text: string) => `${text}\r\n`;
const settings = (lines: readonly string[], from: number): Script =>
  lines.map((text, index) => [from + index * 1_137, line(text)]);

const HOUR_OF_WORK: Script = [
  ...settings(
    [
      'Display Sub Channel 1,On',
      'Display Sub Channel 2,On',
      'Time Weighting (Main),S',
      'Percentile 1,1',
      'Lp Store Interval,100ms',
      'Leq Calculation Interval Preset,5m',
      'Store Name,0042',
      'Store Mode,Auto',
      'DOD?',
      'DLC?',
    ],
    411,
  ),
  [20_123, line('Measure,Start')],
  [22_456, line('Measure?')],
  [25_789, line('DRD?')],
  [2 * MINUTE, SUB],
  [125_111, line('DOD?')],
  // Two commands at once: the second does not wait for its turn.
  [130_222, line('Battery Level?') + line('Clock?')],
  [20 * MINUTE + 77, line('Pause,On')],
  [20 * MINUTE + 9_077, line('DOD?')],
  [21 * MINUTE + 77, line('Pause,Off')],
  [45 * MINUTE + 321, line('DOD?')],
  [60 * MINUTE + 20_654, line('Measure,Stop')],
  [60 * MINUTE + 25_321, line('DLC?')],
  [60 * MINUTE + 28_321, line('DRD?status')],
  [60 * MINUTE + 30_777, SUB],
];

interface Outcome {
  /** Every segment that left the meter, with its time in whole microseconds. */
  readonly wire: readonly string[];
  /** Every file of the card, as path and content. */
  readonly card: readonly string[];
}

interface Rate {
  readonly speed?: number;
  /** Looks at the display so often while nothing is typed, ms of the meter. */
  readonly glanceMs?: number;
}

/** Another clock's time, `speed` times as fast. */
function sped(base: Clock, speed: number): Clock {
  const epoch = base.now();
  const elapsed = () => base.elapsed() * speed;
  return {
    now: () => Math.floor(epoch + elapsed()),
    elapsed,
    after: (ms, fire) => base.after(Math.max(0, ms) / speed, fire),
  };
}

async function play(
  t: Test,
  script: Script,
  options: MeterOptions,
  { speed = 1, glanceMs }: Rate = {},
): Promise<Outcome> {
  const world = new VirtualClock();
  const clock = sped(world, speed);
  const meter = await startMeter({ soundStepMs: 100, ...options, clock });
  t.teardown(() => meter.stop());
  const typist = await Client.open(meter.tcpPort);
  t.teardown(() => typist.close());
  let typed = 0;
  for (const [at, text] of script) {
    while (glanceMs !== undefined && clock.elapsed() + glanceMs < at) {
      await world.advance(glanceMs / speed);
      meter.read('DOD');
    }
    await world.advance((at - clock.elapsed()) / speed);
    typist.type(text);
    typed += text.length;
    while (received(meter) < typed) await new Promise((resolve) => setImmediate(resolve));
  }
  await world.advance((10 * SECOND) / speed);
  return { wire: wire(meter), card: files(meter, '/') };
}

const received = (meter: SimulatedMeter) =>
  meter.log.events.reduce((sum, event) => (event.kind === 'in' ? sum + event.bytes.length : sum), 0);

const wire = (meter: SimulatedMeter) =>
  meter.log.events.flatMap((event) =>
    event.kind === 'out' ? [`${event.at.toFixed(3)} ${Buffer.from(event.bytes).toString('latin1')}`] : [],
  );

function files(meter: SimulatedMeter, folder: string): string[] {
  const { card } = meter;
  return (card.list(folder) ?? []).flatMap(({ name, folder: isFolder, modifiedAt }) => {
    const path = `${folder}${name}`;
    if (isFolder) return [`${path} ${modifiedAt}`, ...files(meter, `${path}/`)];
    return [`${path} ${modifiedAt}`, Buffer.concat([...(card.read(path) ?? [])]).toString('latin1')];
  });
}

t.test('an hour on a cellular link, twice: the same bytes on the wire and on the card', async (t) => {
  const options = { seed: 7, profile: 'lte', scenario: 'roadside' };
  const [one, other] = [await play(t, HOUR_OF_WORK, options), await play(t, HOUR_OF_WORK, options)];
  t.ok(one.wire.length > 200, `${one.wire.length} segments, frames in bunches`);
  t.ok(one.card.join('').length > 3_000_000, 'an hour of rows every 100 ms');
  t.strictSame(other.wire, one.wire);
  t.strictSame(other.card, one.card);
  const changed = await play(t, HOUR_OF_WORK.slice(0, 14), { ...options, seed: 8 });
  t.notSame(changed.wire.slice(0, 40), one.wire.slice(0, 40), 'another seed is another meter');
});

t.test('the same seed gives the same numbers at every speed', async (t) => {
  const options = { seed: 3, scenario: 'construction' };
  const real = await play(t, HOUR_OF_WORK, options);
  for (const speed of [0.5, 60, 1_000]) {
    const fast = await play(t, HOUR_OF_WORK, options, { speed });
    t.strictSame(fast.wire, real.wire, `on the wire at ${speed}`);
    t.strictSame(fast.card, real.card, `on the card at ${speed}`);
  }
});

t.test('to read values does not change them', async (t) => {
  const options = { seed: 3, scenario: 'office' };
  const alone = await play(t, HOUR_OF_WORK, options);
  const watched = await play(t, HOUR_OF_WORK, options, { glanceMs: 1_731 });
  t.strictSame(watched, alone);
});
