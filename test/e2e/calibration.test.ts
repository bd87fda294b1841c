/** The log of calibrations: entries and their versions, drift, the calibrator that is measured, what indices, report and rules say. */
import t from 'tap';
import { openWorld, type World } from '../support/world.ts';

/** The clock of a world begins on 24 December 2025 at 02:00 UTC. */
const day = (date: number, hour = 0) => new Date(Date.UTC(2025, 11, date, hour)).toISOString();
const log = (world: World, body: object) => world.post('/sim-1/calibrations', { nominal_db: 94, ...body });

t.test('checks are logged, corrected and removed; every version stays', async (t) => {
  const world = await openWorld(t);
  const made = await log(world, {
    time: day(20),
    before_db: 94.1,
    after_db: 94,
    calibrator: 'NC-75',
    serial: '34512345',
    by: 'A. Weber',
    valid_until: '2026-12-31',
    text: 'Windscreen off.\nOn again.',
  });
  t.equal(made.status, 201);
  t.equal(made.headers.get('location'), '/api/nl43/sim-1/calibrations/1');
  t.match(made.body.data, {
    id: '1',
    version: 1,
    by: 'A. Weber',
    changed_by: 'anybody',
    certificate: '',
    after_db: 94,
  });

  const changed = await world.put('/sim-1/calibrations/1', { ...made.body.data, certificate: 'D-K-12345' });
  t.match(changed.body.data, { version: 2, certificate: 'D-K-12345', before_db: 94.1 });
  await log(world, { time: day(10), before_db: 93.9 });
  const list = await world.get('/sim-1/calibrations');
  t.strictSame(
    list.body.data.map((entry: { id: string }) => entry.id),
    ['1', '2'],
    'the newest check first, whenever it was logged',
  );
  t.match(list.body.data[1], { by: 'anybody', after_db: null, valid_until: null }, 'an unadjusted check');
  const first = await world.get('/_calibrations?limit=1');
  t.match(first.body, { data: [{ id: '1' }], next: '1' });
  t.match((await world.get('/_calibrations?limit=1&cursor=1')).body, { data: [{ id: '2' }], next: null });

  await world.delete('/sim-1/calibrations/1');
  t.same(
    (await world.get('/sim-1/calibrations')).body.data.map((entry: { id: string }) => entry.id),
    ['2'],
  );
  const [removed] = (await world.get('/sim-1/calibrations?versions=true')).body.data;
  t.match(removed, { id: '1', removed: true, versions: [{ certificate: '' }, { version: 2 }, { removed: true }] });
  t.equal((await world.put('/sim-1/calibrations/1', { text: 'again' })).body.code, 'CALIBRATION_NOT_FOUND');

  await world.restart(1_000);
  const after = (await world.get('/sim-1/calibrations?versions=true')).body.data;
  t.strictSame(after[0], removed, 'the same after a restart');
});

t.test('impossible input is refused with its place, and nothing is kept', async (t) => {
  const world = await openWorld(t);
  for (const [body, path] of [
    [{}, '/before_db'],
    [{ before_db: '94' }, '/before_db'],
    [{ before_db: 114.5 }, '/before_db'],
    [{ before_db: 94, after_db: 73.9 }, '/after_db'],
    [{ before_db: 94, time: '2031-01-01T00:00:00Z' }, '/time'],
    [{ before_db: 94, time: '1969-12-31T23:59:59Z' }, '/time'],
    [{ before_db: 94, valid_until: '2026-02-30' }, '/valid_until'],
    [{ before_db: 94, serial: 'a\u009bb' }, '/serial'],
    [{ before_db: 94, volume: 1 }, '/volume'],
  ] as const) {
    const { status, body: answer } = await log(world, body);
    t.match({ status, path: answer.errors?.[0]?.path }, { status: 422, path }, JSON.stringify(body));
  }
  await log(world, { time: day(20), before_db: 94 });
  const twice = await log(world, { time: day(20), before_db: 94 });
  t.match(twice.body, { code: 'INVALID', errors: [{ path: '/time' }] }, 'a second check at the same time');
  t.equal((await world.get('/sim-1/calibrations')).body.data.length, 1);
  t.equal((await world.post('/nobody/calibrations', { nominal_db: 94, before_db: 94 })).body.code, 'UNIT_NOT_FOUND');
});

