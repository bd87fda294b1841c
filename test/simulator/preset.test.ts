import t from 'tap';
import { type Client, typing } from './rig.ts';

const state = async (typist: Client) => (await typist.ask('Measure?')).split('\r\n')[1];
/** LE - Leq = 10 lg T: the measured time that the meter's own result tells, s. */
async function measuredSeconds(typist: Client): Promise<number> {
  const fields = (await typist.ask('DLC?')).split('\r\n')[1]?.split(',').map(Number) ?? [];
  return 10 ** (((fields[2] ?? 0) - (fields[1] ?? 0)) / 10);
}

/** Lines before the start, and when the measurement is over, ms. */
const PRESETS = [
  [['Measurement Time Preset Manual,10s'], 10_000],
  [
    ['Measurement Time Manual (Num),2', 'Measurement Time Manual (Unit),m', 'Measurement Time Preset Manual,Manual'],
    120_000,
  ],
  [['Store Mode,Auto', 'Measurement Time Preset Manual,10s', 'Measurement Time Preset Auto,1m'], 60_000],
] as const;

t.test('a measurement ends by itself at the preset time of its store mode, and a later Stop is refused', async (t) => {
  for (const [lines, ms] of PRESETS) {
    const { clock, typist } = await typing(t);
    for (const line of [...lines, 'Measure,Start']) await typist.ask(line);
    await clock.advance(ms - 1);
    t.equal(await state(typist), 'Start', lines.join());
    await clock.advance(1);
    t.equal(await state(typist), 'Stop', lines.join());
    t.equal(await typist.ask('Measure,Stop'), 'R+0004\r\n$');
    await clock.advance(3_600_000);
    t.ok(Math.abs((await measuredSeconds(typist)) / ms - 0.001) < 0.000_03, 'the result is that of the preset time');
  }
});

t.test('a pause stops the timer', async (t) => {
  const { clock, typist } = await typing(t);
  await typist.ask('Measurement Time Preset Manual,10s');
  await typist.ask('Measure,Start');
  await clock.advance(6_000);
  await typist.ask('Pause,On');
  await clock.advance(60_000);
  t.equal(await state(typist), 'Start');
  await typist.ask('Pause,Off');
  await clock.advance(3_999);
  t.equal(await state(typist), 'Start');
  await clock.advance(1);
  t.equal(await state(typist), 'Stop');
  t.ok(Math.abs((await measuredSeconds(typist)) - 10) < 0.3, 'the pause is no part of the measured time');
});

t.test('an Auto store has a row for every interval', async (t) => {
  const { clock, meter, typist } = await typing(t, {}, { soundStepMs: 100 });
  for (const line of [
    'Store Mode,Auto',
    'Store Name,0019',
    'Lp Store Interval,1s',
    'Measurement Time Preset Auto,1m',
  ]) {
    await typist.ask(line);
  }
  await typist.ask('Leq Calculation Interval Preset,10s');
  await typist.ask('Measure,Start');
  await clock.advance(60_000);
  const card = meter.card as typeof meter.card & { read(path: string): Iterable<Uint8Array> | null };
  const rows = (path: string) =>
    Buffer.concat([...(card.read(path) ?? [])])
      .toString()
      .trim()
      .split('\r\n')
      .slice(2);
  const lp = rows('/NL-43/Auto_0019/Auto_Lp_01/NL_0001_SLM_Lp _0019_0001.rnd');
  t.equal(lp.length, 60);
  t.match(lp[0], '2025/12/24 02:00:00');
  t.match(lp[59], '2025/12/24 02:00:59');
  t.equal(rows('/NL-43/Auto_0019/Auto_Leq/NL_0001_SLM_Leq_0019_0001.rnd').length, 6);
});

t.test('no timer outlives its measurement', async (t) => {
  const { clock, typist } = await typing(t);
  const before = clock.pending;
  await typist.ask('Measure,Start');
  t.ok(clock.pending > before);
  await typist.ask('Measure,Stop');
  t.equal(clock.pending, before);
});
