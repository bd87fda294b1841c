/** Limits of presets become rules of alerts that ring for them. */
import t from 'tap';
import { STANDARD_PRESETS } from '../assessment/profile.ts';
import { openWorld, type World } from '../support/world.ts';

const rulesOf = async (world: World, preset: string, query = '') =>
  (await world.get(`/_assessments/${preset}/rules${query}`)).body;

t.test('the limits of an area become rules: whole periods, the loudest hour, peaks', async (t) => {
  const world = await openWorld(t);
  const { data } = await rulesOf(world, 'de-ta-laerm', '?area=WA');
  const all = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
  const day = [{ days: all, from: '06:00', to: '22:00' }];
  const night = [{ days: all, from: '22:00', to: '06:00' }];
  t.match(data, {
    area: 'WA',
    left_out: [],
    rules: [
      { quantity: 'leq', window: 'scheduled', limit_db: 55, decimals: 1, min_coverage: 0.75, schedule: day },
      { quantity: 'lmax', window: '1h', limit_db: 85, schedule: day },
      { quantity: 'leq', window: '1h', limit_db: 40, schedule: night },
      { quantity: 'lmax', window: '1h', limit_db: 60, schedule: night },
    ],
    notes: [/\(tonal, impulse, rest\)/],
  });
  const early = await rulesOf(world, 'de-ta-laerm', '?area=WA&margin_db=6');
  t.strictSame(
    early.data.rules.map(({ limit_db }: { limit_db: number }) => limit_db),
    [49, 79, 34, 54],
  );
  t.match((await rulesOf(world, 'de-ta-laerm')).data, {
    rules: [],
    left_out: [{ figure: 'day', reason: /no limit/ }, { figure: 'night' }],
  });
  t.match((await rulesOf(world, 'eu-lden', '?limits=lden:55,night:45')).data, {
    rules: [{ window: 'scheduled', limit_db: 45 }],
    left_out: [{ figure: 'lden', reason: /index of several periods/ }, {}, {}],
  });
  t.match((await rulesOf(world, 'de-ta-laerm', '?area=moon')).errors, [{ path: '/area' }]);
  t.match((await rulesOf(world, 'de-ta-laerm', '?area=WA&limits=night:5&margin_db=6')).errors, [
    { path: '/margin_db' },
  ]);
  t.match(await rulesOf(world, 'nowhere'), { code: 'ASSESSMENT_NOT_FOUND' });
});

t.test('the rules of every preset and area can be made as they are', async (t) => {
  const world = await openWorld(t);
  let count = 0;
  for (const [name, { areas, figures }] of STANDARD_PRESETS) {
    const own = `limits=${figures.map((figure) => `${figure.name}:60`).join(',')}`;
    for (const query of [own, ...areas.map((area) => `area=${area.name}`)]) {
      const { data } = await rulesOf(world, name, `?${query}`);
      t.equal(
        new Set(data.rules.map((rule: { name: string }) => rule.name)).size,
        data.rules.length,
        `${name} ${query}`,
      );
      t.ok(data.rules.length + data.left_out.length >= figures.length, `${name} ${query}`);
      for (const rule of data.rules) {
        const { status, body } = await world.post('/_alerts/rules/check', { rule: { ...rule, units: ['sim-1'] } });
        t.equal(status, 200, JSON.stringify(body));
        count++;
      }
    }
  }
  t.ok(count > 50);
});

t.test('a rule over a period of a preset rings when its limit is broken for certain', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { history: 'stream', timezone: 'UTC' });
  world.meter.instrument.play({ steadyDb: 50 });
  const now = new Date(world.clock.now());
  const from = `${String(now.getUTCHours()).padStart(2, '0')}:${String(now.getUTCMinutes()).padStart(2, '0')}`;
  const to = new Date(world.clock.now() + 3 * 60_000).toISOString().slice(11, 16);
  const all = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun', 'holiday'];
  const periods = [
    { name: 'work', times: [{ days: all, from, to }] },
    { name: 'rest', times: [{ days: all, from: to, to: from }] },
  ];
  const figures = [{ name: 'work', period: 'work', quantity: 'leq', window_s: null }];
  const areas = [{ name: 'site', title: 'Site', limits: { work: 65 } }];
  t.equal((await world.put('/_assessments/permit', { title: 'Permit', periods, figures, areas })).status, 201);
  const { data } = await rulesOf(world, 'permit');
  const rules = data.rules.map((rule: object) => ({ ...rule, units: ['sim-1'] }));
  const made = await world.post('/_alerts/rules/batch', { rules });
  t.match(made.body.data, [{ name: 'Permit, site: work', words: /^Leq of the time from .* above 65 dB$/ }]);
  const live = await world.watch('/_live?events=alert');
  const told = (change: string) => live.messages.some(({ event, data }) => event === 'alert' && data.change === change);
  await world.pass(5_000);
  world.meter.instrument.play({ steadyDb: 95 });
  await world.until('an event', () => told('opened'));
  const [event] = (await world.get('/_alerts/events')).body.data;
  t.equal(event.window_from.slice(11, 16), from);
  t.equal(event.window_to.slice(11, 16), to, 'the window is the period');
  world.meter.instrument.play({ steadyDb: 40 });
  await world.pass(Date.parse(event.window_to) - world.clock.now() + 40_000);
  await world.until('its end', () => told('closed'));
});