t.test('a drift of more than half a decibel makes the time between two checks doubtful', async (t) => {
  const world = await openWorld(t);
  await log(world, { time: day(10), before_db: 94.3, after_db: 94 });
  // The other calibrator gives 114 dB: what counts is how far the meter is from it.
  await log(world, { time: day(15), nominal_db: 114, before_db: 114.5, after_db: 114 });
  t.same((await world.get('/sim-1/calibrations')).body.doubtful, [], 'exactly half a decibel is still good');
  await log(world, { time: day(20), before_db: 93.4, after_db: 94 });
  const wanted = { from: day(15), to: day(20), drift_db: -0.6, calibrations: ['2', '3'] };
  t.same((await world.get('/sim-1/calibrations')).body.doubtful, [wanted]);

  const indicesOf = async (from: number, to: number) =>
    (await world.get(`/sim-1/indices?from=${day(from)}&to=${day(to)}&zone=Asia/Kolkata`)).body.data;
  const { doubtful, notes } = await indicesOf(16, 17);
  t.same(doubtful, [wanted]);
  t.match(notes, [/^From 2025-12-15T05:30:00\+05:30 to .* doubtful: .* drifted by -0\.60 dB\.$/]);
  t.match(await indicesOf(20, 21), { doubtful: [], notes: [] }, 'it begins when the doubtful time ends');
  t.match(await indicesOf(14, 15), { doubtful: [], notes: [] }, 'it ends when the doubtful time begins');

  const assessmentOf = async (from: number, to: number) =>
    (await world.get(`/sim-1/assessment?from=${day(from)}&to=${day(to)}&zone=UTC`)).body.data;
  const assessed = await assessmentOf(14, 21);
  t.same(assessed.doubtful, [wanted]);
  t.match(assessed.notes.at(-1), /^From 2025-12-15T00:00:00\+00:00 to .* doubtful: .* drifted by -0\.60 dB\.$/);
  t.same(
    assessed.days.map(({ doubtful }: { doubtful: boolean }) => doubtful),
    [false, true, true, true, true, true, false],
  );
  t.same((await assessmentOf(20, 21)).doubtful, []);
  // The night of the preset belongs to the day on which it begins.
  const night = await world.get(`/sim-1/assessment?from=${day(14)}&to=${day(15)}&zone=UTC&preset=de-ta-laerm&area=WA`);
  t.match(night.body.data, { doubtful: [wanted], days: [{ doubtful: true }] });

  const report = async (from: number, to: number) =>
    String((await world.get(`/sim-1/report?from=${day(from)}&to=${day(to)}&zone=UTC`)).body);
  const sheet = await report(16, 17);
  t.match(sheet, />114<.*>114\.5<.*>114<[\s\S]*>94<.*>93\.4</, 'the check before and the one after');
  t.notMatch(sheet, />94\.3</, 'no other');
  t.match(sheet, /the levels are doubtful/);
  t.notMatch(await report(21, 22), /doubtful/);
});

