/** Permits over HTTP: bodies, faults with their paths, and the verdict about days of each kind. */
import t, { type Test } from 'tap';
import { openBroker } from '../mqtt/support.ts';
import { openWorld, type World } from '../support/world.ts';

const HOUR = 3_600_000;
/** A Wednesday before the clock of the test; the unit is in UTC unless a test says otherwise. */
const DAY = Date.UTC(2025, 11, 17);
const at = (hours: number) => new Date(DAY + hours * HOUR).toISOString();
const EVERY_DAY = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun', 'holiday'];
const WORKS = { index: 'leq', window: '1h', from: '07:00', to: '20:00', days: EVERY_DAY, limit_db: 60, amber_db: 55 };

async function openIn(t: Test, timezone: string): Promise<World> {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { timezone });
  return world;
}

/** Minutes of one level; `lmax` is 5 dB above it. */
async function measured(world: World, from: number, to: number, level: (hour: number) => number | null): Promise<void> {
  const lines: string[] = [];
  for (let minute = from * 60; minute < to * 60; minute += 1) {
    const leq = level(minute / 60);
    if (leq !== null) lines.push(`${at(minute / 60)},60,${leq},${leq + 5}`);
  }
  await world.bring(lines);
}

async function permitted(world: World, body: object): Promise<void> {
  const { status, body: answer } = await world.put('/_permits/works', { units: ['sim-1'], ...body });
  if (status > 201) throw new Error(JSON.stringify(answer));
}

const verdictOf = async (world: World, query: string) =>
  (await world.get(`/_permits/works/verdict?${query}`)).body.data;

t.test('a day is met, exceeded, excluded, half measured or not over', async (t) => {
  const world = await openIn(t, 'UTC');
  // Quiet on Wednesday, one loud hour on Thursday, half of Friday is missing.
  await measured(world, 0, 72, (hour) => {
    if (hour >= 34 && hour < 35) return 66;
    return hour >= 60 && hour < 66 ? null : 50;
  });
  await permitted(world, { title: 'Depot', limits: [WORKS], responsible: 'A. Weber' });
  const met = await verdictOf(world, 'day=2025-12-17');
  t.match(met, { permit: 'works', title: 'Depot', verdict: 'met', margin_db: 10, is_amber: false });
  t.match(met.units, [{ unit_id: 'sim-1', verdict: 'met', parts: [{ limit: 'LAeq,1h 07:00-20:00', coverage: 1 }] }]);
  const exceeded = await verdictOf(world, 'day=2025-12-18');
  t.match(exceeded, { verdict: 'exceeded', margin_db: -6 });
  t.match(exceeded.units[0].parts, [{ value: 66, limit_db: 60, from: at(34), to: at(35), reason: null }]);
  const half = await verdictOf(world, 'day=2025-12-19');
  t.match(half, { verdict: 'not_assessable', margin_db: null });
  t.match(half.units[0].parts[0].reason, /were measured/);
  const week = await verdictOf(world, 'from=2025-12-17&to=2025-12-19');
  t.equal(week.verdict, 'exceeded', 'the worst of several days');
  t.equal(week.units[0].parts.length, 3);

  const note = { kind: 'exclusion', reason: 'other', text: 'Wrong site.', from: at(24), to: at(48) };
  await world.post('/sim-1/notes', note);
  const excluded = await verdictOf(world, 'day=2025-12-18');
  t.match(excluded, { verdict: 'excluded', margin_db: null });
  t.match(excluded.units[0].parts, [{ value: null, excluded_s: 13 * 3_600, leq_all: 56 }]);
  await world.post('/sim-1/notes', { ...note, from: at(72), to: at(96) });
  t.match(await verdictOf(world, 'day=2025-12-20'), { verdict: 'not_assessable' }, 'nothing was measured on this day');
  const { body } = await world.get('/sim-1/verdicts?from=2025-12-17&to=2025-12-19');
  t.strictSame(
    body.data.days.map((day: { verdict: string }) => day.verdict),
    ['met', 'excluded', 'not_assessable'],
    'the same verdicts for the page of the unit',
  );
  const span = await verdictOf(world, 'from=2025-12-17&to=2025-12-20');
  t.match(span, { verdict: 'not_assessable' }, 'a day that nobody can assess may have been too loud');
  t.match(await verdictOf(world, 'from=2025-12-17&to=2025-12-18'), { verdict: 'met', margin_db: 10 }, 'excluded days');
  t.match(span.units, [
    {
      verdict: 'not_assessable',
      days: { met: 1, exceeded: 0, excluded: 1, not_assessable: 2, not_over: 0 },
      excluded_days: ['2025-12-18'],
      not_assessable_days: ['2025-12-19', '2025-12-20'],
    },
  ]);
  t.match(await verdictOf(world, 'from=2025-12-18&to=2025-12-19'), { verdict: 'not_assessable' });
  await measured(world, 60, 66, () => 61);
  const late = await verdictOf(world, 'from=2025-12-17&to=2025-12-19');
  t.match(late, { verdict: 'exceeded', margin_db: -1 }, 'late levels of a day that was judged before count');
  const hour = { kind: 'exclusion', reason: 'rain', text: 'Rain.', from: at(10.1), to: at(11.9) };
  await world.post('/sim-1/notes', hour);
  const rain = await verdictOf(world, 'day=2025-12-17');
  t.match(rain, { verdict: 'met', units: [{ parts: [{ excluded_s: 6_480, coverage: 0.861 }] }] }, 'enough remains');
  const { body: report } = await world.get(`/_reports/preview?units=sim-1&zone=UTC&from=${at(0)}&to=${at(48)}`);
  t.match(
    JSON.stringify(report.data.units[0].sections[0]),
    /By the permit, days that met it: 1; days that exceeded it: 0; other days: 1\. The least margin is 10\.0 dB/,
  );
  const { body: rules } = await world.get('/_permits/works/rules?margin_db=3');
  t.match(rules.data.rules, [{ units: ['sim-1'], quantity: 'leq', window: '1h', limit_db: 60, amber_db: 55 }]);
});

