/** From the sound at the meter to the event: rules, windows, budgets, restarts, acknowledgements. */
import t from 'tap';
import { openWorld, type World } from '../support/world.ts';

const FILES_JOBS = new URL('../jobs/files-plugin.ts', import.meta.url).pathname;
const LIMIT = {
  continue: false,
  name: 'Limit',
  units: ['sim-1'],
  kind: 'level',
  quantity: 'leq',
  window: '1m',
  limit_db: 70,
};
const iso = (ms: number) => new Date(ms).toISOString();
const eventsOf = async (world: World, query = '') => (await world.get(`/_alerts/events${query}`)).body.data;

t.test('with a warning level one event is a warning first, and critical above the limit', async (t) => {
  const world = await openWorld(t);
  world.meter.instrument.play({ steadyDb: 50 });
  await world.put('/sim-1/config', { history: 'stream', timezone: 'UTC' });
  const body = { ...LIMIT, limit_db: 80, amber_db: 60 };
  const refused = await world.post('/_alerts/rules', { ...body, amber_db: 80 });
  t.match(refused, { status: 422, body: { errors: [{ path: '/amber_db', message: 'must be below limit_db' }] } });
  t.match(await world.post('/_alerts/rules', body), { status: 201, body: { data: { amber_db: 60, clear_db: 58 } } });
  const live = await world.watch('/_live?events=alert');
  const changes = () => live.messages.filter(({ event }) => event === 'alert').map(({ data }) => data.change);
  await world.pass(60_000 - (world.clock.now() % 60_000) + 2_000);
  world.meter.instrument.play({ steadyDb: 72 });
  await world.until('a warning', () => changes().includes('opened'));
  const [warning] = await eventsOf(world);
  t.match(warning, { id: '1', severity: 'warning', limit: 60, detail: /is at 60 dB or more, near the limit of 80 dB/ });
  t.match((await world.get('/sim-1/budget')).body.data, [{ limit_db: 80, state: 'ok' }], 'the limit is not exceeded');
  await world.post('/_alerts/events/1/ack', { note: 'Seen.' });
  world.meter.instrument.play({ steadyDb: 100 });
  await world.until('the limit is exceeded', () => changes().includes('critical'));
  const [critical, ...others] = await eventsOf(world);
  t.match(critical, { id: '1', severity: 'critical', limit: 80, ack: null, opened_at: warning.opened_at });
  t.equal(critical.detail, 'The Leq of 1 min is above 80 dB.');
  t.match(critical.sentences.detail, {
    code: 'level_above',
    text: 'The {level} of {window} is above {limit} dB.',
    values: { level: 'Leq', window: { code: 'time', values: { time: '1 min' } }, limit: 80 },
  });
  t.equal(critical.sentences.rule_name, undefined, 'a name that a person gave is the same in every language');
  t.strictSame(others, []);
  world.meter.instrument.play({ steadyDb: 50 });
  await world.restart(1_000);
  t.match(await eventsOf(world), [{ id: '1', severity: 'critical', limit: 80 }], 'it is critical after a restart, too');
});

