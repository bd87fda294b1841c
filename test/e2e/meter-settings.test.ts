/** Settings, battery, clock and sleep mode: what the API takes, what goes to the meter, what is read back. */
import t from 'tap';
import { farEnd, well } from '../support/far-end.ts';
import { openWorld } from '../support/world.ts';

const NUMBER = 'Measurement Time Manual (Num)';
const UNIT = 'Measurement Time Manual (Unit)';
const PRESET = 'Measurement Time Preset Manual';

t.test('times go to the meter as its own presets, and any other time by number and unit', async (t) => {
  const world = await openWorld(t);
  const byNumber = (number: number, unit: string) => [`${NUMBER},${number}`, `${UNIT},${unit}`, `${PRESET},Manual`];
  for (const [preset, word, sent] of [
    ['10s', '10s', [`${PRESET},10s`]],
    ['60s', '1m', [`${PRESET},1m`]],
    ['00:05:00', '5m', [`${PRESET},5m`]],
    ['15m', '15m', [`${PRESET},15m`]],
    ['1h', '1h', [`${PRESET},1h`]],
    ['60m', '1h', [`${PRESET},1h`]],
    ['24:00:00', '24h', [`${PRESET},24h`]],
    ['12h', '12h', byNumber(12, 'h')],
    ['45s', '45s', byNumber(45, 's')],
    ['00:02:00', '2m', byNumber(2, 'm')],
    ['1000h', '1000h', byNumber(1_000, 'h')],
  ] as const) {
    world.meter.log.clear();
    const { status, body } = await world.put('/sim-1/measurement-time', { preset });
    t.match({ status, body }, { status: 200, body: { message: String, measurement_time: word } }, preset);
    t.same(world.meter.log.commands, ['Store Mode?', ...sent], preset);
    t.same((await world.get('/sim-1/measurement-time')).body, { status: 'ok', measurement_time: word });
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

t.test('a number that the meter does not take is 422 DEVICE_REFUSED_PARAMETER', async (t) => {
  const world = await openWorld(t, { quirks: { user_time_words: 'refused' } });
  const answer = await world.put('/sim-1/measurement-time', { preset: '12h' });
  t.match(answer, { status: 422, body: { code: 'DEVICE_REFUSED_PARAMETER', detail: String } });
});

t.test('in auto store mode the time of auto store is meant', async (t) => {
  const world = await openWorld(t);
  world.meter.set('Store Mode', 'Auto');
  await world.put('/sim-1/measurement-time', { preset: '8h' });
  t.equal(world.meter.read('Measurement Time Preset Auto'), '8h');
  t.equal(world.meter.read(PRESET), '10m', 'the other time has not changed');
  t.equal((await world.get('/sim-1/measurement-time')).body.measurement_time, '8h');
});

t.test('the Leq interval takes the forms of times, and Off; the Lp interval takes its six words', async (t) => {
  const world = await openWorld(t);
  for (const [name, preset, word = preset] of [
    ...[['leq', 'Off'] as const, ['leq', '00:15:00', '15m'] as const, ['leq', '2h'] as const],
    ...['Off', '10ms', '25ms', '100ms', '200ms', '1s'].map((preset) => ['lp', preset] as const),
  ]) {
    const set = { status: 200, body: { [`${name}_interval`]: word } };
    t.match(await world.put(`/sim-1/${name}-interval`, { preset }), set, preset);
    t.same((await world.get(`/sim-1/${name}-interval`)).body, { status: 'ok', [`${name}_interval`]: word });
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

t.test('a weighting is set on a channel and read from it; without a channel the main channel is meant', async (t) => {
  const world = await openWorld(t);
  for (const [name, value] of [
    ['frequency', 'A'],
    ['time', 'F'],
  ] as const)
    t.same((await world.get(`/sim-1/${name}-weighting`)).body, {
      status: 'ok',
      [`${name}_weighting`]: value,
      channel: 'Main',
    });
  t.same(world.meter.log.commands, ['Frequency Weighting (Main)?', 'Time Weighting (Main)?']);
  for (const [name, weighting, channel] of [
    ['frequency', 'Z', 'Main'],
    ['frequency', 'A', 'Sub1'],
    ['frequency', 'C', 'Sub2'],
    ['frequency', 'Z', 'Sub3'],
    ['time', 'S', 'Main'],
    ['time', 'I', 'Sub1'],
    ['time', 'S', 'Sub2'],
    ['time', 'F', 'Sub3'],
  ] as const) {
    const wanted = { status: 'ok', [`${name}_weighting`]: weighting, channel };
    const { body } = await world.put(`/sim-1/${name}-weighting`, { weighting, channel });
    t.match(body, { ...wanted, message: String });
    t.same((await world.get(`/sim-1/${name}-weighting?channel=${channel}`)).body, wanted);
    if (name === 'frequency') t.equal(world.meter.read(`Frequency Weighting (${channel})`), weighting);
  }
  world.meter.log.clear();
  t.match((await world.put('/sim-1/frequency-weighting', { weighting: 'C' })).body, { channel: 'Main' });
  t.match((await world.put('/sim-1/time-weighting', { weighting: 'S' })).body, { channel: 'Main' });
  t.same(world.meter.log.commands, ['Frequency Weighting (Main),C', 'Time Weighting (Main),S']);
});

t.test('a setting that the meter refuses while it measures is 409, and stays as it was', async (t) => {
  const refused = { settings_while_measuring: 'refused', clock_while_measuring: 'refused' } as const;
  const world = await openWorld(t, { quirks: refused });
  await world.post('/sim-1/start');
  for (const [method, path, json, detail] of [
    ['PUT', 'measurement-time', { preset: '1m' }, String],
    ['PUT', 'leq-interval', { preset: '1m' }, String],
    ['PUT', 'lp-interval', { preset: '1s' }, String],
    ['PUT', 'index-number', { index: 1 }, String],
    ['PUT', 'time-weighting', { weighting: 'S' }, /Time Weighting/],
    ['PUT', 'clock', { datetime: '2025/12/24,02:10:55' }, /Clock/],
    ['POST', 'sleep', {}, /Sleep Mode/],
  ] as const) {
    const answer = await world.ask(method, `/sim-1/${path}`, { json });
    t.match(answer, { status: 409, body: { code: 'DEVICE_WRONG_STATE', detail } }, path);
  }
  t.equal(world.meter.read('Time Weighting (Main)'), 'F');
});

t.test('the word of the battery becomes a number, and is kept', async (t) => {
  const world = await openWorld(t);
  for (const [word, level] of Object.entries({ Full: '100', Middle: '60', Low: '30', Dead: '5', Empty: '0' })) {
    world.meter.set('Battery Level', word);
    const { body } = await world.get('/sim-1/battery');
    t.same(body, { status: 'ok', battery_level: level, battery_state: word });
    t.match((await world.get('/sim-1/status')).body.data, { battery_level: level, battery_state: word });
  }
});

t.test('a battery level that the meter gives as a number stays that number, without a word', async (t) => {
  const end = await farEnd(t, (line) => well(line === 'Battery Level?' ? ' 75' : undefined));
  const world = await openWorld(t, { meters: 0 });
  await world.put('/odd/config', end.config);
  t.same((await world.get('/odd/battery')).body, { status: 'ok', battery_level: '75', battery_state: null });
});

t.test(
  'the clock is set with a comma or a space, goes to the meter with a space, and is read with a comma',
  async (t) => {
    const world = await openWorld(t);
    for (const datetime of ['2024/02/29,23:59:58', '2024/02/29 23:59:58']) {
      world.meter.log.clear();
      const { status, body } = await world.put('/sim-1/clock', { datetime });
      t.match({ status, body }, { status: 200, body: { status: 'ok', message: String, clock: '2024/02/29,23:59:58' } });
      t.same(world.meter.log.commands, ['Clock,2024/02/29 23:59:58']);
    }
    world.meter.set('Clock', '2025/12/24 02:10:55');
    t.match((await world.get('/sim-1/clock')).body, { status: 'ok', clock: /^2025\/12\/24,02:10:5\d$/ });
  },
);

t.test('sleep and wake switch the setting, and status reads it', async (t) => {
  const world = await openWorld(t);
  t.same((await world.get('/sim-1/sleep/status')).body, { status: 'ok', sleep_mode: 'Off' });
  const message = /may stop answering whenever it does not measure; then only a person at the meter can wake/;
  t.match(await world.post('/sim-1/sleep'), { status: 200, body: { status: 'ok', message } });
  t.equal(world.meter.read('Sleep Mode'), 'On');
  t.same((await world.get('/sim-1/sleep/status')).body, { status: 'ok', sleep_mode: 'On' });
  t.match(await world.post('/sim-1/wake'), { status: 200, body: { status: 'ok', message: String } });
  t.equal(world.meter.read('Sleep Mode'), 'Off');
});

t.test('a sleep mode that was not switched off with a config is one log line with the unit once', async (t) => {
  const world = await openWorld(t);
  await world.passing(world.meter.stop());
  await world.put('/sim-1/config', { web_enabled: true });
  const lines = world.log.filter((line) => line.includes('sleep mode not switched off'));
  t.equal(lines.length, 1);
  // The JSON parser here accepts a key twice; others do not.
  t.equal(lines[0]?.match(/"unit_id":"sim-1"/g)?.length, 1);
});
