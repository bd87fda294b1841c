/** A limit that is met exactly, at every door that compares a level with it. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

const iso = (ms: number) => new Date(ms).toISOString();

t.test('a level equal to its limit is nowhere above it: events, budget, preview, report', async (t) => {
  const world = await openWorld(t);
  world.meter.instrument.play({ steadyDb: 70 });
  await world.put('/sim-1/config', { history: 'stream', timezone: 'UTC' });
  await world.pass(60_000 - (world.clock.now() % 60_000));
  const from = world.clock.now();
  await world.pass(10_000);
  const leqNow = async () => {
    await world.gateway.history.flush();
    const { body } = await world.get(
      `/sim-1/history?from=${iso(from)}&to=${iso(from + 60_000)}&step=1m&quantities=leq`,
    );
    return Math.round(body.data.rows[0][1] * 10) / 10;
  };
  // The level on the display is the limit.
  const limit_db = await leqNow();
  const below = Math.round(limit_db * 10 - 1) / 10;
  const rule = { name: 'Met', units: ['sim-1'], kind: 'level', quantity: 'leq', window: '1m', limit_db };
  await world.post('/_alerts/rules', rule);
  await world.post('/_alerts/rules', { ...rule, name: 'Below', limit_db: below });
  await world.pass(90_000);
  t.equal(await leqNow(), limit_db, 'the sound meets the limit');
  const events = (await world.get('/_alerts/events')).body.data;
  t.strictSame([...new Set(events.map((event: { rule_name: string }) => event.rule_name))], ['Below']);
  t.match((await world.get('/sim-1/budget')).body.data[0], { name: 'Met', state: 'ok' });

  await world.gateway.history.flush();
  const span = { from: iso(from), to: iso(from + 60_000) };
  const preview = async (limit: number) =>
    (await world.post('/_alerts/rules/preview', { rule: { ...rule, limit_db: limit }, ...span })).body.data.length;
  t.equal(await preview(limit_db), 0);
  t.equal(await preview(below), 1);
  const report = async (limit: number) => {
    const query = `from=${span.from}&to=${iso(from + 300_000)}&limit_db=${limit}&limit_step=5m`;
    const { body } = await world.get(`/sim-1/report?${query}`);
    return /in (\d+) of \d+ intervals/.exec(String(body))?.[1];
  };
  t.equal(await report(limit_db), '0');
  t.equal(await report(below), '1');
});

t.test('a limit near 0 dB can be made: its event ends at 0', async (t) => {
  const world = await openWorld(t);
  const rule = { name: 'Silent', units: ['sim-1'], kind: 'level', quantity: 'leq', window: '1m', limit_db: 1 };
  t.match((await world.post('/_alerts/rules', rule)).body.data, { clear_db: 0, decimals: 1 });
});

t.test('a limit that is broken quarter after quarter is one event, with the windows that it covers', async (t) => {
  const world = await openWorld(t);
  world.meter.instrument.play({ steadyDb: 80 });
  await world.put('/sim-1/config', { history: 'stream', timezone: 'UTC' });
  const rule = { name: 'Long', units: ['sim-1'], kind: 'level', quantity: 'leq', window: '1m', limit_db: 60 };
  await world.pass(60_000 - (world.clock.now() % 60_000));
  const from = world.clock.now();
  // The last second of the minute before comes a little after its end.
  await world.pass(2_000);
  t.match((await world.post('/_alerts/rules', rule)).body.data, { continue: true });
  await world.pass(from + 125_000 - world.clock.now());
  const events = (await world.get('/_alerts/events')).body.data;
  t.equal(events.length, 1);
  t.match(events[0], { windows: 3, window_from: iso(from), window_to: iso(from + 180_000), closed_at: null });
  await world.post(`/_alerts/events/${events[0].id}/ack`, { note: 'Heard.' });
  world.meter.instrument.play({ steadyDb: 30 });
  await world.restart(1_000);
  await world.pass(from + 275_000 - world.clock.now());
  t.match((await world.get('/_alerts/events')).body.data, [
    { id: events[0].id, windows: 3, closed_at: iso(from + 180_000), ack: { note: 'Heard.' } },
  ]);
});

t.test(
  'levels of an import count in the present window, for rules that were made before them or after them',
  async (t) => {
    const world = await openWorld(t, { meters: 0 });
    await world.put('/roof/config', { host: '192.0.2.1', tcp_enabled: false, history: 'stream', timezone: 'UTC' });
    const rule = { units: ['roof'], kind: 'level', quantity: 'leq', window: '1h', limit_db: 60, record: false };
    const hour = Math.ceil(world.clock.now() / 3_600_000) * 3_600;
    await world.clock.advance((hour + 1_200) * 1_000 - world.clock.now());
    await world.post('/_alerts/rules', { ...rule, name: 'Before' });
    await world.post('/_alerts/rules', { ...rule, name: 'Sliding before', window: '1h', align: 'sliding' });
    // The history is read in a thread of its own, in real time.
    while ((await budgets()).some(({ note }) => /being read/.test(note ?? ''))) await world.pass(100);
    const level = { steps: 10, leq: 55, lmax: 57, lmin: 53, lpeak: 70, lp: Array<number>(10).fill(55) };
    const seconds = Array.from({ length: 900 }, (_, index) => ({ ...level, at: hour + index }));
    const weighting = { frequency: 'A', time: 'F' } as const;
    world.gateway.history.append({ unitId: 'roof', source: 'card', weighting, seconds });
    await world.gateway.history.flush();
    await world.post('/_alerts/rules', { ...rule, name: 'After' });
    await world.post('/_alerts/rules', { ...rule, name: 'Sliding after', align: 'sliding' });
    for (let tries = 0; tries < 60 && !(await budgets()).every(({ measured_s }) => measured_s === 900); tries++)
      await world.pass(1_000);
    t.match(
      await budgets(),
      ['Before', 'Sliding before', 'After', 'Sliding after'].map((name) => ({ name, leq_so_far: 55, measured_s: 900 })),
    );

    async function budgets(): Promise<readonly { measured_s: number; note: string | null }[]> {
      return (await world.get('/roof/budget')).body.data;
    }
  },
);
