/** Lp of a card become the level counts of its seconds. The truth: quantiles of the samples themselves, each as long as its interval. */
import t from 'tap';
import { CARD } from '../../lib/drivers/nl43/card/index.ts';
import { toHistory } from '../../plugins/mirror/history-rows.ts';
import { MeterClock } from '../../plugins/mirror/meter-clock.ts';
import { pieces } from '../drivers/nl43/card/setup.ts';
import { PlainHistory } from '../support/plain-history.ts';

const START = Date.UTC(2026, 5, 15, 10);
const AF = { frequency: 'A', time: 'F' } as const;
const PERCENTS = [1, 5, 10, 50, 90, 95, 99];

/** A minute of levels: no two intervals have the same level, and they are not sorted. */
const levelAt = (index: number) => 40 + ((index * 37) % 400) / 10;

type Columns = 'with Lp' | 'without Lp' | 'Lp alone';

function cardFile(intervalMs: number, columns: Columns, level: (index: number) => number): string {
  const rows = Array.from({ length: 60_000 / intervalMs }, (_, index) => {
    const time = new Date(START + index * intervalMs).toISOString().slice(0, 23).replaceAll('-', '/').replace('T', ' ');
    const lp = columns === 'without Lp' ? [] : [level(index).toFixed(1)];
    return [index + 1, time, ...lp, ...(columns === 'Lp alone' ? [] : ['50.0', '90.0', '30.0']), ''].join();
  });
  const names = [
    'Address',
    'Start Time',
    ...(columns === 'without Lp' ? [] : ['Lp(Main)']),
    ...(columns === 'Lp alone' ? [] : ['Leq(Main)', 'Lmax(Main)', 'Lmin(Main)']),
    '',
  ];
  return ['CSV', names.join(), ...rows, ''].join('\r\n');
}

/** Linear between order statistics (the definition). A sample counts as many times as it lasts tenths of a second. */
function quantile(samples: readonly number[], percent: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const position = (sorted.length - 1) * (1 - percent / 100);
  const [below = 0, above = below] = [sorted[Math.floor(position)], sorted[Math.floor(position) + 1]];
  return below + (above - below) * (position - Math.floor(position));
}

async function read(intervalMs: number, columns: Columns, level = levelAt) {
  const history = new PlainHistory(() => START);
  const header = { ...AF, lpInterval: intervalMs, percentiles: [] };
  const file = {
    unitId: 'roof',
    open: () => pieces(cardFile(intervalMs, columns, level), 4_096),
    header,
    format: CARD,
    hasShorterLeq: false,
  };
  const clock = new MeterClock([{ at: START, offset: 0, uncertainty: 50 }], () => []);
  const parsed = await toHistory(history, file, clock, new AbortController().signal);
  const over = { from: START / 1_000, to: START / 1_000 + 60, step: 60 };
  for await (const [row] of (await history.query({ unitId: 'roof', over, percentiles: PERCENTS })).rows)
    if (row) return { problems: parsed.problems, row };
  throw new Error('no row');
}

for (const intervalMs of [10, 25, 100, 200, 1_000])
  t.test(`a store of Lp each ${intervalMs} ms has percentiles`, async (t) => {
    const { problems, row } = await read(intervalMs, 'with Lp');
    t.match(problems, []);
    t.match(row, { measured: 60, leq: 50, lmax: 90, sources: ['card'] });
    const samples = Array.from({ length: 60_000 / 5 }, (_, step) => levelAt(Math.floor((step * 5) / intervalMs)));
    for (const [place, percent] of PERCENTS.entries()) {
      const wanted = quantile(samples, percent);
      // A class is 0.1 dB wide, and its samples are spread evenly over it.
      t.ok(Math.abs((row.ln[place] ?? Number.NaN) - wanted) <= 0.1, `L${percent} ${row.ln[place]} ${wanted}`);
    }
  });

t.test('a store without Lp has none', async (t) => {
  const { problems, row } = await read(100, 'without Lp');
  t.match(problems, []);
  t.match(row, { measured: 60, ln: PERCENTS.map(() => null) });
});

t.test('Lp without a Leq give percentiles, maximum and minimum, no Leq, and the file says so', async (t) => {
  // L5 70, L50 and L90 50.
  const { problems, row } = await read(10, 'Lp alone', (index) => (index % 10 === 0 ? 70 : 50));
  t.match(problems, [/^line 3: has Lp and no Leq: /]);
  t.match(row, { measured: 0, readings: 60, leq: null, lmax: 70, lmin: 50, lmaxAt: START / 1_000 });
  // L10 is where the two levels meet.
  t.strictSame(
    row.ln.map((level) => level?.toFixed(1)).filter((_, place) => PERCENTS[place] !== 10),
    ['70.0', '70.0', '50.0', '50.0', '50.0', '50.0'],
  );
});

/** Problems of a file with these rows of a minute each, and how many rows it made. */
function readMinutes(...levels: readonly string[]) {
  return readRows('00d 00:01:00.0', levels);
}

async function readRows(length: string, levels: readonly string[]) {
  const history = new PlainHistory(() => START);
  const rows = levels.map((cells, index) => `${index + 1},2026/06/15 10:0${index}:00,${length},${cells},`);
  const names = 'Address,Start Time,Measurement Time,Leq(Main),Lmax(Main),Lmin(Main),LN1(Main),LN2(Main),';
  const text = ['CSV', names, ...rows, ''].join('\r\n');
  const header = { ...AF, lpInterval: null, percentiles: [10, 90] };
  const file = { unitId: 'roof', open: () => pieces(text, 4_096), header, format: CARD, hasShorterLeq: false };
  const clock = new MeterClock([{ at: START, offset: 0, uncertainty: 50 }], () => []);
  const { rows: count, problems } = await toHistory(history, file, clock, new AbortController().signal);
  return { count, problems };
}

t.test('a row of a card with an impossible level does not count, and the file names its line', async (t) => {
  t.match(await readMinutes('54,60,50,55,51', '243,60,50,55,51'), {
    count: 1,
    problems: ['line 4: has leq 243 dB, which is not from -20 to 160 dB'],
  });
});

t.test('a file of a card with crossed columns does not count', async (t) => {
  t.match(await readMinutes('54,60,50,55,51', '54,60,70,55,51'), {
    count: 0,
    problems: [/^line 4: has lmin 70 dB above leq 54 dB: columns may be crossed/],
  });
  t.match(await readMinutes('54,60,50,50,70'), { count: 0, problems: [/^line 3: has l90 70 dB above l10 50 dB/] });
});

t.test('the time weighting of a card says what its lag explains in a row of ten seconds', async (t) => {
  t.match(await readRows('00d 00:00:10.0', ['54,60,50,55,51', '54,99,64,55,51']), {
    count: 0,
    problems: [/^line 4: has lmin 64 dB above leq 54 dB: columns may be crossed/],
  });
});
