/**
 * A process that records until it is killed: `history-writer.ts FILE BEGIN`. Each line on standard output is JSON: the last
 * second that is flushed, or an import that was acknowledged.
 */
import { systemClock } from '../../lib/clock.ts';
import type { IntervalRow, SecondRow } from '../../lib/history/contract.ts';
import { openHistory } from '../../lib/history/index.ts';
import { createLog } from '../../lib/log.ts';

const UNITS = 20;
const [path = '', begin = '0'] = process.argv.slice(2);
const weighting = { frequency: 'A', time: 'F' } as const;
const history = await openHistory({ path, clock: systemClock, log: createLog('error') });
const say = (words: object) => process.stdout.write(`${JSON.stringify(words)}\n`);

/** Levels that say which second it is, so that a reader can tell whether a row is right. */
const levelAt = (at: number): number => 30 + (at % 600) / 10;

const row = (at: number): SecondRow => {
  const leq = levelAt(at);
  return { at, steps: 10, leq, lmax: leq + 1, lmin: leq - 1, lpeak: null, lp: Array(10).fill(leq) };
};
async function* minutes(from: number): AsyncGenerator<IntervalRow[]> {
  for (let page = 0; page < 4; page++) {
    yield Array.from({ length: 100 }, (_, place) => {
      const at = from + (page * 100 + place) * 60;
      return { at, duration: 60, leq: levelAt(at), lmax: null, lmin: null, lpeak: null };
    });
  }
}

say({ ready: true });
for (let at = Number(begin); ; at++) {
  for (let unit = 0; unit < UNITS; unit++) {
    history.append({ unitId: `unit-${unit}`, source: 'stream', weighting, seconds: [row(at)] });
  }
  await history.flush();
  say({ flushed: at });
  if (at % 50 > 0) continue;
  // Far from the others, each import after the last import.
  const from = 1_000_000_000 + (at - 1_700_000_000) * 600;
  const { rows } = await history.import({ unitId: 'imports', weighting }, minutes(Math.floor(from / 60) * 60));
  say({ imported: rows, from });
}
