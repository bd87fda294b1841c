/**
 * The cost of an hour of simulated sound, as a ratio to a loop of Math.exp over the same number of steps. Such a ratio means
 * the same on any computer. Exits with 1 when a ratio is beyond its bound. `node bench/acoustics.ts`
 */
import { createInstrument, FACTORY_SETUP } from '../simulator/acoustics/instrument.ts';
import type { InstrumentSetup } from '../simulator/contract.ts';

const HOUR_MS = 3_600_000;
const STEP_MS = 10;
const RUNS = 5;

const { channels } = FACTORY_SETUP;
const on = { on: true } as const;
const ALL_ON: InstrumentSetup = {
  ...FACTORY_SETUP,
  channels: {
    main: channels.main,
    sub1: { ...channels.sub1, ...on },
    sub2: { ...channels.sub2, ...on },
    sub3: { ...channels.sub3, ...on },
  },
};

/** The shortest of several runs, ms: the one least disturbed by others. */
function shortest(run: () => number): number {
  let least = Number.POSITIVE_INFINITY;
  let kept = 0;
  for (let count = 0; count < RUNS; count++) {
    const began = performance.now();
    kept += run();
    least = Math.min(least, performance.now() - began);
  }
  if (Number.isNaN(kept)) throw new Error('a run came to nothing');
  return least;
}

function plainLoop(): number {
  let sum = 0;
  for (let step = 0; step < HOUR_MS / STEP_MS; step++) sum += Math.exp(-step / 1e5);
  return sum;
}

function measuredHour(setup: InstrumentSetup, lpStoreMs: number | null): number {
  const instrument = createInstrument({ seed: 1, scenario: 'roadside', stepMs: STEP_MS });
  instrument.configure(setup);
  let sum = 0;
  if (lpStoreMs !== null) {
    instrument.onBlock(lpStoreMs, (block) => {
      sum += block.channels.main?.lp ?? 0;
    });
  }
  instrument.start();
  instrument.advance(HOUR_MS);
  return sum + (instrument.display().main?.leq ?? Number.NaN);
}

/** An hour of a stopped meter that is shown once a minute. */
function idleHour(): number {
  const instrument = createInstrument({ seed: 1, scenario: 'roadside', stepMs: STEP_MS });
  let sum = 0;
  for (let now = 0; now <= HOUR_MS; now += 1000) instrument.advance(now);
  for (let minute = 0; minute < 60; minute++) {
    instrument.advance(HOUR_MS + minute * 60_000);
    sum += instrument.display().main?.lp ?? Number.NaN;
  }
  return sum;
}

const baseline = shortest(plainLoop);
const cases: readonly (readonly [string, number, () => number])[] = [
  ['measuring, main channel', 60, () => measuredHour(FACTORY_SETUP, null)],
  ['measuring, four channels', 90, () => measuredHour(ALL_ON, null)],
  ['measuring, four channels, Lp store 100 ms', 200, () => measuredHour(ALL_ON, 100)],
  ['stopped for an hour, then shown each minute of another', 60, idleHour],
];
console.log(`baseline: ${HOUR_MS / STEP_MS} steps of Math.exp in ${baseline.toFixed(2)} ms`);
for (const [name, bound, run] of cases) {
  const spent = shortest(run);
  const ratio = spent / baseline;
  if (ratio > bound) process.exitCode = 1;
  console.log(
    `${name}: ${spent.toFixed(1)} ms, ${ratio.toFixed(1)} times the baseline${ratio > bound ? `, beyond ${bound}` : ''}`,
  );
}
