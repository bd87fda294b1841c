/**
 * From the sound to the second: a simulated meter plays a scenario that crosses a limit at a known minute, its frames are recorded, and the
 * rule opens in the second that arithmetic says.
 */
import t from 'tap';
import { decodeFrame } from '../../lib/drivers/nl43/decode.ts';
import type { Batch } from '../../lib/history/contract.ts';
import type { LevelRule } from '../../plugins/alerts/rules/level/level-rule.ts';
import type { Step } from '../../plugins/alerts/rules/level/level-sum.ts';
import { levelWatch } from '../../plugins/alerts/rules/level/replay.ts';
import { piecesOf } from '../../plugins/alerts/rules/unit-watches.ts';
import { Recorder } from '../../plugins/history/recorder.ts';
import { createInstrument } from '../../simulator/acoustics/instrument.ts';
import { DEFAULT_PROFILE } from '../../simulator/index.ts';
import { frameLine } from '../../simulator/reply-writer.ts';

/** A full quarter of an hour. */
const WALL = Date.UTC(2026, 10, 21, 6);
const SECONDS = 1_500;
/** When each second was handed over, ms after it had ended. */
const delays: number[] = [];

/** The record of the scenario: 50 dB, after 10 minutes 70 dB for 5 minutes, then 50 dB again. */
function recorded(): Batch[] {
  const instrument = createInstrument({ seed: 1, scenario: 'limit-crossing', stepMs: 100 });
  instrument.beginFrames();
  const batches: Batch[] = [];
  let now = 0;
  const recorder = new Recorder({ unitId: 'roof' }, { frameMs: 100, lastCounter: 600 }, (batch) => {
    batches.push(batch);
    for (const { at } of batch.seconds ?? []) delays.push(WALL + now - (at + 1) * 1_000);
  });
  recorder.weigh({ frequency: 'A', time: 'F' });
  for (let k = 1; k <= SECONDS * 10; k++) {
    now = k * 100;
    instrument.advance(now);
    const frame = decodeFrame(frameLine(((k - 1) % 600) + 1, instrument.frame(), DEFAULT_PROFILE));
    recorder.frame({ frame, begun: 0, elapsed: now, time: WALL + now });
  }
  recorder.flush();
  return batches;
}

const batches = recorded();
function stepsOf(more: Partial<LevelRule>): Step[] {
  const rule: LevelRule = {
    name: 'limit',
    enabled: true,
    severity: 'warning',
    targets: [],
    kind: 'level',
    quantity: 'leq',
    window: '15m',
    align: 'clock',
    limit_db: 65,
    clear_db: 63,
    min_coverage: 0.5,
    ...more,
  };
  const watch = levelWatch(rule, 'UTC');
  return batches.flatMap((batch) => piecesOf(batch).flatMap((piece) => watch.take(piece)));
}
/** Seconds since the scenario began. */
const openings = (steps: readonly Step[]) =>
  steps.flatMap((step) => (step.kind === 'open' ? step.at - WALL / 1_000 : []));

t.test('a quarter of an hour is shown above 65 dB in second 282 after the crossing', async (t) => {
  // In seconds of 70 dB: 900 s of 65.05 dB (rounded: 65.1), minus 600 s of 50 dB.
  const second = Math.ceil((900 * 10 ** 6.505 - 600 * 10 ** 5) / 10 ** 7);
  t.equal(second, 282);
  const steps = stepsOf({});
  t.strictSame(openings(steps), [600 + second]);
  t.same(steps.at(-1), { kind: 'close', at: WALL / 1_000 + 900 });
});

t.test('a minute breaks its limit in its twentieth second, each time; a maximum at once', async (t) => {
  t.equal(Math.ceil((60 * 10 ** 6.505) / 10 ** 7), 20);
  t.strictSame(openings(stepsOf({ window: '1m' })), [620, 680, 740, 800, 860]);
  t.strictSame(openings(stepsOf({ quantity: 'lmax', window: '1m' })), [601, 661, 721, 781, 841, 901]);
});

t.test(
  'a sliding minute has 50 dB before the noise, opens in second 19, and ends when the level is down',
  async (t) => {
    const steps = stepsOf({ window: '1m', align: 'sliding' });
    t.strictSame(openings(steps), [619]);
    t.equal(Math.ceil((60 * 10 ** 6.505 - 60 * 10 ** 5) / (10 ** 7 - 10 ** 5)), 19);
    // Below 63.05 dB, which is shown as 63.1: 60 s of it in seconds of 70 dB, the rest of 50 dB.
    const left = Math.floor((60 * 10 ** 6.305 - 60 * 10 ** 5) / (10 ** 7 - 10 ** 5));
    t.same(steps.at(-1), { kind: 'close', at: WALL / 1_000 + 900 + 60 - left });
  },
);

t.test('each second is there a tenth of a second after its end: nothing waits for more', async (t) => {
  const settled = delays.slice(1, -1);
  t.ok(settled.length > 1_400 && settled.every((ms) => ms <= 100), `${Math.max(...settled)} ms`);
});
