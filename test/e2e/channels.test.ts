/** Other channels of a meter are recorded beside the main one, each with its own weighting, where somebody wishes it. */
import t, { type Test } from 'tap';
import { openWorld, type World } from '../support/world.ts';

const iso = (ms: number) => new Date(ms).toISOString();
const CHANNELS = ['main', 'sub1', 'sub2'];

/** A meter with C in its first and I in its second sub channel, and its stream recorded. */
async function recorded(t: Test, history = 'stream'): Promise<World> {
  const world = await openWorld(t, { quirks: { additional_values: 'on' } });
  world.meter.set('Display Sub Channel 1', 'On');
  world.meter.set('Display Sub Channel 2', 'On');
  world.meter.set('Frequency Weighting (Sub2)', 'A');
  world.meter.set('Time Weighting (Sub2)', 'I');
  const poll = history === 'poll' ? { poll_enabled: true, poll_interval_seconds: 10 } : {};
  await world.put('/sim-1/config', { history, history_channels: CHANNELS, timezone: 'UTC', ...poll });
  return world;
}

const frames = (world: World) => world.meter.log.commands.some((command) => command.startsWith('DRD?'));

function levels(world: World, from: number) {
  const span = `from=${iso(from)}&to=${iso(from + 60_000)}&step=10s`;
  return async (more: string) => {
    const { status, body } = await world.get(`/sim-1/history?${span}&${more}`);
    if (status !== 200) return { status, body, column: () => [] };
    const { data } = body;
    const column = (name: string): number[] => data.rows.map((row: unknown[]) => row[data.columns.indexOf(name)]);
    return { status, body, data, column };
  };
}

t.test('which channels are recorded is checked: the meter has them, and the main one is among them', async (t) => {
  const world = await openWorld(t);
  t.match((await world.get('/sim-1/config')).body.data, { history_channels: ['main'] }, 'the default');
  const capabilities = (await world.get('/sim-1/capabilities')).body.data;
  t.strictSame(capabilities.history_channels, ['main', 'sub1', 'sub2', 'sub3']);
  const units = capabilities.settings.flatMap(({ name, unit }: { name: string; unit?: string }) =>
    unit === undefined ? [] : [[name, unit]],
  );
  const expected = [
    ['measurement_time', 's, m, h'],
    ['leq_interval', 's, m, h'],
    ['lp_interval', 'ms, s'],
  ];
  t.strictSame(units, expected, 'times have a unit, words have none');
  for (const [history_channels, path] of [
    [['main', 'sub4'], '/history_channels/1'],
    [['sub1'], '/history_channels'],
    [['Main'], '/history_channels/0'],
    [[], '/history_channels'],
    [['main', 'main'], '/history_channels'],
    ['main', '/history_channels'],
  ] as const) {
    const { status, body } = await world.put('/sim-1/config', { history_channels });
    t.equal(status, 422, JSON.stringify(history_channels));
    t.match(body, { errors: [{ path }] });
  }
  t.match((await world.put('/sim-1/config', { history_channels: CHANNELS })).body.data, { history_channels: CHANNELS });
  t.match((await world.put('/sim-1/config', { name: 'Roof' })).body.data, { history_channels: CHANNELS }, 'it stays');
  const from = iso(world.clock.now() - 60_000);
  const to = iso(world.clock.now());
  for (const path of ['history', 'indices', 'history/extent', 'distribution', 'loudest_hour', 'moving']) {
    const { status, body } = await world.get(`/sim-1/${path}?from=${from}&to=${to}&channel=sub4`);
    if (path === 'history/extent') continue;
    t.match(
      { status, body },
      { status: 422, body: { errors: [{ path: '/channel', message: /sub1, sub2, sub3/ }] } },
      path,
    );
  }
  t.match(await world.get('/sim-1/history/extent?channel=sub4'), { status: 422 });
});