t.test('today is not over while nothing is exceeded, and is exceeded as soon as one window is', async (t) => {
  const world = await openIn(t, 'UTC');
  // It is two o'clock.
  const today = new Date(world.clock.now()).toISOString().slice(0, 10);
  const midnight = (Date.parse(today) - DAY) / HOUR;
  await permitted(world, { limits: [{ ...WORKS, from: '00:00', to: '24:00' }] });
  await measured(world, midnight, midnight + 1, () => 50);
  t.match(await verdictOf(world, `day=${today}`), { verdict: 'not_over', margin_db: null });
  await measured(world, midnight + 1, midnight + 2, () => 70);
  t.match(await verdictOf(world, `day=${today}`), { verdict: 'exceeded', margin_db: -10 });
  const { body } = await world.get('/_verdicts?days=2');
  t.match(body.data, [{ unit_id: 'sim-1' }]);
  t.match(body.data[0].days.at(-1), { permit: 'works', verdict: 'exceeded' });
  t.match(body.permits, [{ permit: 'works', units: ['sim-1'], yesterday: { verdict: 'not_assessable' } }]);
  await measured(world, midnight - 24, midnight, () => 57);
  const { body: then } = await world.get('/_verdicts?days=2');
  t.match(then.permits, [{ yesterday: { verdict: 'met', margin_db: 3, is_amber: true, unit_id: 'sim-1' } }]);
});

t.test('while a window of a limit runs, the verdict says how long the present level may go on', async (t) => {
  const world = await openIn(t, 'UTC');
  const today = new Date(world.clock.now()).toISOString().slice(0, 10);
  const midnight = (Date.parse(today) - DAY) / HOUR;
  const limit = { ...WORKS, from: '00:00', to: '24:00' };
  await permitted(world, { limits: [limit, { ...limit, index: 'lmax', limit_db: 90 }] });
  const parts = async () => (await verdictOf(world, `day=${today}`)).units[0].parts;
  t.match(await parts(), [
    { running: { from: `${today}T02:00:00.000Z`, leq: null, present_db: null } },
    { running: null },
  ]);
  await world.clock.advance(0.25 * HOUR);
  await measured(world, midnight + 2, midnight + 2.25, (hour) => (hour > midnight + 2.165 ? 63 : 54));
  const [running] = await parts();
  const spent = (10 * 10 ** 5.4 + 5 * 10 ** 6.3) / 10 ** 6.005;
  t.match(running.running, { present_db: 63, to: `${today}T03:00:00.000Z` });
  // Time without levels is neither spent nor allowed.
  const allowed = 15 + (midnight + 3 - (world.clock.now() - DAY) / HOUR) * 60;
  const rest = (allowed - spent) / 10 ** 0.295;
  t.ok(Math.abs(running.running.may_go_on_s - rest * 60) < 10, `${running.running.may_go_on_s} s of ${rest * 60}`);
  await world.clock.advance(HOUR / 12);
  await measured(world, midnight + 2.25, midnight + 2.25 + 1 / 12, () => 80);
  t.match((await parts())[0].running, { present_db: 80, may_go_on_s: 0 });
  const { body } = await world.get('/sim-1/verdicts');
  t.match(body.data.days, [{ parts: [{ running: null }, { running: null }] }], 'nothing of yesterday runs');
});