t.test('a calibrator is measured from the stream, and its time is excluded', async (t) => {
  const world = await openWorld(t);
  const { meter } = world;
  meter.instrument.play({ steadyDb: 93.8 });
  await world.post('/sim-1/start');
  await world.pass(3_000);
  const { status, body } = await world.post('/sim-1/calibrations/measure', { seconds: 10, nominal_db: 94 });
  t.equal(status, 200);
  t.match(body.data, { level_db: 93.8, deviation_db: -0.2, spread_db: 0, steady: true, over_range: false });
  t.equal(body.data.weighting, 'AF');
  t.ok(body.data.frames >= 90, `${body.data.frames} levels`);
  const [note] = (await world.get('/sim-1/notes')).body.data;
  t.match(note, {
    id: body.data.note,
    kind: 'exclusion',
    reason: 'calibration',
    from: body.data.from,
    to: body.data.to,
  });

  meter.instrument.play({ scenario: 'office' });
  const noise = await world.post('/sim-1/calibrations/measure', { seconds: 5, exclude: false });
  t.match(noise.body.data, { steady: false, deviation_db: null, note: null }, 'noise is no calibrator');
  t.equal((await world.get('/sim-1/notes')).body.data.length, 1);
  t.match((await world.get('/sim-1/calibrations')).body.data, [], 'nothing is logged by itself');

  t.match((await world.post('/sim-1/calibrations/measure', { seconds: 61 })).body.errors, [{ path: '/seconds' }]);
  meter.faults.on('wedge', { connections: 'reset' });
  await world.pass(5_000);
  t.ok((await world.post('/sim-1/calibrations/measure', {})).status >= 500, 'no levels, no answer that looks like one');
});

t.test('rules report a check that is due, a certificate that has ended, and drift', async (t) => {
  const world = await openWorld(t);
  const rule = async (condition: string, threshold?: number) => {
    const body = {
      kind: 'device',
      units: ['sim-1'],
      condition,
      for: '1s',
      ...(threshold !== undefined && { threshold }),
    };
    const made = await world.post('/_alerts/rules', { name: condition, ...body });
    t.equal(made.status, 201, JSON.stringify(made.body));
  };
  const open = async () => {
    await world.pass(12_000);
    const { data } = (await world.get('/_alerts/events?open=true')).body;
    return data.map(({ what }: { what: string }) => what).sort();
  };
  await rule('calibration_due', 30);
  await rule('calibrator_expired');
  await rule('calibration_drift', 0.5);
  t.same(await open(), ['calibration_due'], 'no check was ever logged');
  await log(world, { time: day(1), before_db: 94, valid_until: '2025-12-24' });
  t.same(await open(), [], 'the certificate is valid until the end of this day');
  await log(world, { time: day(23), before_db: 94.6, after_db: 94, valid_until: '2025-12-23' });
  t.same(await open(), ['calibration_drift', 'calibrator_expired']);
});

t.test('from the start of a calibration on the time is excluded; its end logs the tones that were found', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { history: 'stream', timezone: 'UTC' });
  const rule = { name: 'Limit', units: ['sim-1'], kind: 'level', quantity: 'lmax', window: '1m', limit_db: 80 };
  await world.post('/_alerts/rules', rule);
  await log(world, { time: day(10), before_db: 94, calibrator: 'NC-75', serial: '34512345' });
  world.meter.instrument.play({ steadyDb: 60 });
  await world.pass(20_000);
  t.same((await world.get('/sim-1/calibrations/assistant')).body.data, null);

  const started = await world.post('/sim-1/calibrations/assistant');
  const begin = world.clock.now();
  t.match(started.body.data, { by: 'anybody', note: '1', nominal_db: 94, tones: [] });
  t.equal(Date.parse(started.body.data.ends_at) - Date.parse(started.body.data.from), 1_800_000, 'half an hour');
  t.match((await world.post('/sim-1/calibrations/assistant')).body.data, { from: started.body.data.from });
  world.meter.instrument.play({ steadyDb: 94.6 });
  const on = world.clock.now();
  await world.pass(30_000);
  const { tones } = (await world.get('/sim-1/calibrations/assistant')).body.data;
  t.match(tones, [{ level_db: 94.6, nominal_db: 94, deviation_db: 0.6 }]);
  t.ok(Math.abs(Date.parse(tones[0].from) - on) <= 5_000, `it began at ${tones[0].from}`);
  world.meter.instrument.play({ steadyDb: 94 });
  await world.pass(30_000);
  world.meter.instrument.play({ steadyDb: 60 });
  const off = world.clock.now();
  await world.pass(10_000);

  const ended = await world.post('/sim-1/calibrations/assistant/end', { by: 'A. Weber' });
  t.match(ended.body, {
    message: 'The calibration 2 is logged.',
    data: { before_db: 94.6, after_db: 94, nominal_db: 94, calibrator: 'NC-75', serial: '34512345', by: 'A. Weber' },
  });
  const { time, from, to } = ended.body.data;
  t.equal(time, from);
  t.ok(Math.abs(Date.parse(from) - on) <= 5_000 && Math.abs(Date.parse(to) - off) <= 5_000, `${from} to ${to}`);
  const [note] = (await world.get('/sim-1/notes')).body.data;
  t.match(note, { id: '1', kind: 'exclusion', reason: 'calibration', from: started.body.data.from });
  t.ok(Date.parse(note.to) >= off && Date.parse(note.to) <= world.clock.now(), 'the time after it counts again');
  t.match(await world.post('/sim-1/calibrations/assistant/end'), { status: 404 });
  await world.pass(60_000);
  t.same((await world.get('/_alerts/events')).body.data, [], 'rules were quiet');
  const span = `from=${new Date(begin - 60_000).toISOString()}&to=${new Date(off).toISOString()}`;
  t.same((await world.get(`/sim-1/calibrations/proposals?${span}`)).body.data, [], 'it is logged');
});

