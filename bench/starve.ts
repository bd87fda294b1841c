/**
 * Whether a watched stream starves while a program asks the same meter again and again: the share of its frames, the first frame
 * after the meter was switched off for 8 s and on again, and how long the program waits. Simulated meters on a clock that is moved:
 * 75 s each, the same on every computer. Exits with 1 beyond a bound. `node bench/starve.ts`, a few seconds.
 */
import { loadProfile } from '../simulator/index.ts';
import { type BusyLine, fewestInTenSeconds, openBusyLine } from '../test/support/busy-line.ts';
import { quantile } from './setting/index.ts';

const PAUSES_MS = [200, 1_000, 2_000, 5_000];
const OFF_MS = 8_000;
const BOUND = { fewest: 70, firstMs: 5_000 };

async function restart(line: BusyLine): Promise<number> {
  await line.pass(15_000);
  let back = Number.POSITIVE_INFINITY;
  const cycle = line.simulated.powerCycle(OFF_MS).then(() => {
    back = line.clock.elapsed();
  });
  await line.pass(60_000);
  await cycle;
  return back;
}

async function measure(pauseMs: number, isRestarted: boolean) {
  const line = await openBusyLine(loadProfile('lan'));
  line.watch();
  const end = line.poll(pauseMs);
  let back = 0;
  if (isRestarted) back = await restart(line);
  else await line.pass(75_000);
  end();
  const frames = line.frames.filter((at) => at > back);
  const found = {
    fewest: fewestInTenSeconds(frames),
    first: (frames[0] ?? Number.POSITIVE_INFINITY) - back,
    waits: line.waits,
    failed: line.failures.length,
  };
  await line.close();
  return found;
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

for (const isRestarted of [false, true]) {
  for (const pauseMs of PAUSES_MS) {
    const { fewest, first, waits, failed } = await measure(pauseMs, isRestarted);
    console.log(
      `asked again after ${seconds(pauseMs)}${isRestarted ? ', meter switched off and on' : ''}: ` +
        `${fewest} of 100 frames in the worst ten seconds, first frame after ${seconds(first)}, ` +
        `the program waits ${seconds(quantile(waits, 0.5))} (p50), ${seconds(Math.max(...waits))} at most, ${failed} failed`,
    );
    if (fewest < BOUND.fewest || first > BOUND.firstMs) process.exitCode = 1;
  }
}
process.exit();