t.test('each channel has rows of its own weighting, and names with a weighting find them', async (t) => {
  const world = await recorded(t);
  await world.until('frames', () => frames(world));
  await world.pass(20_000);
  const from = Math.ceil(world.clock.now() / 10_000) * 10_000;
  await world.pass(from - world.clock.now() + 75_000);
  await world.gateway.history.flush();
  const ask = levels(world, from);
  const main = await ask('quantities=leq,lieq');
  t.match(main.data, { channel: 'main', weighting: { frequency: 'A', time: 'F' }, other_weightings: [] });
  const [sub1, sub2] = [await ask('channel=sub1&quantities=leq,l10'), await ask('channel=sub2&quantities=leq,lieq')];
  t.match(sub1.data, { channel: 'sub1', weighting: { frequency: 'C', time: 'F' }, other_weightings: [] });
  t.match(sub2.data, { channel: 'sub2', weighting: { frequency: 'A', time: 'I' } });
  t.ok(main.column('coverage').every((coverage) => coverage > 0.6));
  t.ok(
    sub1.column('leq').every((level, row) => level > (main.column('leq')[row] ?? Infinity)),
    'C is above A outdoors',
  );
  t.ok(
    main.column('lieq').every((level, row) => level >= (main.column('leq')[row] ?? Infinity)),
    'impulse is not below',
  );
  const both = await ask('quantities=laeq,lceq,laieq,lcf10,lceq');
  t.strictSame(both.data.columns, ['start', 'laeq', 'lceq', 'laieq', 'lcf10', 'coverage', 'quality', 'source']);
  t.strictSame(both.column('laeq'), main.column('leq'));
  t.strictSame(both.column('lceq'), sub1.column('leq'));
  t.strictSame(both.column('laieq'), main.column('lieq'));
  t.strictSame(both.column('lcf10'), sub1.column('l10'));
  t.match(both.data.series, [
    { columns: ['laeq', 'laieq'], channel: 'main' },
    { columns: ['lceq'], channel: 'sub1', weighting: { frequency: 'C', time: 'F' } },
    { columns: ['lcf10'], channel: 'sub1' },
  ]);
  const none = await ask('quantities=leq,lzeq');
  t.match(none.data, { notes: [/No channel has recorded.*lzeq/], series: [{ channel: 'main' }, { channel: null }] });
  t.ok(none.column('lzeq').every((level) => level === null));
  t.match(await ask('quantities=lzeqq'), { status: 422, body: { errors: [{ path: '/quantities' }] } });
  const csv = await world.get(
    `/sim-1/history?from=${iso(from)}&to=${iso(from + 10_000)}&step=10s&format=csv&header=symbols&quantities=leq,lceq,laf90,lpeak&channel=sub1`,
  );
  t.match(csv.headers.get('content-disposition'), /sub1_CF\.csv/);
  t.match(
    String(csv.body).split('\r\n')[0],
    '\ufeffunit_id,start,duration_s,LCeq dB (sub1),LCeq dB,LAF90 dB,Lpeak dB (sub1),coverage',
  );
  const { series, recording } = (await world.get('/sim-1/history/extent')).body.data;
  t.strictSame(series.map((one: { channel: string; source: string }) => `${one.channel} ${one.source}`).sort(), [
    'main stream',
    'sub1 stream',
    'sub2 stream',
  ]);
  t.match(recording, { state: 'recording', weighting: { frequency: 'A' } });
  t.match(recording.channels, [
    { channel: 'sub1', state: 'recording', weighting: { frequency: 'C', time: 'F' } },
    { channel: 'sub2', state: 'recording', weighting: { frequency: 'A', time: 'I' } },
  ]);
  t.match((await world.get('/sim-1/history/extent?channel=sub1')).body.data.series, [{ channel: 'sub1' }]);
});

t.test(
  'the weighting of one channel changes at the keys: only its rows are doubtful, until somebody states it',
  async (t) => {
    const world = await recorded(t);
    await world.until('frames', () => frames(world));
    await world.pass(40_000);
    const pressed = Math.ceil(world.clock.now() / 10_000) * 10_000;
    await world.pass(pressed - world.clock.now());
    world.meter.set('Frequency Weighting (Sub1)', 'Z');
    await world.pass(70_000);
    await world.get('/sim-1/frequency-weighting?channel=Sub1');
    await world.pass(20_000);
    await world.gateway.history.flush();
    const ask = levels(world, pressed);
    t.strictSame([...new Set((await ask('channel=sub1')).column('quality'))], ['flagged']);
    t.notOk(
      (await ask('')).column('quality').some((quality) => String(quality) === 'flagged'),
      'the main channel is as it was',
    );
    const { recording } = (await world.get('/sim-1/history/extent')).body.data;
    t.match(recording.channels[0], { channel: 'sub1', weighting: { frequency: 'Z' } });
    const said = {
      from: iso(pressed),
      to: iso(pressed + 60_000),
      channel: 'sub1',
      frequency_weighting: 'Z',
      time_weighting: 'F',
    };
    const stated = await world.post('/sim-1/history/weighting', said);
    t.match(stated, { status: 200, body: { left_hours: 0 } });
    t.ok(stated.body.moved > 40);
    t.match((await ask('channel=sub1&frequency_weighting=Z&time_weighting=F')).data, {
      weighting: { frequency: 'Z', time: 'F' },
    });
    const [note] = (await world.get('/sim-1/notes')).body.data;
    t.match(note, { channels: ['sub1'] });
  },
);

