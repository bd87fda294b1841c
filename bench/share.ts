/**
 * A person and programs ask a meter whose stream is watched. Measured: the part of the stream that is left, and the wait of
 * each question. A session with a simulated meter, two virtual minutes each. Exits with 1 beyond a bound.
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
    name: 'a person, a question each 10 s',
    ask: (line) => line.poll(10_000, 'person', person()),
    kept: 0.85,
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

/** Before the questions begin, ms. */
const WATCHED_MS = 5_000;

const percent = (part: number) => `${Math.round(part * 100)} %`;
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

for (const profile of ['lan', 'lte']) {
  for (const { name, ask, kept, holeMs, p95Ms } of ROWS) {
    const line = await openBusyLine(loadProfile(profile));
    line.watch();
    await line.pass(WATCHED_MS);
    ask(line);
    await line.pass(MINUTES * 60_000);
    const worst = fewestIn(60, line.frames) / 600;
    const hole = longestBreak(line.frames);
    const mean = line.frames.length / ((MINUTES * 60_000 + WATCHED_MS) / 100);
    const [p50, p95] = [0.5, 0.95].map((part) => (line.waits.length > 0 ? quantile(line.waits, part) : 0)) as [
      number,
      number,
    ];
    console.log(
      `${profile}: ${name}: frames ${percent(mean)}, worst minute ${percent(worst)}, longest hole ${seconds(hole)}, ` +
        `${line.waits.length} answers, p50 ${seconds(p50)}, p95 ${seconds(p95)}, ${line.failures.length} failed`,
    );
    // A slow link adds the time of its replies.
    const isBeyond = worst < kept || hole > holeMs || p95 > p95Ms || line.failures.length > 0;
    if (profile === 'lan' && isBeyond) process.exitCode = 1;
    await line.close();
  }
}
process.exit();
