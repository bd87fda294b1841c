/** Measurement time, intervals and series number: what the API says, what goes to the meter, what is read back. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

const NUMBER = 'Measurement Time Manual (Num)';
const UNIT = 'Measurement Time Manual (Unit)';
const PRESET = 'Measurement Time Preset Manual';

t.test('presets go to the meter as its own words, however they are written', async (t) => {
  const world = await openWorld(t);
  const same = {
    '10s': '10s',
    '60s': '1m',
    '00:05:00': '5m',
    '15m': '15m',
    '1h': '1h',
    '60m': '1h',
    '24:00:00': '24h',
  };
  for (const [preset, word] of Object.entries(same)) {
    world.meter.log.clear();
    const { status, body } = await world.put('/sim-1/measurement-time', { preset });
    t.match({ status, body }, { status: 200, body: { message: String, measurement_time: word } }, preset);
    t.same(world.meter.log.commands, ['Store Mode?', `${PRESET},${word}`], preset);
    t.same((await world.get('/sim-1/measurement-time')).body, { status: 'ok', measurement_time: word });
  }
});

t.test('any other time goes by number and unit, and is read back', async (t) => {
  const world = await openWorld(t);
  const custom = { '12h': [12, 'h'], '45s': [45, 's'], '00:02:00': [2, 'm'], '1000h': [1000, 'h'] } as const;
  for (const [preset, [number, unit]] of Object.entries(custom)) {
    world.meter.log.clear();
    const { status, body } = await world.put('/sim-1/measurement-time', { preset });
    t.match({ status, body }, { status: 200, body: { measurement_time: `${number}${unit}` } }, preset);
    t.same(world.meter.log.commands, ['Store Mode?', `${NUMBER},${number}`, `${UNIT},${unit}`, `${PRESET},Manual`]);
    t.equal((await world.get('/sim-1/measurement-time')).body.measurement_time, `${number}${unit}`);
  }
});

for (const [user_time_range, answer] of [
  ['any', { status: 200, body: { measurement_time: '330s' } }],
  ['by unit', { status: 422, body: { code: 'DEVICE_REFUSED_PARAMETER', detail: /Unit/ } }],
] as const) {
  t.test(`the meter decides whether 5 min 30 s is possible (${user_time_range})`, async (t) => {
    const world = await openWorld(t, { quirks: { user_time_range } });
    await world.put('/sim-1/measurement-time', { preset: '12h' });
    t.match(await world.put('/sim-1/measurement-time', { preset: '00:05:30' }), answer);
    const { measurement_time } = (await world.get('/sim-1/measurement-time')).body;
    t.equal(measurement_time, user_time_range === 'any' ? '330s' : '12h', 'all of it, or nothing');
  });
}

t.test('in auto store mode the time of auto store is meant', async (t) => {
  const world = await openWorld(t);
  world.meter.set('Store Mode', 'Auto');
  await world.put('/sim-1/measurement-time', { preset: '8h' });
  t.equal(world.meter.read('Measurement Time Preset Auto'), '8h');
  t.equal(world.meter.read(PRESET), '10m', 'the other time has not changed');
  t.equal((await world.get('/sim-1/measurement-time')).body.measurement_time, '8h');
});

t.test('the Leq interval takes the same forms, and Off', async (t) => {
  const world = await openWorld(t);
  for (const [preset, word] of Object.entries({ Off: 'Off', '00:15:00': '15m', '2h': '2h' })) {
    t.match(await world.put('/sim-1/leq-interval', { preset }), { status: 200, body: { leq_interval: word } }, preset);
    t.same((await world.get('/sim-1/leq-interval')).body, { status: 'ok', leq_interval: word });
  }
});

t.test('the Lp store interval takes its six words', async (t) => {
  const world = await openWorld(t);
  for (const preset of ['Off', '10ms', '25ms', '100ms', '200ms', '1s']) {
    t.match(await world.put('/sim-1/lp-interval', { preset }), { status: 200, body: { lp_interval: preset } }, preset);
    t.same((await world.get('/sim-1/lp-interval')).body, { status: 'ok', lp_interval: preset });
  }
});

t.test('the index number is the store name of the meter, in four digits whether it pads or not', async (t) => {
  const world = await openWorld(t);
  const own = world.meter.read('Index Number');
  for (const [index, text] of [
    [0, '0000'],
    [7, '0007'],
    [9_999, '9999'],
  ] as const) {
    const { status, body } = await world.put('/sim-1/index-number', { index });
    t.match({ status, body }, { status: 200, body: { message: String, index_number: text } });
    t.equal(Number(world.meter.read('Store Name')), index);
    t.same((await world.get('/sim-1/index-number')).body, { status: 'ok', index_number: text });
  }
  t.equal(world.meter.read('Index Number'), own, 'the number of the meter itself is as it was');
});

t.test('a setting that the meter refuses while measuring is 409', async (t) => {
  const world = await openWorld(t, { quirks: { settings_while_measuring: 'refused' } });
  await world.post('/sim-1/start');
  const wrongState = { status: 409, body: { code: 'DEVICE_WRONG_STATE', detail: String } };
  t.match(await world.put('/sim-1/measurement-time', { preset: '1m' }), wrongState);
  t.match(await world.put('/sim-1/leq-interval', { preset: '1m' }), wrongState);
  t.match(await world.put('/sim-1/lp-interval', { preset: '1s' }), wrongState);
  t.match(await world.put('/sim-1/index-number', { index: 1 }), wrongState);
});

t.test('a number that the meter does not take is 422 DEVICE_REFUSED_PARAMETER', async (t) => {
  const world = await openWorld(t, { quirks: { user_time_words: 'refused' } });
  const answer = await world.put('/sim-1/measurement-time', { preset: '12h' });
  t.match(answer, { status: 422, body: { code: 'DEVICE_REFUSED_PARAMETER', detail: String } });
});