t.test('MQTT has the verdict of today each quarter, as the API has it, until the permit is gone', async (t) => {
  const broker = await openBroker(t);
  const world = await openWorld(t, { settings: { plugin_settings: { mqtt: { url: broker.url } } } });
  await world.put('/sim-1/config', { timezone: 'UTC', tcp_enabled: false });
  const [topic, discovery] = ['slm/sim-1/verdict', 'homeassistant/device/slm_-sim-1/config'];
  const hour = Math.floor((world.clock.now() - DAY) / HOUR) - 1;
  await measured(world, hour, hour + 1, () => 70);
  await permitted(world, { title: 'Depot', limits: [{ ...WORKS, from: '00:00', to: '24:00' }] });
  await world.clock.advance(15 * 60_000);
  await world.until('the verdict', () => broker.texts(topic).length > 0);
  const { body } = await world.get('/_verdicts?days=1');
  const { parts: _, ...today } = body.data[0].days[0];
  t.match(today, { verdict: 'exceeded', margin_db: -10, permit: 'works' });
  t.strictSame(broker.last(topic), today);
  t.match(broker.last(discovery).cmps.verdict, { p: 'sensor', state_topic: topic });
  await world.delete('/_permits/works');
  await world.clock.advance(15 * 60_000);
  await world.until('its end', () => broker.texts(topic).at(-1) === '');
  t.notOk(broker.last(discovery).cmps.verdict);
});

t.test('peaks, percentiles, the level over the background, and warnings', async (t) => {
  const world = await openIn(t, 'UTC');
  await measured(world, 0, 24, (hour) => (hour >= 10 && hour < 10.19 ? 70 : 56));
  const limits = [
    WORKS,
    { ...WORKS, index: 'lmax', window: 'period', limit_db: 72, amber_db: 71 },
    { ...WORKS, index: 'leq', window: '1h', limit_db: undefined, amber_db: undefined, over_background_db: 5 },
  ];
  await permitted(world, { limits });
  const { units, verdict, is_amber } = await verdictOf(world, 'day=2025-12-17');
  t.strictSame([verdict, is_amber], ['exceeded', false]);
  const [leq, lmax, over] = units[0].parts;
  t.match(leq, { verdict: 'exceeded', value: 63.65 });
  t.match(lmax, { limit: 'LAFmax 07:00-20:00', verdict: 'exceeded', value: 75, margin_db: -3 });
  t.match(over, { limit: 'LAeq,1h over LA90 07:00-20:00', verdict: 'not_assessable' });
  await permitted(world, { limits: [{ ...WORKS, limit_db: 64 }] });
  t.match(await verdictOf(world, 'day=2025-12-17'), { verdict: 'met', is_amber: true, margin_db: 0.35 });
});

t.test('days without a limit have no verdict, and leave the verdict of the week to the others', async (t) => {
  const world = await openIn(t, 'UTC');
  await measured(world, 0, 120, () => 50);
  await permitted(world, { limits: [{ ...WORKS, days: ['mon', 'tue', 'wed', 'thu', 'fri'] }] });
  const week = await verdictOf(world, 'from=2025-12-17&to=2025-12-21');
  t.match(week, { verdict: 'met', margin_db: 10 });
  t.match(week.units, [{ days: { met: 3, not_assessable: 0 }, not_assessable_days: [] }]);
  const { body } = await world.get('/sim-1/verdicts?from=2025-12-17&to=2025-12-21');
  t.equal(body.data.days.at(-1).date, '2025-12-19');
  t.match(await verdictOf(world, 'day=2025-12-20'), { verdict: 'not_assessable', units: [{ parts: [] }] });
});

