/** Somebody changes the weighting at the keys of the meter: what was stored with the old one since nobody looked is doubtful, and says so. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

const iso = (ms: number) => new Date(ms).toISOString();

t.test('levels since the last confirmation get a flag when the meter is found with another weighting', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { history: 'stream', timezone: 'UTC' });
  await world.until('frames', () => world.meter.log.commands.some((command) => command.startsWith('DRD?')));
  const recording = async () => (await world.get('/sim-1/history/extent')).body.data.recording;
  const confirmed = Date.parse((await recording()).weighting_confirmed_at);
  t.ok(Math.abs(confirmed - world.clock.now()) < 30_000);
  await world.pass(40_000);
  const pressed = Math.ceil(world.clock.now() / 1_000) * 1_000;
  world.meter.set('Frequency Weighting (Main)', 'C');
  await world.pass(70_000);
  await world.gateway.history.flush();
  const rows = async (from: number, to: number, more = '') => {
    const query = `from=${iso(Math.floor(from / 1_000) * 1_000)}&to=${iso(Math.floor(to / 1_000) * 1_000)}&step=10s${more}`;
    const { data } = (await world.get(`/sim-1/history?${query}`)).body;
    return data.rows.map((row: unknown[]) => row[data.columns.indexOf('quality')]);
  };
  t.strictSame(
    [...new Set(await rows(pressed, pressed + 60_000))],
    ['measured'],
    'before anybody looks it seems right',
  );
  const isFound = () =>
    world.meter.log.commands.filter((command) => command.startsWith('Frequency Weighting')).length > 1;
  for (let passed = 0; passed < 320_000 && !isFound(); passed += 5_000) await world.pass(5_000);
  t.ok(
    world.clock.now() - pressed < 310_000,
    'at the latest five minutes after the last one, while it does not measure',
  );
  await world.pass(5_000);
  t.match(await recording(), { weighting: { frequency: 'C' } });
  const old = '&frequency_weighting=A&time_weighting=F';
  t.strictSame(
    [...new Set(await rows(pressed, pressed + 60_000, old))],
    ['flagged'],
    'what was measured at C says that it may be',
  );
  t.strictSame(
    [...new Set(await rows(confirmed + 10_000, pressed, old))],
    ['flagged'],
    'and so does all since the confirmation',
  );
  const report = (await world.get(`/sim-1/report?from=${iso(pressed)}&to=${iso(pressed + 60_000)}`)).body;
  t.match(report, /with a weighting that may be another one/);
});

t.test('after a statement about the time of the key press, each second has its weighting', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { history: 'stream', timezone: 'UTC' });
  await world.until('frames', () => world.meter.log.commands.some((command) => command.startsWith('DRD?')));
  await world.pass(40_000);
  const pressed = Math.ceil(world.clock.now() / 10_000) * 10_000;
  await world.pass(pressed - world.clock.now());
  world.meter.set('Frequency Weighting (Main)', 'C');
  await world.pass(60_000);
  await world.get('/sim-1/frequency-weighting');
  await world.pass(10_000);
  await world.gateway.history.flush();
  const measured = async (frequency: string, from: number, to: number) => {
    const query = `from=${iso(from)}&to=${iso(to)}&step=10s&frequency_weighting=${frequency}&time_weighting=F`;
    const { data } = (await world.get(`/sim-1/history?${query}`)).body;
    const column = (name: string) => data.rows.map((row: unknown[]) => row[data.columns.indexOf(name)]);
    return { coverage: Math.max(...column('coverage')), quality: [...new Set(column('quality'))] };
  };
  const [early, late] = [pressed - 20_000, pressed + 50_000];
  t.match(await measured('A', pressed, late), { coverage: 1, quality: ['flagged'] });
  const before = await measured('A', early, pressed);
  t.match(before, { quality: ['flagged'] });

  const state = (frequency_weighting: string, from: number, to?: number) => ({
    from: iso(from),
    ...(to !== undefined && { to: iso(to) }),
    frequency_weighting,
    time_weighting: 'F',
    text: 'Log book.',
  });
  const { status, body } = await world.post('/sim-1/history/weighting', state('C', pressed));
  t.match([status, body], [200, { moved: Number, confirmed: 0, left_hours: 0, note: '1' }]);
  t.ok(body.moved >= 50 && body.moved <= 75, `${body.moved} seconds`);
  t.match(await measured('C', pressed, late), { coverage: 1, quality: ['measured'] });
  t.match(await measured('A', pressed, late), { coverage: 0, quality: ['none'] });
  t.same(await measured('A', early, pressed), before, 'what was before is as doubtful as it was');
  await world.post('/sim-1/history/weighting', state('A', early, pressed));
  t.match(
    await measured('A', early, pressed),
    { coverage: 1, quality: ['measured'] },
    'until somebody says that it was right',
  );
  const notes = (await world.get('/sim-1/notes')).body.data;
  t.match(notes.at(-1), { kind: 'note', from: iso(pressed), text: 'The weighting was CF. Log book.', by: String });
  const [entry] = (await world.get('/_audit?unit=sim-1&limit=1')).body.records;
  t.match(JSON.stringify(entry), /history\/weighting/, 'and the audit log has it');
});

t.test('a statement about the future, about nothing or about too long is refused with its path', async (t) => {
  const world = await openWorld(t);
  const now = world.clock.now();
  const AF = { frequency_weighting: 'A', time_weighting: 'F' };
  for (const [given, path] of [
    [{ from: iso(now + 5_000) }, '/from'],
    [{ from: iso(now - 5_000), to: iso(now + 120_000) }, '/to'],
    [{ from: iso(now - 5_000), to: iso(now - 5_000) }, '/to'],
    [{ from: iso(now - 32 * 86_400_000) }, '/from'],
    [{ from: iso(now - 5_000), frequency_weighting: 'B' }, '/frequency_weighting'],
  ] as const) {
    const { status, body } = await world.post('/sim-1/history/weighting', { ...AF, ...given });
    t.match([status, body], [422, { errors: [{ path }] }], path);
  }
  t.equal((await world.post('/nobody/history/weighting', { ...AF, from: iso(now - 5_000) })).status, 404);
  t.match((await world.post('/sim-1/history/weighting', { ...AF, from: iso(now - 5_000) })).body, { moved: 0 });
});
