/**
 * A person and programs ask a meter whose stream is watched. Measured: the part of the stream that is left, and the wait of
 * each question. A session with a simulated meter, two minutes each. Exits with 1 beyond a bound.
 * `node bench/share.ts`, virtual time, about a minute; `node bench/share.ts real`, all at once by the clock of the computer, two minutes.
 */
import { loadProfile, VirtualClock } from '../simulator/index.ts';
import {
  askBattery,
  type BusyLine,
  fewestIn,
  longestBreak,
  openBusyLine,
  type Question,
  RealTime,
} from '../test/support/busy-line.ts';
import { quantile } from './setting/index.ts';

const MINUTES = 2;
const isReal = process.argv[2] === 'real';
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

/** A slow link adds the time of its replies to each interruption: fewer frames, longer holes and waits. */
const LINKS = { lan: { less: 0, moreMs: 0, slower: 1 }, lte: { less: 0.1, moreMs: 2_000, slower: 1.5 } };

/** Before the questions begin, ms. */
const WATCHED_MS = 5_000;

const percent = (part: number) => `${Math.round(part * 100)} %`;
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

async function measure(profile: 'lan' | 'lte', { name, ask, kept, holeMs, p95Ms }: Row): Promise<void> {
  const line = await openBusyLine(loadProfile(profile), 1, isReal ? new RealTime() : new VirtualClock());
  line.watch();
  await line.pass(WATCHED_MS);
  ask(line);
  await line.pass(MINUTES * 60_000);
  const worst = fewestIn(60, line.frames) / 600;
  const hole = longestBreak(line.frames);
  const mean = line.frames.length / ((MINUTES * 60_000 + WATCHED_MS) / 100);
  const [p50 = 0, p95 = 0] = line.waits.length > 0 ? [0.5, 0.95].map((part) => quantile(line.waits, part)) : [];
  console.log(
    `${profile}: ${name}: frames ${percent(mean)}, worst minute ${percent(worst)}, longest hole ${seconds(hole)}, ` +
      `${line.waits.length} answers, p50 ${seconds(p50)}, p95 ${seconds(p95)}, ${line.failures.length} failed ${line.failures.join(' ')}`,
  );
  const { less, moreMs, slower } = LINKS[profile];
  const isBeyond = worst < kept - less || hole > holeMs + moreMs || p95 > p95Ms * slower;
  if (isBeyond || line.failures.length > 0) process.exitCode = 1;
  await line.close();
}

const runs = (['lan', 'lte'] as const).flatMap((profile) => ROWS.map((row) => () => measure(profile, row)));
if (isReal) await Promise.all(runs.map((run) => run()));
else for (const run of runs) await run();
process.exit();
