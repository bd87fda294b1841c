/** A kind is one entry: a made-up kind of rule, target or job, or a made-up action, works everywhere without another change. */
import t from 'tap';
import { alertKindTables } from '../../docs/tables.ts';
import { openWorld } from '../support/world.ts';
import { paperKind, printed, quietKind } from './made-up/alert-kinds.ts';
import { sourceFiles } from './source.ts';

const PLUGIN = new URL('made-up/alert-kinds.ts', import.meta.url).pathname;
const CAMPAIGN = new URL('made-up/schedule-actions.ts', import.meta.url).pathname;
const RULE = { name: 'Silent', units: ['sim-1'], kind: 'quiet', floor_db: 40, targets: ['1'] };

t.test(
  'a made-up kind of rule and target is there in routes, checks, preview, events, messages and forms',
  async (t) => {
    const plugins = ['config', 'status', 'live', 'history', PLUGIN];
    const world = await openWorld(t, { settings: { plugins } });
    world.meter.instrument.play({ steadyDb: 60 });
    await world.put('/sim-1/config', { history: 'stream' });

    const { rules, targets } = (await world.get('/_alerts/kinds')).body.data;
    t.match(
      rules.find(({ kind }: { kind: string }) => kind === 'quiet'),
      {
        title: 'silence',
        preview: true,
        fields: [
          { name: 'floor_db', label: 'Floor', type: 'number', unit: 'dB', needed: true, usual: 20, maximum: 100 },
          {
            name: 'place',
            type: 'choice',
            default: 'outside',
            choices: [
              { value: 'inside', words: 'in a room', fields: [{ name: 'glass', maximum: 3, unit: 'panes' }] },
              { value: 'outside', fields: [] },
            ],
          },
        ],
      },
      'the form of the dashboard is described',
    );
    t.match(targets.at(-1), { kind: 'paper', title: 'a printer', fields: [{ name: 'tray', needed: true }] });
    const { schemas } = (await world.get('/openapi.json')).body.components;
    t.match(schemas.NewAlertRule.properties, {
      kind: { enum: ['level', 'device', 'coverage', 'instances', 'quiet'] },
      floor_db: { maximum: 100 },
    });

    const tray = { name: 'Printer', kind: 'paper', tray: 'upper' };
    t.match(await world.post('/_alerts/targets', { ...tray, url: 'https://example.org' }), {
      status: 422,
      body: { errors: [{ path: '/url', message: 'is not for targets of the kind paper: leave it out' }] },
    });
    t.equal((await world.post('/_alerts/targets', tray)).status, 201);

    for (const [change, path, message] of [
      [{ floor_db: undefined }, '/floor_db', 'is needed for rules of the kind quiet'],
      [{ window: '5m' }, '/window', 'is not for rules of the kind quiet: leave it out'],
      [{ place: 'outside', glass: 2 }, '/glass', 'is not for outside: leave it out'],
      [{ place: 'inside', glass: 4 }, '/glass', 'is in panes: at most 3'],
    ] as const) {
      const { status, body } = await world.post('/_alerts/rules', { ...RULE, ...change });
      t.match({ status, errors: body.errors }, { status: 422, errors: [{ path, message }] }, message);
    }
    t.match((await world.post('/_alerts/rules', RULE)).body.data, {
      id: '1',
      place: 'outside',
      words: 'quieter than 40 dB outside',
    });

    await world.pass(5_000);
    world.meter.instrument.play({ steadyDb: 30 });
    await world.until('the message', () => printed.length > 0);
    t.strictSame(printed, ['upper: opened It is too quiet.']);
    const [event] = (await world.get('/_alerts/events')).body.data;
    t.match(event, { kind: 'quiet', unit: 'dB', limit: 40, closed_at: null });
    world.meter.instrument.play({ steadyDb: 60 });
    await world.until('the end', () => printed.length > 1);

    await world.gateway.history.flush();
    const to = new Date(world.clock.now()).toISOString();
    const from = new Date(world.clock.now() - 60_000).toISOString();
    const { data } = (await world.post('/_alerts/rules/preview', { rule: RULE, from, to })).body;
    t.match(data[0], { unit_id: 'sim-1', opened_at: event.opened_at });
  },
);

t.test('a made-up action of schedules and its kind of job are there in routes, checks, runs and forms', async (t) => {
  const world = await openWorld(t, { settings: { plugins: ['config', 'jobs', CAMPAIGN] } });
  t.match((await world.get('/_schedules/actions')).body.data.at(-1), {
    action: 'beep',
    words: 'sound the siren',
    fields: [{ name: 'profile', type: 'text', needed: false }],
  });
  const { data: kinds } = (await world.get('/_jobs/kinds')).body;
  t.match(
    kinds.find(({ kind }: { kind: string }) => kind === 'beep'),
    { title: 'Test of the siren', fields: [{ name: 'profile' }], one_at_a_time: null, goes_on: false },
  );
  const entry = { cron: '* * * * *', action: 'beep' };
  const foreign = await world.put('/sim-1/schedule', { entries: [{ ...entry, action: 'howl' }] });
  t.match(foreign, { status: 422, body: { errors: [{ path: '/entries/0/action', message: /beep/ }] } });
  const set = await world.put('/sim-1/schedule', { zone: 'UTC', entries: [entry] });
  t.match(set.body.data, { entries: [{ action: 'beep', profile: null }], next: [{ action: 'beep' }] });
  // The first look is some seconds after the start.
  await world.pass(65_000);
  const { data } = (await world.get('/_jobs?kind=beep')).body;
  t.match(data.at(-1), { kind: 'beep', title: 'Test of the siren', state: 'done', result: { heard: true } });
});

t.test('the tables of the docs are made from the kinds', async (t) => {
  const { rules, targets } = alertKindTables({ rules: [quietKind], targets: [paperKind] });
  t.match(rules, /quiet.*`floor_db`.*needed.*dB/);
  t.match(rules, /quiet.*`glass`.*inside/);
  t.match(targets, /paper.*`tray`.*needed/);
});

t.test('no file beside that of a kind and the table of kinds names one', async (t) => {
  const plugins = sourceFiles('plugins/alerts', 'plugins/campaign', 'lib/jobs');
  const chained = plugins.filter(
    ({ path, text }) =>
      !/^plugins\/alerts\/(rules\/(level|device)|delivery\/(mail|webhook|mqtt))\//.test(path) &&
      /kind === '(level|device|mail|webhook|mqtt)'|action === '/.test(text),
  );
  t.strictSame(
    chained.map(({ path }) => path),
    [],
  );
  const pages = sourceFiles('web').filter(({ text }) => /kind [!=]== '(level|device|coverage)'/.test(text));
  t.strictSame(
    pages.map(({ path }) => path),
    [],
    'pages go by what an event or a rule says of itself',
  );
});