t.test('a holiday has its own limits, and a permit ends', async (t) => {
  const world = await openIn(t, 'UTC');
  await measured(world, 0, 48, () => 55);
  await world.put('/_calendars/own', { days: [{ date: '2025-12-17', name: 'Fair' }] });
  const limits = [
    { ...WORKS, days: ['mon', 'tue', 'wed', 'thu', 'fri'] },
    { ...WORKS, days: ['sat', 'sun', 'holiday'], limit_db: 50, amber_db: 45 },
  ];
  await permitted(world, { limits, calendar: 'own', valid_until: '2025-12-17' });
  t.match(await verdictOf(world, 'day=2025-12-17'), { verdict: 'exceeded', margin_db: -5 });
  const after = await verdictOf(world, 'day=2025-12-18');
  t.match(after, { verdict: 'not_assessable', margin_db: null, units: [{ parts: [] }] });
  await world.delete('/_calendars/own');
  const { status, body: lacking } = await world.get('/_permits/works/verdict?day=2025-12-17');
  t.equal(status, 200, 'a calendar that is gone stops no answer');
  const reason = /calendar: is no calendar of GET _calendars/;
  t.match(lacking.data, { verdict: 'not_assessable', units: [{ parts: [{ limit_db: null, reason }] }] });
  t.equal((await world.get('/_verdicts')).status, 200, 'and no list of all units');
  await permitted(world, { limits });
  t.match(await verdictOf(world, 'day=2025-12-17'), { verdict: 'met' }, 'a Wednesday without the calendar');
});

t.test('a preset judges with its area and the values of a person, also when the clocks change', async (t) => {
  const world = await openIn(t, 'Europe/Berlin');
  const spring = (Date.UTC(2025, 2, 29, 12) - DAY) / HOUR;
  await measured(world, spring, spring + 48, () => 39);
  await permitted(world, { preset: 'de-ta-laerm', area: 'MI', additions: { tonal: 3, impulse: 0 }, calendar: 'de' });
  const day = await verdictOf(world, 'day=2025-03-30');
  t.equal(day.verdict, 'met');
  const night = day.units[0].parts.find(({ limit }: { limit: string }) => limit === 'night');
  t.match(night, { value: 42, limit_db: 45, margin_db: 3 });
  await permitted(world, { preset: 'de-ta-laerm', area: 'WR', additions: { tonal: 3, impulse: 0 } });
  t.equal((await verdictOf(world, 'day=2025-03-30')).verdict, 'exceeded');
});

t.test('a wrong permit is refused with the path of each fault, and one of other units is not seen', async (t) => {
  const world = await openWorld(t);
  const faults = async (body: object) => {
    const { status, body: answer } = await world.put('/_permits/works', body);
    t.equal(status, 422);
    return answer.errors.map(({ path }: { path: string }) => path);
  };
  const units = ['sim-1'];
  t.strictSame(await faults({}), ['/units', '/preset']);
  t.strictSame(await faults({ units, tag: 'works', limits: [WORKS] }), ['/tag']);
  t.strictSame(await faults({ units: ['gone'], limits: [WORKS] }), ['/units/0']);
  t.strictSame(await faults({ units, preset: 'de-ta-laerm' }), ['/area']);
  t.strictSame(await faults({ units, preset: 'de-ta-laerm', area: 'XX' }), ['/area']);
  t.strictSame(await faults({ units, preset: 'de-ta-laerm', area: 'MI', additions: { tonal: 4 } }), [
    '/additions/tonal',
  ]);
  t.strictSame(await faults({ units, preset: 'none', calendar: 'none' }), ['/calendar', '/preset']);
  t.strictSame(await faults({ units, limits: [{ ...WORKS, amber_db: 60 }] }), ['/limits/0/amber_db']);
  t.strictSame(await faults({ units, limits: [{ ...WORKS, from: '07:10', to: '08:05' }] }), ['/limits/0/window']);
  t.strictSame(await faults({ units, limits: [WORKS], targets: ['nobody'] }), ['/targets/0']);
  t.strictSame(await faults({ units, limits: [WORKS], valid_from: '2025-02-01', valid_until: '2025-01-01' }), [
    '/valid_until',
  ]);
  t.strictSame(await faults({ units, limits: [{ ...WORKS, index: 'l0' }] }), ['/limits/0/index']);
  await permitted(world, { limits: [WORKS] });
  for (const query of [
    'day=2025-02-30',
    'from=2025-01-02',
    'from=2025-01-02&to=2025-01-01',
    'from=2024-01-01&to=2025-12-01',
  ])
    t.equal((await world.get(`/_permits/works/verdict?${query}`)).status, 422, query);
  t.equal((await world.get('/_permits/none')).body.code, 'PERMIT_NOT_FOUND');
  t.match((await world.delete('/_permits/works')).body, { message: 'The permit works is removed.' });
  t.strictSame((await world.get('/_verdicts')).body.data, []);
});