t.test(
  'a limit that is broken opens one event in its minute, tells viewers, and a restart repeats nothing',
  async (t) => {
    const world = await openWorld(t);
    world.meter.instrument.play({ steadyDb: 50 });
    await world.put('/sim-1/config', { history: 'stream', timezone: 'Europe/Berlin' });
    const created = await world.post('/_alerts/rules', LIMIT);
    t.match(created, {
      status: 201,
      body: { data: { id: '1', align: 'clock', clear_db: 68, min_coverage: 0.5, enabled: true, severity: 'warning' } },
    });
    t.match(created.headers.get('location'), /\/_alerts\/rules\/1$/);
    const live = await world.watch('/_live?events=alert');
    await world.pass(60_000 - (world.clock.now() % 60_000) + 10_000);
    t.same(await eventsOf(world), []);
    const { data: budgets } = (await world.get('/sim-1/budget')).body;
    t.match(budgets, [{ rule: '1', limit_db: 70, state: 'ok', will_exceed_at: null, quantity: 'leq' }]);
    t.match((await world.get('/_budget')).body.data, [{ unit_id: 'sim-1', rule: '1', state: 'ok' }]);
    t.ok(budgets[0].remaining_may_average_db > 70 && budgets[0].leq_so_far < 60);

    world.meter.instrument.play({ steadyDb: 95 });
    const loudAt = world.clock.now();
    const minute = Math.floor(loudAt / 60_000) * 60_000;
    await world.until('an event', () =>
      live.messages.some(({ event, data }) => event === 'alert' && data.change === 'opened'),
    );
    const [event] = await eventsOf(world, '?open=true');
    t.match(event, { id: '1', rule: '1', unit_id: 'sim-1', window_from: iso(minute), closed_at: null, limit: 70 });
    t.ok(Date.parse(event.opened_at) - loudAt <= 2_000, 'the second in which 95 dB have used up the minute');
    const told = live.messages.find(({ event, data }) => event === 'alert' && data.change === 'opened');
    t.ok(Date.parse(told.time) - Date.parse(event.opened_at) <= 1_000, 'told within a second of the value');

    world.meter.instrument.play({ steadyDb: 50 });
    await world.pass(3_000);
    await world.restart(1_000);
    t.match(await eventsOf(world), [{ id: '1', closed_at: null }], 'it is open still, and the only one');
    await world.pass(minute + 60_000 + 40_000 - world.clock.now());
    const [ended, ...others] = await eventsOf(world);
    t.match(ended, { id: '1', closed_at: iso(minute + 60_000) });
    t.ok(ended.worst > 70 && ended.worst < 95);
    t.same(others, []);

    const acknowledged = await world.post('/_alerts/events/1/ack', { note: 'Rang the site.' });
    t.match(acknowledged.body.data, { ack: { by: 'anybody', at: String, note: 'Rang the site.' } });
    t.match((await world.post('/_alerts/events/1/ack', { note: 'Again.' })).body, {
      data: { ack: { note: 'Rang the site.', later: [{ note: 'Again.' }] } },
    });
    t.match(await world.post('/_alerts/events/99/ack', {}), { status: 404, body: { code: 'ALERT_NOT_FOUND' } });

    await world.gateway.history.flush();
    const kept = (await world.get('/_alerts/rules/1')).body.data;
    for (const rule of [LIMIT, kept]) {
      const preview = { rule, from: iso(minute), to: iso(minute + 120_000) };
      const { body } = await world.post('/_alerts/rules/preview', preview);
      t.match(body.data, [{ unit_id: 'sim-1', window_from: iso(minute), closed_at: iso(minute + 60_000) }]);
    }
    t.equal((await eventsOf(world)).length, 1, 'a preview leaves nothing behind');

    t.equal((await world.delete('/_alerts/rules/1')).status, 200);
    t.same((await world.get('/_alerts/rules')).body.data, []);
    t.same((await world.get('/sim-1/budget')).body.data, []);
    t.same((await world.get('/_budget')).body.data, []);
    t.equal((await eventsOf(world)).length, 1, 'the event is still there');
  },
);

t.test('viewers get the rest of a limit, and the news that the limit is broken', async (t) => {
  const world = await openWorld(t);
  world.meter.instrument.play({ steadyDb: 50 });
  await world.put('/sim-1/config', { history: 'stream' });
  await world.post('/_alerts/rules', LIMIT);
  const live = await world.watch('/_live?events=alert');
  const told = (state: string) => live.messages.filter(({ data }) => data?.budget?.state === state);
  await world.pass(60_000 - (world.clock.now() % 60_000) + 10_000);
  t.match(told('ok').at(-1), {
    event: 'alert',
    unit_id: 'sim-1',
    data: { change: 'budget', budget: { rule: '1', name: 'Limit', limit_db: 70, remaining_may_average_db: Number } },
  });
  world.meter.instrument.play({ steadyDb: 95 });
  await world.until('the limit is reported as broken', () => told('exceeded').length > 0);
  t.match(told('exceeded')[0].data, {
    change: 'budget',
    budget: { rule: '1', state: 'exceeded', remaining_may_average_db: null },
  });
});