t.test('a channel that is switched off at the meter has no rows, and the recording says why', async (t) => {
  const world = await recorded(t);
  world.meter.set('Display Sub Channel 2', 'Off');
  await world.until('frames', () => frames(world));
  await world.pass(30_000);
  const { series, recording } = (await world.get('/sim-1/history/extent')).body.data;
  t.match(recording, { state: 'recording' });
  t.match(recording.channels, [
    { channel: 'sub1', state: 'recording', reason: null },
    { channel: 'sub2', state: 'waiting', reason: /switched off/ },
  ]);
  t.notOk(series.some((one: { channel: string }) => one.channel === 'sub2'));
});

t.test('readings are of all channels, too; an exclusion of one channel leaves the others as they are', async (t) => {
  const world = await recorded(t, 'poll');
  await world.pass(20_000);
  const from = Math.ceil(world.clock.now() / 10_000) * 10_000;
  await world.pass(from - world.clock.now() + 75_000);
  await world.gateway.history.flush();
  const ask = levels(world, from);
  const [main, sub1] = [await ask('quantities=lp'), await ask('channel=sub1&quantities=lp')];
  const above = sub1.column('lp').filter((level, row) => level > (main.column('lp')[row] ?? Infinity)).length;
  t.ok(above >= 3, `${above} rows in which C is above A`);
  const note = { from: iso(from), to: iso(from + 60_000), kind: 'exclusion', reason: 'fault', channels: ['sub1'] };
  t.match(await world.post('/sim-1/notes', note), { status: 201 });
  t.ok((await ask('channel=sub1&quantities=lp&exclusions=apply')).column('lp').every((level) => level === null));
  t.strictSame((await ask('quantities=lp&exclusions=apply')).column('lp'), main.column('lp'));
});

t.test('with only the main channel in the config, no other channel is asked for or kept', async (t) => {
  const world = await openWorld(t);
  world.meter.set('Display Sub Channel 1', 'On');
  await world.put('/sim-1/config', { history: 'stream' });
  await world.until('frames', () => frames(world));
  await world.pass(30_000);
  const { series, recording } = (await world.get('/sim-1/history/extent')).body.data;
  t.strictSame(
    series.map((one: { channel: string }) => one.channel),
    ['main'],
  );
  t.strictSame(recording.channels, []);
  t.notOk(world.meter.log.commands.some((command) => command.includes('Sub')));
});

t.test('when a recorded sub channel is off, PUT channel or a profile switches it on, and its rows come', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { history: 'stream', history_channels: ['main', 'sub1', 'sub2'], timezone: 'UTC' });
  const troubles = async (): Promise<string[]> =>
    (await world.get('/sim-1/history/extent?channel=sub1')).body.data.recording.channels.map(
      ({ reason }: { reason: string | null }) => reason ?? '',
    );
  await world.until('frames', () => frames(world));
  await world.pass(10_000);
  t.match(await troubles(), [/channel_sub1 switches it on/, /channel_sub2 switches it on/]);
  t.match(await world.get('/sim-1/channel?channel=Sub1'), { status: 200, body: { state: 'Off', channel: 'Sub1' } });
  t.match(await world.put('/sim-1/channel', { channel: 'Sub1', state: 'On' }), {
    status: 200,
    body: { state: 'On', message: 'The channel Sub1 is switched on.' },
  });
  const settings = { channel_sub2: 'On', frequency_weighting_sub2: 'Z' };
  t.match(await world.put('/_profiles/all-channels', { settings }), { status: 201 });
  const job = await world.post('/_profiles/all-channels/apply', { units: ['sim-1'] });
  t.ok(job.status < 300, JSON.stringify(job.body));
  await world.pass(60_000);
  t.match(
    ['Display Sub Channel 1', 'Display Sub Channel 2', 'Frequency Weighting (Sub2)'].map((name) =>
      world.meter.read(name),
    ),
    ['On', 'On', 'Z'],
  );
  const from = world.clock.now();
  await world.pass(60_000);
  await world.gateway.history.flush();
  for (const channel of ['sub1', 'sub2'])
    t.ok((await levels(world, from)(`channel=${channel}&quantities=leq`)).column('leq').some(Number.isFinite), channel);
  t.strictSame(await troubles(), ['', '']);
});

t.test('while the meter measures, it does not switch a channel', async (t) => {
  const world = await openWorld(t, { quirks: { settings_while_measuring: 'refused' } });
  await world.post('/sim-1/start');
  await world.pass(3_000);
  t.match(await world.put('/sim-1/channel', { channel: 'Sub3', state: 'On' }), {
    status: 409,
    body: { code: 'DEVICE_WRONG_STATE' },
  });
});
