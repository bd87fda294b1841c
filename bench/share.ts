/**
 * How much of a watched stream is left while a person and programs ask its meter, and how long each question waits: a session with a
 * simulated meter, two virtual minutes each. With `--real` one row on the clock of the computer. Exits with 1 beyond a bound.
 * `node bench/share.ts`, about a minute.
 */
import { loadProfile } from '../simulator/index.ts';
import {
  askBattery,
  type BusyLine,
  fewestIn,
  longestBreak,
  openBusyLine,
  type Question,
} from '../test/support/busy-line.ts';
import { quantile } from './setting/index.ts';

const MINUTES = 2;
/** Each of them once, in turn: what a person looks at. */
const ASKED = ['sleepMode', 'lastResult', 'battery', 'fileServer', 'clock', 'storeName', 'measuring'] as const;

/** With what a watched stream allows: frames answer, and what was read a minute ago. */
function person(): Question {
  let turn = 0;
  return (meter, caller) => {
    const { maxAgeMs: _fresh, ...own } = caller;
    return meter.perform(ASKED[turn++ % ASKED.length] ?? 'battery', own);
  };
}

const fresh =
  (name: 'sleepMode' | 'lastResult' | 'fileServer'): Question =>
  (meter, caller) =>
    meter.perform(name, caller);

interface Row {
  readonly name: string;
  readonly ask: (line: BusyLine) => void;
  /** Least part of the frames of any minute, and longest hole. */
  readonly kept: number;
  readonly holeMs: number;
  readonly p95Ms: number;
}

const ROWS: readonly Row[] = [
  { name: 'nobody asks', ask: () => {}, kept: 0.98, holeMs: 3_500, p95Ms: 0 },
  {
    name: 'a person, a question each 15 s',
    ask: (line) => line.poll(15_000, 'person', person()),
    kept: 0.9,
    holeMs: 3_500,
    p95Ms: 3_000,
  },
  {
    name: 'a program that asks battery each second',
    ask: (line) => line.poll(1_000, 'program', (meter, { maxAgeMs: _, ...own }) => meter.perform('battery', own)),
    kept: 0.98,
    holeMs: 3_500,
    p95Ms: 100,
  },
  {
    name: 'one program, max_age=0, each second',
    ask: (line) => line.poll(1_000, 'program', askBattery),
    kept: 0.75,
    holeMs: 3_500,
    p95Ms: 15_000,
  },
  {
    name: 'three programs, max_age=0, without a pause',
    ask(line) {
      line.poll(10, 'one', fresh('sleepMode'));
      line.poll(10, 'two', fresh('lastResult'));
      line.poll(10, 'three', fresh('fileServer'));
    },
    kept: 0.75,
    holeMs: 4_500,
    p95Ms: 40_000,
  },
];

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

for (const profile of ['lan', 'lte']) {
  for (const { name, ask, kept, holeMs, p95Ms } of ROWS) {
    const line = await openBusyLine(loadProfile(profile));
    line.watch();
    await line.pass(5_000);
    ask(line);
    await line.pass(MINUTES * 60_000);
    const worst = fewestIn(60, line.frames) / 600;
    const hole = longestBreak(line.frames);
    const p95 = line.waits.length > 0 ? quantile(line.waits, 0.95) : 0;
    console.log(
      `${profile}: ${name}: ${Math.round(worst * 100)} % of the frames of the worst minute, longest hole ${seconds(hole)}, ` +
        `${line.waits.length} answers, p95 ${seconds(p95)}, ${line.failures.length} failed`,
    );
    // A slow link adds the time of its replies.
    const isBeyond = worst < kept || hole > holeMs || p95 > p95Ms || line.failures.length > 0;
    if (profile === 'lan' && isBeyond) process.exitCode = 1;
    await line.close();
  }
}
process.exit();