t.test('a lost meter is an event, and its return ends the event', async (t) => {
  const world = await openWorld(t);
  const rule = {
    name: 'Lost',
    tag: 'site',
    kind: 'device',
    condition: 'unreachable',
    for: '30s',
    severity: 'critical',
  };
  await world.post('/_alerts/rules', rule);
  await world.put('/sim-1/config', { tags: ['site'], poll_enabled: true, poll_interval_seconds: 5 });
  await world.pass(15_000);
  t.same(await eventsOf(world), []);
  const { host, tcp_port } = (await world.get('/sim-1/config')).body.data;
  const live = await world.watch('/_live?events=alert');
  await world.put('/sim-1/config', { tcp_port: 1 });
  await world.until('the event', () => live.messages.some(({ data }) => data.change === 'opened'));
  t.match(await eventsOf(world), [{ kind: 'device', what: 'unreachable', severity: 'critical', closed_at: null }]);
  await world.put('/sim-1/config', { host, tcp_port });
  await world.until('its end', () => live.messages.some(({ data }) => data.change === 'closed'));
  t.match(await eventsOf(world), [{ closed_at: String }]);

  await world.put('/sim-1/config', { tcp_port: 1 });
  const opened = () => live.messages.filter(({ data }) => data.change === 'opened').length;
  await world.until('another event of the same rule', () => opened() === 2);
  const { body } = await world.post('/_alerts/events/1/ack', { note: 'The first one.' });
  t.match(body.data, { id: '1', closed_at: String, ack: { note: 'The first one.' } });
  t.match(await eventsOf(world), [
    { id: '2', closed_at: null, ack: null },
    { id: '1', ack: { note: 'The first one.' } },
  ]);
});

t.test('an impossible rule is refused with advice', async (t) => {
  const world = await openWorld(t, { meters: 1 });
  for (const [change, path, message] of [
    [{ units: undefined }, '/units', /needed, or a tag/],
    [{ tag: 'site' }, '/tag', /leave one of the two out/],
    [{ units: ['nobody'] }, '/units/0', /create it first/],
    [{ quantity: undefined }, '/quantity', /is needed for rules of the kind level/],
    [{ condition: 'stale' }, '/condition', /leave it out/],
    [{ clear_db: 71 }, '/clear_db', /must not be above limit_db/],
    [{ window: 'night', align: 'sliding' }, '/align', /must be clock/],
    [{ name: 'Noise \u202eta thgin' }, '/name', /without control characters/],
    [{ limit_dB: 70 }, '/limit_dB', /did you mean limit_db/],
    [{ targets: ['7'] }, '/targets/0', /create it first/],
    [{ ack_within: '5m' }, '/escalate_to', /belong together/],
    [{ schedule: [{ days: ['mon'], from: '07:00', to: '07:00' }] }, '/schedule/0/to', /00:00 to 24:00/],
    [{ schedule: [{ days: ['mon'], from: '7', to: '19:00' }] }, '/schedule/0/from', /07:00/],
    [{ window: '20m' }, '/window', /must be one of 1m, 5m, 15m/],
  ] as const) {
    const { status, body } = await world.post('/_alerts/rules', { ...LIMIT, ...change });
    t.match({ status, errors: body.errors }, { status: 422, errors: [{ path, message }] }, path);
  }
  const device = { name: 'Battery', units: ['sim-1'], kind: 'device', condition: 'battery_below' };
  t.match(await world.post('/_alerts/rules', device), { status: 422, body: { errors: [{ path: '/threshold' }] } });
  const never = await world.post('/_alerts/rules', { ...device, threshold: 101 });
  t.match(never, { status: 422, body: { errors: [{ path: '/threshold', message: /at most 100$/ }] } });
  t.match(await world.get('/_alerts/rules/1'), { status: 404, body: { code: 'ALERT_NOT_FOUND' } });
  t.same((await world.get('/_alerts/rules')).body.data, []);
});

t.test('an import of an empty list takes over no events', async (t) => {
  const world = await openWorld(t, { meters: 1 });
  t.match(await world.post('/_alerts/events/import', { events: [] }), { status: 200, body: { taken: 0, present: 0 } });
});

t.test('a thousand events are taken over in one request, with the usual limit of a body', async (t) => {
  const world = await openWorld(t, { meters: 1 });
  const events = Array.from({ length: 1_000 }, (_, index) => ({
    rule_name: `Limit ${index}`,
    unit_id: 'sim-1',
    kind: 'level',
    what: 'leq',
    limit: 70,
    worst: 72,
    opened_at: '2025-11-02T10:00:00Z',
    closed_at: '2025-11-02T10:15:00Z',
    detail: 'x'.repeat(500),
  }));
  t.match(await world.post('/_alerts/events/import', { events }), { status: 200, body: { taken: 1_000, present: 0 } });
});

