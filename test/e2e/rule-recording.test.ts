/** A rule about a level of a unit that records nothing is never silent about it. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

const RULE = { name: 'Limit', units: ['sim-1'], kind: 'level', quantity: 'leq', window: '15m', limit_db: 70 };

t.test('a rule that is refused its recording warns, and its budget says that there is no data', async (t) => {
  const world = await openWorld(t);
  const { status, body } = await world.post('/_alerts/rules', { ...RULE, record: false });
  const warning = { unit_id: 'sim-1', message: /sim-1 records nothing/ };
  t.match({ status, body }, { status: 201, body: { data: { warnings: [warning] }, recording: [] } });
  t.equal(body.data.record, false, 'it is kept: units that get its tag later are left alone too');
  t.match((await world.get('/_alerts/rules')).body.data, [{ warnings: [warning] }]);
  await world.pass(35_000);
  t.match((await world.get('/sim-1/budget')).body.data, [{ state: 'no_data', measured_s: 0, leq_so_far: null }]);
  t.equal((await world.get('/sim-1/config')).body.data.history, 'off');
});

t.test('by default the unit records what the rule needs from then on, and the answer says so', async (t) => {
  const world = await openWorld(t);
  const { body } = await world.post('/_alerts/rules', RULE);
  t.match(body, {
    message: /^The rule Limit is created\. sim-1 records its stream from now on/,
    recording: [{ unit_id: 'sim-1', history: 'stream', was: 'off' }],
    data: { warnings: [] },
  });
  t.equal((await world.get('/sim-1/config')).body.data.history, 'stream');
  await world.put('/sim-1/config', { history: 'poll' });
  const mean = await world.put('/_alerts/rules/1', RULE);
  t.match(mean.body.recording, [{ was: 'poll' }], 'readings give no mean late in a measurement');
  await world.put('/sim-1/config', { history: 'poll' });
  const off = await world.post('/_alerts/rules', { ...RULE, quantity: 'lmax', enabled: false });
  t.match(off.body, { recording: [] }, 'a rule that is off needs nothing');
  const peak = await world.post('/_alerts/rules', { ...RULE, quantity: 'lmax' });
  t.match(peak.body.recording, [{ was: 'poll', history: 'stream' }], 'a maximum is not in readings');
});

t.test('a rule is checked before it is made: its words, and the units that record too little for it', async (t) => {
  const world = await openWorld(t);
  const { name: _, ...draft } = RULE;
  const ask = (change: object) => world.post('/_alerts/rules/check', { rule: { ...draft, ...change } });
  t.match(await ask({}), {
    status: 200,
    body: {
      data: { words: 'Leq of 15 min above 70 dB', warnings: [{ unit_id: 'sim-1', message: /records nothing/ }] },
    },
  });
  await world.put('/sim-1/config', { history: 'poll', poll_enabled: true });
  const mean = await ask({});
  t.match(mean.body.data.warnings, [{ message: /no means late in a long measurement/ }]);
  await world.put('/sim-1/config', { history: 'stream', poll_enabled: false });
  t.strictSame((await ask({ quantity: 'lmax' })).body.data.warnings, []);
  const wrong = await ask({ limit_db: undefined, units: ['gone'] });
  t.match(wrong, { status: 422, body: { errors: [{ path: '/rule/units/0' }, { path: '/rule/limit_db' }] } });
  t.same((await world.get('/_alerts/rules')).body.data, [], 'nothing is made');
});

t.test('a thousand rules are made in one request, and with one mistake none is', async (t) => {
  const world = await openWorld(t);
  const rules = Array.from({ length: 1_000 }, (_, index) => ({ ...RULE, name: `Limit ${index}` }));
  const wrong = await world.post('/_alerts/rules/batch', { rules: [...rules.slice(1), { ...RULE, clear_db: 80 }] });
  t.match(wrong, { status: 422, body: { errors: [{ path: '/rules/999/clear_db' }] } });
  t.same((await world.get('/_alerts/rules')).body.data, []);
  const { status, body } = await world.post('/_alerts/rules/batch', { rules });
  t.equal(status, 201);
  t.match(body, { message: '1000 rules are created.', recording: [{ unit_id: 'sim-1', was: 'off' }] });
  t.strictSame([body.data[0].name, body.data[999].id], ['Limit 0', '1000']);
  t.equal((await world.get('/_alerts/rules?limit=1000')).body.data.length, 1_000);
});

t.test('a thousand rules for two hundred units that record nothing take less than five seconds', async (t) => {
  const world = await openWorld(t, { meters: 0 });
  const away = { host: '192.0.2.1', tcp_enabled: false, history: 'off' };
  for (let number = 0; number < 200; number++) await world.put(`/unit-${number}/config`, away);
  const rules = Array.from({ length: 1_000 }, (_, index) => ({
    ...RULE,
    name: `Limit ${index}`,
    units: [`unit-${index % 200}`],
    quantity: `l${10 + Math.floor(index / 200)}`,
    window: '8h',
    align: 'sliding',
  }));
  const used = process.cpuUsage();
  const { status, body } = await world.post('/_alerts/rules/batch', { rules });
  const { user, system } = process.cpuUsage(used);
  t.strictSame([status, body.recording.length], [201, 200]);
  t.ok(user + system < 5e6, `${Math.round((user + system) / 1_000)} ms of CPU`);
});

t.test('a unit that gets the tag of a rule later records what the rule needs, once', async (t) => {
  const world = await openWorld(t, { meters: 2 });
  await world.post('/_alerts/rules', { ...RULE, units: undefined, tag: 'site' });
  await world.post('/_alerts/rules', { ...RULE, units: undefined, tag: 'quiet', record: false });
  const historyOf = async (unit: string) => (await world.get(`/${unit}/config`)).body.data.history;
  await world.put('/sim-1/config', { tags: ['quiet'] });
  await world.pass(100);
  t.equal(await historyOf('sim-1'), 'off', 'its rule was made without');
  await world.put('/sim-1/config', { tags: ['quiet', 'site'] });
  await world.pass(100);
  t.equal(await historyOf('sim-1'), 'stream');
  await world.put('/sim-1/config', { history: 'off' });
  await world.put('/sim-1/config', { name: 'Roof' });
  await world.pass(100);
  t.equal(await historyOf('sim-1'), 'off', 'whoever switches it off afterwards is not overruled');
  await world.put('/new/config', { host: '192.0.2.7', tags: ['site'] });
  await world.pass(100);
  t.equal(await historyOf('new'), 'stream', 'a new unit, too');
  await world.restart(1_000);
  t.equal(await historyOf('sim-1'), 'off', 'a start is no new tag');
});

t.test('a rule on a unit that is only read says what it cannot see', async (t) => {
  const world = await openWorld(t);
  const warning = async (config: object, rule: object = {}) => {
    await world.put('/sim-1/config', config);
    const { body } = await world.post('/_alerts/rules', { ...RULE, record: false, ...rule });
    return body.data.warnings[0]?.message;
  };
  const poll = { history: 'poll', poll_enabled: true, poll_interval_seconds: 60 };
  t.match(
    await warning({ ...poll, poll_interval_seconds: 5 }),
    /no means late in a long measurement.* Set history to stream/,
  );
  t.match(await warning({ ...poll, poll_interval_seconds: 10 }), /no means late in a long measurement/);
  t.match(await warning({ ...poll, poll_enabled: false }), /nobody makes them: polling is off/);
  t.match(await warning({ history: 'stream', tcp_enabled: false }), /TCP is switched off for sim-1/);
  t.equal(await warning({ history: 'stream', tcp_enabled: true }), undefined);
  const coverage = { quantity: undefined, limit_db: undefined, kind: 'coverage' };
  t.equal(await warning({ ...poll, poll_interval_seconds: 5 }, coverage), undefined, 'a rule about gaps hears of them');
});

t.test('readings while nothing is measured are no data for a budget, and a gap for a rule about gaps', async (t) => {
  const world = await openWorld(t);
  // A meter that does not measure has no LE that grows, and so no Leq between two readings.
  await world.put('/sim-1/config', { history: 'poll', poll_enabled: true, poll_interval_seconds: 5 });
  await world.post('/_alerts/rules', { ...RULE, record: false });
  const gaps = { name: 'Gaps', units: ['sim-1'], kind: 'coverage', window: '1m', record: false };
  t.match((await world.post('/_alerts/rules', gaps)).body.data, {
    least_percent: 75,
    words: 'Less than 75 % of 1 min measured',
  });
  await world.pass(120_000);
  t.match((await world.get('/sim-1/budget')).body.data, [{ state: 'no_data', leq_so_far: null }]);
  const [event] = (await world.get('/_alerts/events?open=true')).body.data;
  t.match(event, { rule_name: 'Gaps', kind: 'coverage', what: 'coverage', unit: '%', limit: 75, closed_at: null });
  await world.put('/sim-1/config', { history: 'stream', poll_enabled: false });
  await world.pass(185_000);
  t.match((await world.get('/_alerts/events')).body.data, [{ id: event.id, windows: /./, closed_at: /Z$/ }]);
});

t.test('a rule whose meter was removed says so', async (t) => {
  const world = await openWorld(t, { meters: 2 });
  for (const unit of ['sim-1', 'sim-2']) await world.put(`/${unit}/config`, { poll_enabled: true });
  const off = { name: 'Away', units: ['sim-1', 'sim-2'], kind: 'device', condition: 'unreachable' };
  t.strictSame((await world.post('/_alerts/rules', off)).body.data.warnings, []);
  await world.delete('/sim-2/config');
  const [rule] = (await world.get('/_alerts/rules')).body.data;
  t.match(rule.warnings, [{ unit_id: 'sim-2', message: /^The meter sim-2 was removed/ }]);
  t.equal(rule.warnings.length, 1);
});

t.test('a rule about a meter that nobody reads, or that is switched off, says that it is not judged', async (t) => {
  const world = await openWorld(t);
  const warning = async (config: object, rule: object) => {
    await world.put('/sim-1/config', config);
    const { body } = await world.post('/_alerts/rules', { name: 'Meter', units: ['sim-1'], kind: 'device', ...rule });
    t.equal(body.data.state, body.data.warnings.length > 0 ? 'no_data' : 'watched');
    return body.data.warnings[0]?.message;
  };
  const [idle, read] = [
    { poll_enabled: false, history: 'off' },
    { poll_enabled: true, history: 'off' },
  ];
  const battery = { condition: 'battery_below', threshold: 20 };
  for (const rule of [battery, { condition: 'unreachable' }, { condition: 'not_measuring' }]) {
    t.match(await warning(idle, rule), /Nobody reads sim-1: polling is off/);
    t.equal(await warning(read, rule), undefined);
    t.equal(await warning({ poll_enabled: false, history: 'stream' }, rule), undefined);
    t.match(await warning({ tcp_enabled: false }, rule), /TCP is switched off for sim-1/);
    await world.put('/sim-1/config', { tcp_enabled: true });
  }
  t.equal(await warning(idle, { condition: 'clock_off', threshold: 60 }), undefined, 'clocks are read once a day');
  t.equal(await warning(idle, { condition: 'calibration_due', threshold: 30 }), undefined);
  t.match(await warning(idle, { condition: 'calibration_drift', threshold: 0.5 }), /Fewer than two calibrations/);
  t.match(await warning(idle, { condition: 'calibrator_expired' }), /No certificate of a calibrator/);
  t.match(await warning({ ...idle, ftp_enabled: false }, { condition: 'ftp_failing' }), /FTP is switched off/);
});

t.test('a rule for a tag that no unit has says that nothing is watched, until one has it', async (t) => {
  const world = await openWorld(t);
  const { body } = await world.post('/_alerts/rules', { ...RULE, units: undefined, tag: 'site', record: false });
  t.match(body.data, { state: 'no_units', warnings: [] });
  await world.put('/sim-1/config', { tags: ['site'] });
  const [rule] = (await world.get('/_alerts/rules')).body.data;
  t.match(rule, { state: 'no_data', warnings: [{ unit_id: 'sim-1', recordable: true, message: /records nothing/ }] });
});