t.test('a restart during a calibration leaves its end; without a tone nothing is logged', async (t) => {
  const world = await openWorld(t);
  await world.post('/sim-1/calibrations/assistant');
  const { ends_at } = (await world.get('/sim-1/calibrations/assistant')).body.data;
  await world.restart(1_000);
  t.match((await world.get('/sim-1/notes')).body.data, [{ reason: 'calibration', to: ends_at }]);
  await world.post('/sim-1/calibrations/assistant');
  const ended = await world.post('/sim-1/calibrations/assistant/end');
  t.match(ended.body, { message: /No steady tone was found, so nothing is logged/, data: null });
  const notes = (await world.get('/sim-1/notes')).body.data;
  t.equal(notes.length, 1, 'one exclusion, made longer');
  t.ok(Date.parse(notes[0].to) < Date.parse(ends_at), 'it has ended');
  t.same((await world.get('/sim-1/calibrations')).body.data, []);
});

t.test('a calibrator that nobody announced is proposed, and is logged and excluded with its times', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { history: 'stream', timezone: 'UTC' });
  world.meter.instrument.play({ steadyDb: 60 });
  await world.pass(70_000);
  world.meter.instrument.play({ steadyDb: 113.7 });
  await world.pass(40_000);
  world.meter.instrument.play({ steadyDb: 60 });
  await world.pass(70_000);
  await world.gateway.history.flush();
  const now = world.clock.now();
  const span = `from=${new Date(now - 300_000).toISOString()}&to=${new Date(now).toISOString()}`;
  const proposed = (await world.get(`/sim-1/calibrations/proposals?${span}`)).body.data;
  t.match(proposed, [{ level_db: 113.7, nominal_db: 114, deviation_db: -0.3 }]);
  const [{ from, to, level_db, nominal_db }] = proposed;
  t.ok(Date.parse(to) - Date.parse(from) >= 30_000, `${from} to ${to}`);
  const made = await log(world, { time: from, from, to, nominal_db, before_db: level_db });
  t.match(made.body.data, { from, to });
  t.match((await world.get('/sim-1/notes')).body.data, [{ kind: 'exclusion', reason: 'calibration', from, to }]);
  t.same((await world.get(`/sim-1/calibrations/proposals?${span}`)).body.data, []);
  for (const [body, path] of [
    [{ from }, '/to'],
    [{ from: to, to: from }, '/to'],
    [{ from: day(20), to: day(21) }, '/to'],
    [{ from, to: '2031-01-01T00:00:00Z' }, '/to'],
  ] as const)
    t.match(await log(world, { before_db: 94, time: day(21), ...body }), { status: 422, body: { errors: [{ path }] } });
});