t.test('exceeded limits are counted for each local day of a unit, the worst of them with its limit', async (t) => {
  const world = await openWorld(t, { meters: 2 });
  await world.put('/sim-1/config', { timezone: 'Asia/Tokyo' });
  const event = (unit_id: string, from: string, to: string, more: object = {}) => ({
    rule_name: 'Day limit',
    unit_id,
    kind: 'level',
    what: 'leq',
    limit: 70,
    worst: 72,
    opened_at: `2025-11-${from}:00Z`,
    closed_at: `2025-11-${to}:00Z`,
    ...more,
  });
  const events = [
    event('sim-1', '02T14:50', '02T14:55'),
    event('sim-1', '02T14:58', '02T15:10', { worst: 80.5 }),
    event('sim-1', '03T01:00', '03T01:15', { rule_name: 'Night limit', limit: 45, worst: 60 }),
    event('sim-1', '03T02:00', '03T02:15', { kind: 'device', what: 'stale', limit: null, worst: 999 }),
    event('sim-2', '02T23:30', '02T23:59'),
    event('gone', '02T10:00', '02T11:00'),
  ];
  await world.post('/_alerts/events/import', { events });
  const span = 'from=2025-11-01T00:00:00Z&to=2025-11-05T00:00:00Z';
  t.same((await world.get(`/_alerts/days?${span}`)).body.data, [
    {
      unit_id: 'sim-1',
      date: '2025-11-02',
      count: 2,
      excluded: 0,
      without_cause: 2,
      first_without_cause: '1',
      worst: 80.5,
      limit: 70,
      rule_name: 'Day limit',
      sentences: {},
    },
    {
      unit_id: 'sim-1',
      date: '2025-11-03',
      count: 2,
      excluded: 0,
      without_cause: 1,
      first_without_cause: '3',
      worst: 60,
      limit: 45,
      rule_name: 'Night limit',
      sentences: {},
    },
    {
      unit_id: 'sim-2',
      date: '2025-11-02',
      count: 1,
      excluded: 0,
      without_cause: 1,
      first_without_cause: '5',
      worst: 72,
      limit: 70,
      rule_name: 'Day limit',
      sentences: {},
    },
  ]);
  t.same((await world.get(`/_alerts/days?${span}&unit=sim-2`)).body.data.length, 1);
  const long = 'from=2025-01-01T00:00:00Z&to=2025-11-05T00:00:00Z';
  t.match(await world.get(`/_alerts/days?${long}`), { status: 422, body: { errors: [{ path: '/to' }] } });
});

t.test(
  'imported events are sorted by their time, and pages follow each other also for events of one moment',
  async (t) => {
    const world = await openWorld(t, { meters: 1 });
    const event = (rule_name: string, day: number) => {
      const [opened_at, closed_at] = [`2025-11-0${day}T10:00:00Z`, `2025-11-0${day}T11:00:00Z`];
      return { rule_name, unit_id: 'sim-1', kind: 'level', what: 'leq', opened_at, closed_at };
    };
    await world.post('/_alerts/events/import', { events: [event('b', 2), event('c', 3), event('d', 3)] });
    await world.post('/_alerts/events/import', { events: [event('a', 1), event('e', 3), event('f', 4)] });
    const names: string[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await world.get(`/_alerts/events?limit=2&from=2025-11-02T00:00:00Z&cursor=${cursor}`);
      names.push(...body.data.map(({ rule_name }: { readonly rule_name: string }) => rule_name));
      if (body.next === null) break;
      cursor = body.next;
    }
    t.same(names, ['f', 'e', 'd', 'c', 'b']);
    t.match(await world.get('/_alerts/events?cursor=17'), { status: 422, body: { errors: [{ path: '/cursor' }] } });
  },
);

t.test('failing FTP is over when a job is done whose kind fetches files, whatever its name', async (t) => {
  const world = await openWorld(t, { settings: { plugins: ['config', 'alerts', 'jobs', FILES_JOBS] } });
  const rule = { name: 'Files', units: ['sim-1'], kind: 'device', condition: 'ftp_failing', for: '1m' };
  t.match(await world.post('/_alerts/rules', rule), { status: 201 });
  const job = async (kind: string, fails: boolean) => {
    t.match(await world.post('/sim-1/files-job', { kind, fails }), { status: 202 });
    await world.pass(130_000);
    return (await eventsOf(world, '?open=true')).length;
  };
  t.equal(await job('fetch', true), 1);
  t.equal(await job('other', false), 1, 'another job says nothing of files');
  t.equal(await job('fetch', false), 0);
});
