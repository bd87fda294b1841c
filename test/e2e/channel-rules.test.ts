/** Rules about another channel of a meter: they ring for its levels alone, and say where they cannot. */
import t, { type Test } from 'tap';
import { openWorld, type World } from '../support/world.ts';

const iso = (ms: number) => new Date(ms).toISOString();
const MINUTE = 60_000;
const LIMIT = { name: 'Limit', units: ['sim-1'], kind: 'level', quantity: 'leq', window: '1m', continue: false };

/** A meter with the stream of two channels, which have these weightings. */
async function recorded(t: Test, [main, sub1]: readonly [string, string]): Promise<World> {
  const world = await openWorld(t);
  world.meter.set('Display Sub Channel 1', 'On');
  world.meter.set('Frequency Weighting (Main)', main);
  world.meter.set('Frequency Weighting (Sub1)', sub1);
  await world.put('/sim-1/config', { history: 'stream', history_channels: ['main', 'sub1'], timezone: 'UTC' });
  await world.until('frames', () => world.meter.log.commands.some((command) => command.startsWith('DRD?')));
  return world;
}

async function leqOf(world: World, channel: string, from: number): Promise<number> {
  await world.gateway.history.flush();
  const query = `from=${iso(from)}&to=${iso(from + MINUTE)}&step=1m&quantities=leq&channel=${channel}`;
  const { data } = (await world.get(`/sim-1/history?${query}`)).body;
  return data.rows[0][data.columns.indexOf('leq')];
}

const make = async (world: World, rule: object) =>
  (await world.post('/_alerts/rules', { ...LIMIT, ...rule })).body.data;
const eventsOf = async (world: World) => (await world.get('/_alerts/events')).body.data;

t.test('when only one of two channels is over its limit, only the rule of that channel rings', async (t) => {
  const world = await recorded(t, ['A', 'C']);
  await world.nextMinute();
  const before = await world.nextMinute(5_000);
  const [main, sub1] = [await leqOf(world, 'main', before - MINUTE), await leqOf(world, 'sub1', before - MINUTE)];
  t.ok(sub1 > main + 4, `C is well above A: ${sub1} ${main}`);
  const between = Math.round((main + sub1) / 2);
  const rules = [
    await make(world, { name: 'C', channel: 'sub1', limit_db: between }),
    await make(world, { name: 'A', limit_db: between }),
    await make(world, { name: 'C slides', channel: 'sub1', limit_db: between, align: 'sliding' }),
    await make(world, { name: 'A slides', channel: 'main', limit_db: between, align: 'sliding' }),
  ];
  t.match(rules, [
    { channel: 'sub1', state: 'watched', words: `Leq (sub1) of 1 min above ${between} dB` },
    { channel: 'main', state: 'watched', words: `Leq of 1 min above ${between} dB` },
    { words: `Leq (sub1) of the last 1 min above ${between} dB` },
    {},
  ]);
  const from = await world.nextMinute(40_000);
  const { data: budgets } = (await world.get('/sim-1/budget')).body;
  t.match(budgets, [{ channel: 'sub1' }, { channel: 'main', state: 'ok' }, { channel: 'sub1' }, { channel: 'main' }]);
  t.ok(budgets[0].leq_so_far > between && budgets[1].leq_so_far < between);
  await world.nextMinute(45_000);
  const events = await eventsOf(world);
  t.strictSame([...new Set(events.map((event: { rule_name: string }) => event.rule_name))].sort(), ['C', 'C slides']);
  t.ok(events.every((event: { channel: string; detail: string }) => event.channel === 'sub1'));
  const own = events.find((event: { window_from: string; rule_name: string }) => {
    return event.rule_name === 'C' && event.window_from === iso(from);
  });
  t.match(own, { channel: 'sub1', detail: `The Leq (sub1) of 1 min is above ${between} dB.`, lae: null });
  t.ok(Math.abs(own.worst - (await leqOf(world, 'sub1', from))) < 0.1, 'its value is that of its channel');
  const csv = String((await world.get('/_alerts/events?format=csv')).body).split('\r\n');
  t.match([csv[0], csv[1]], [/,channel,excluded_s,cause$/, /,sub1,0,$/]);

  const span = { from: iso(from), to: iso(from + MINUTE) };
  const preview = async (rule: object) =>
    (await world.post('/_alerts/rules/preview', { rule: { ...LIMIT, ...rule, limit_db: between }, ...span })).body.data;
  t.match(await preview({ channel: 'sub1' }), [{ window_from: iso(from), worst: own.worst }]);
  t.strictSame(await preview({}), []);
  await world.restart(1_000);
  t.match((await world.get('/_alerts/rules/1')).body.data, { channel: 'sub1' });
  t.equal((await world.get('/_alerts/events?rule=2')).body.data.length, 0);
});

