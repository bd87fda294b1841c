/**
 * Whether the memory of a gateway that works for long grows. `--virtual-days D`: meters that stream 10 frames a second to a
 * viewer and into the history, with level rules and cut connections, on a clock that is moved. `--real-minutes N`: real time,
 * with level rules and the mirror. Simulated meters with faults in turn and WebSocket viewers are a process each. After the
 * first ten minutes memory may grow by 5 MB and no descriptor may stay. Exits with 1 beyond a bound.
 * `node bench/soak.ts [--virtual-days D] [--real-minutes N] [--meters M]`: without options an hour of virtual time and 15
 * real minutes.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { quantile } from './setting/index.ts';
import type { Sample, Soak } from './setting/soak.ts';
import { openRealDays } from './setting/soak-real.ts';
import { openVirtualDays } from './setting/soak-virtual.ts';

const FIRST_MINUTES = 10;
const BOUND = { mb: 5, descriptors: 0, lateMs: 20 };
const DAY_MINUTES = 1_440;

const { values } = parseArgs({
  options: { 'virtual-days': { type: 'string' }, 'real-minutes': { type: 'string' }, meters: { type: 'string' } },
});
const isChosen = values['virtual-days'] !== undefined || values['real-minutes'] !== undefined;
const virtualMinutes = Number(values['virtual-days'] ?? (isChosen ? 0 : 1 / 24)) * DAY_MINUTES;
const realMinutes = Number(values['real-minutes'] ?? (isChosen ? 0 : 15));

/** A sample each `stepMinutes`. The first ten minutes fill what is kept by design. */
async function soak(name: string, minutes: number, stepMinutes: number, open: () => Promise<Soak>): Promise<void> {
  const work = await open();
  const samples: Sample[] = [];
  for (let at = stepMinutes; at <= minutes; at += stepMinutes) {
    const sample = await work.pass();
    if (at >= FIRST_MINUTES) samples.push(sample);
    console.log(
      `${name} ${at} min: ${sample.mb.toFixed(1)} MB held, ${sample.descriptors} descriptors, ` +
        `late by ${sample.lateMs.toFixed(1)} ms (p99), load ${loadavg()[0]?.toFixed(1)}`,
    );
  }
  console.log(`${name}: ${work.done()}`);
  await work.close();
  judge(name, samples);
}

/** The middle of the last third against that of the first: one sample alone moves with what is on its way just then. */
function judge(name: string, samples: readonly Sample[]): void {
  const third = Math.max(1, Math.floor(samples.length / 3));
  const grown = (of: (sample: Sample) => number) =>
    quantile(samples.slice(-third).map(of), 0.5) - quantile(samples.slice(0, third).map(of), 0.5);
  const mb = grown((sample) => sample.mb);
  const descriptors = grown((sample) => sample.descriptors);
  const late = quantile(
    samples.map(({ lateMs }) => lateMs),
    0.5,
  );
  console.log(
    `${name}: after the first ten minutes ${mb.toFixed(1)} MB and ${descriptors} descriptors more, ` +
      `late by ${late.toFixed(1)} ms (p99, middle of ${samples.length})`,
  );
  const isLate = name === 'real' && late > BOUND.lateMs;
  if (!(mb <= BOUND.mb) || !(descriptors <= BOUND.descriptors) || isLate) process.exitCode = 1;
}

if (virtualMinutes > 0)
  await soak('virtual', virtualMinutes, FIRST_MINUTES, () => openVirtualDays(Number(values.meters ?? 5)));
if (realMinutes > 0) await soak('real', realMinutes, 1, () => openRealDays(Number(values.meters ?? 50)));
process.exit();
