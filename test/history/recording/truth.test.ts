/**
 * From the sound to the index: the simulated meter's own integration of the sound against what the gateway makes of the frames
 * that the meter sent, as text, over a link that delivers them in bunches.
 */
import t from 'tap';
import { exposureLevel } from '../../../lib/domain/indices/index.ts';
import { decodeFrame } from '../../../lib/drivers/nl43/decode.ts';
import type { HistoryRow } from '../../../lib/history/contract.ts';
import { Recorder } from '../../../plugins/history/recorder.ts';
import { createInstrument, FACTORY_SETUP } from '../../../simulator/acoustics/instrument.ts';
import { DEFAULT_PROFILE } from '../../../simulator/index.ts';
import { frameLine } from '../../../simulator/reply-writer.ts';
import { PlainHistory } from '../../support/plain-history.ts';

const WALL = Date.UTC(2026, 5, 15, 12);
const MINUTES = 10;
const FRAMES = MINUTES * 600;
const PERCENTILES = FACTORY_SETUP.percentiles;

/** The result of a measurement of ten minutes on the meter, and the frames that it sent meanwhile. */
function measure(scenario: string, seed: number) {
  const instrument = createInstrument({ seed, scenario, stepMs: 50 });
  // No name of a class: the middle of it.
  instrument.configure({ ...FACTORY_SETUP, percentileClass: 'nearest' });
  instrument.advance(60_000);
  instrument.start();
  instrument.beginFrames();
  const lines: string[] = [];
  for (let k = 1; k <= FRAMES; k++) {
    instrument.advance(60_000 + k * 100);
    lines.push(frameLine(((k - 1) % 600) + 1, instrument.frame(), DEFAULT_PROFILE));
  }
  instrument.stop();
  const main = instrument.result()?.main;
  if (!main) throw new Error('the meter has no result');
  return { lines, main };
}

async function recorded(lines: readonly string[]): Promise<{ whole: HistoryRow; seconds: HistoryRow[] }> {
  const history = new PlainHistory(() => WALL);
  const recorder = new Recorder({ unitId: 'roof' }, { frameMs: 100, lastCounter: 600 }, (batch) =>
    history.append(batch),
  );
  recorder.weigh({ frequency: 'A', time: 'F' });
  const begun = 1_000;
  for (const [index, line] of lines.entries()) {
    // Held back for up to two seconds, and then all at once.
    const elapsed = begun + Math.ceil((index + 1) / 20) * 2_000;
    recorder.frame({ frame: decodeFrame(line), begun, elapsed, time: WALL + elapsed - begun });
  }
  recorder.flush();
  const from = WALL / 1_000;
  const ask = async (step: number) => {
    const over = { from, to: from + MINUTES * 60, step };
    const { rows } = await history.query({ unitId: 'roof', over, percentiles: [...PERCENTILES] });
    const all: HistoryRow[] = [];
    for await (const page of rows) all.push(...page);
    return all;
  };
  const [whole] = await ask(MINUTES * 60);
  if (!whole) throw new Error('no row');
  return { whole, seconds: await ask(1) };
}

const near = (a: number | null | undefined, b: number | null | undefined, within: number) =>
  typeof a === 'number' && typeof b === 'number' && Math.abs(a - b) <= within + 1e-9;

for (const scenario of ['roadside', 'night']) {
  t.test(`${scenario}: the history says what the meter itself worked out`, async (t) => {
    const { lines, main } = measure(scenario, 7);
    const { whole, seconds } = await recorded(lines);
    const streamed = lines.map((line) => decodeFrame(line).main);
    t.ok(near(whole.leq, main.leq, 0.1), `Leq ${whole.leq} and ${main.leq}`);
    t.ok(near(exposureLevel(whole.leq ?? 0, whole.measured), main.le, 0.1), `LE and ${main.le}`);
    for (const [index, percent] of PERCENTILES.entries())
      t.ok(near(whole.ln[index], main.ln[index], 0.1), `L${percent} ${whole.ln[index]} and ${main.ln[index]}`);
    t.equal(whole.lmax, Math.max(...streamed.map(({ lmax }) => Number(lmax))), 'Lmax is the largest that was streamed');
    t.equal(whole.lmin, Math.min(...streamed.map(({ lmin }) => Number(lmin))), 'Lmin the smallest');
    t.equal(whole.lpeak, Math.max(...streamed.map(({ lpeak }) => Number(lpeak))), 'Lpeak the highest');
    t.ok(near(whole.lmax, main.lmax, 0.1) && near(whole.lmin, main.lmin, 0.1), 'and they are those of the meter');
    t.equal(whole.measured, MINUTES * 60, 'nothing is missing');
    t.ok(seconds.every(({ measured }) => measured === 1));
    t.match(
      seconds.slice(1, -1).map(({ lmax }) => lmax),
      seconds
        .slice(1, -1)
        .map((_, index) =>
          Math.max(...streamed.slice((index + 1) * 10, (index + 2) * 10).map(({ lmax }) => Number(lmax))),
        ),
      'and each second holds its own ten frames',
    );
  });
}