t.test('when only the main channel is over its limit, only the rule of main rings', async (t) => {
  const world = await recorded(t, ['C', 'A']);
  await world.nextMinute();
  const before = await world.nextMinute(5_000);
  const [main, sub1] = [await leqOf(world, 'main', before - MINUTE), await leqOf(world, 'sub1', before - MINUTE)];
  const between = Math.round((main + sub1) / 2);
  t.ok(main > between && sub1 < between, `${main} ${sub1}`);
  await make(world, { name: 'A', channel: 'sub1', limit_db: between });
  await make(world, { name: 'C', limit_db: between });
  await world.nextMinute();
  await world.nextMinute(45_000);
  const events = await eventsOf(world);
  t.ok(events.length > 0);
  t.ok(events.every((event: { rule_name: string; channel: string }) => event.rule_name + event.channel === 'Cmain'));
});

t.test('a rule about a channel that a unit does not record says that it cannot ring', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { history: 'stream' });
  const rule = await make(world, { channel: 'sub1', limit_db: 70 });
  t.match(rule, {
    state: 'no_data',
    warnings: [{ unit_id: 'sim-1', recordable: false, message: /does not record the channel sub1.*history_channels/ }],
  });
  const { body } = await world.post('/_alerts/rules/check', { rule: { ...LIMIT, channel: 'sub7', limit_db: 70 } });
  t.match(body.data.warnings, [{ message: /have no channel sub7, only main, sub1, sub2, sub3/ }]);
  for (const channel of ['Sub1', '', 7])
    t.match(await world.post('/_alerts/rules', { ...LIMIT, channel, limit_db: 70 }), {
      status: 422,
      body: { errors: [{ path: '/channel' }] },
    });
  const coverage = { name: 'Gaps', units: ['sim-1'], kind: 'coverage', window: '1m', channel: 'sub1' };
  t.match(await world.post('/_alerts/rules', coverage), { status: 422, body: { errors: [{ path: '/channel' }] } });

  // Recorded, and switched off at the meter.
  await world.put('/sim-1/config', { history_channels: ['main', 'sub1'] });
  await world.until('frames', () => world.meter.log.commands.some((command) => command.startsWith('DRD?')));
  await world.nextMinute(40_000);
  await world.nextMinute(40_000);
  const shown = async () => (await world.get('/_alerts/rules/1')).body.data;
  t.match(await shown(), { state: 'no_data', warnings: [{ message: /no levels of the channel sub1.*Switch/ }] });
  t.match((await world.get('/sim-1/budget')).body.data, [{ channel: 'sub1', state: 'no_data', leq_so_far: null }]);
  world.meter.set('Display Sub Channel 1', 'On');
  await world.nextMinute(40_000);
  t.match(await shown(), { state: 'watched', warnings: [] });
});

t.test('a unit that records nothing is not raised for a channel that it would not record', async (t) => {
  const world = await openWorld(t);
  const { body } = await world.post('/_alerts/rules', { ...LIMIT, channel: 'sub1', limit_db: 70 });
  t.match(body, { recording: [], data: { state: 'no_data', warnings: [{ recordable: false, message: /sub1/ }] } });
  t.equal((await world.get('/sim-1/config')).body.data.history, 'off');
  await world.put('/sim-1/config', { history_channels: ['main', 'sub1'] });
  const { body: changed } = await world.put('/_alerts/rules/1', { ...LIMIT, channel: 'sub1', limit_db: 70 });
  t.match(changed.recording, [{ unit_id: 'sim-1', history: 'stream' }]);
});

t.test(
  'a window is filled from the history of its channel, also when the rule or the gateway begins late',
  async (t) => {
    const world = await openWorld(t);
    await world.put('/sim-1/config', { history: 'stream', history_channels: ['main', 'sub1'], timezone: 'UTC' });
    const hour = Math.floor(world.clock.now() / 3_600_000) * 3_600_000;
    await world.pass(hour + 125_000 - world.clock.now());
    const rows = Array.from({ length: 2 }, (_, minute) => `${iso(hour + minute * MINUTE)},60,95`);
    await world.bring(rows, 'leq', 'sim-1?channel=sub1&frequency_weighting=C&time_weighting=F');
    const rule = { window: '1h', limit_db: 70 };
    await make(world, { ...rule, name: 'C', channel: 'sub1' });
    await make(world, { ...rule, name: 'A' });
    /** Once the history was read, which takes real time. */
    const budgets = async () => {
      for (let tries = 0; ; tries++) {
        const { data } = (await world.get('/sim-1/budget')).body;
        if (tries > 50 || data.every(({ note }: { note: string | null }) => note === null)) return data;
        await world.pass(200);
      }
    };
    await world.pass(10_000);
    t.match(await budgets(), [
      { channel: 'sub1', measured_s: 120, leq_so_far: 95, state: 'exceeded' },
      { channel: 'main', state: 'ok' },
    ]);
    t.match(await eventsOf(world), [{ rule_name: 'C', channel: 'sub1', window_from: iso(hour) }]);
    await world.restart(1_000);
    await world.pass(10_000);
    t.match(await budgets(), [
      { channel: 'sub1', measured_s: 120 },
      { channel: 'main', state: 'ok' },
    ]);
    t.equal((await eventsOf(world)).length, 1);
  },
);
