/**
 * Two results of a real meter, held against those of the simulated one in a quiet room: LN1 0.1 dB above Lmax and LN5 0.1 dB below
 * Lmin in one result, and Lpeak 14.9 and 17.3 dB above Lmax (captured; Slow, 10 s and 3 s).
 */
import t from 'tap';
import { typing } from './rig.ts';

const RUNS = 150;

t.test('results of 10 s look like the captured ones', async (t) => {
  const { clock, typist } = await typing(t, {}, { soundStepMs: 100, seed: 5 });
  await typist.ask('Time Weighting (Main),S');
  const results: Record<'lmax' | 'lmin' | 'ln1' | 'ln5' | 'lpeak', number>[] = [];
  for (let run = 0; run < RUNS; run++) {
    await typist.ask('Measure,Start');
    await clock.advance(10_000);
    await typist.ask('Measure,Stop');
    const fields = (await typist.ask('DLC?')).split('\r\n')[1]?.split(',').map(Number) ?? [];
    const [, , , lmax = 0, lmin = 0, ln1 = 0, , , , ln5 = 0, lpeak = 0] = fields;
    results.push({ lmax, lmin, ln1, ln5, lpeak });
    await clock.advance(20_000);
  }
  const tenths = (value: number) => Math.round(value * 10);
  const outside = results.filter(({ lmax, lmin, ln1, ln5 }) => tenths(ln1 - lmax) === 1 && tenths(lmin - ln5) === 1);
  t.ok(outside.length > 0, 'LN1 above Lmax and LN5 below Lmin at once');
  for (const { lmax, lmin, ln1, ln5 } of results) {
    t.ok(tenths(ln1 - lmax) <= 1 && tenths(lmin - ln5) <= 1, 'and never by more than 0.1 dB');
  }
  const crests = results.map(({ lmax, lpeak }) => tenths(lpeak - lmax) / 10);
  t.ok(
    Math.min(...crests) < 14.9 && Math.max(...crests) >= 17.3,
    `${Math.min(...crests)} to ${Math.max(...crests)} dB`,
  );
  t.ok(Math.min(...crests) >= 11 && Math.max(...crests) <= 20, 'the range of the field');
});
