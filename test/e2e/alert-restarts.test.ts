/** A restart leaves no trace: one event stays one, and what a limit still allows is the same. */
import t, { type Test } from 'tap';
import { openWorld } from '../support/world.ts';

const LIMIT = { units: ['sim-1'], kind: 'level', quantity: 'leq', window: '1m', limit_db: 70 };

const SECOND = { steps: 10, lmax: 0, lmin: 0, lpeak: 0 };
const AF = { frequency: 'A', time: 'F' } as const;
const iso = (seconds: number) => new Date(seconds * 1_000).toISOString();
const secondAt = (at: number, leq: number) => ({
  ...SECOND,
  at,
  leq,
  lmax: leq + 2,
  lmin: leq - 2,
  lpeak: leq + 12,
  lp: Array<number>(10).fill(leq),
});

/**
 * Ten minutes at a unit, minute by minute, with a restart of the gateway after each of these minutes. Returns its answers at
 * the end.
 */
async function tenMinutes(t: Test, restarts: readonly number[]) {
  const world = await openWorld(t, { meters: 0 });
  await world.put('/roof/config', { host: '192.0.2.1', tcp_enabled: false, history: 'stream', timezone: 'UTC' });
  const rule = { ...LIMIT, units: ['roof'], limit_db: 70, record: false };
  await world.post('/_alerts/rules', { ...rule, name: 'Sliding', window: '1m', align: 'sliding' });
  const quarter = await world.post('/_alerts/rules', { ...rule, name: 'Quarter', window: '15m', limit_db: 90 });
  const begin = (Math.floor(world.clock.now() / 900_000) + 1) * 900;
  const reach = (at: number) => world.clock.advance(Math.max(0, at * 1_000 - world.clock.now()));
  const append = (seconds: readonly ReturnType<typeof secondAt>[], source: 'stream' | 'card' = 'stream') =>
    world.gateway.history.append({ unitId: 'roof', source, weighting: AF, seconds });
  for (let minute = 0; minute < 10; minute++) {
    const from = begin + minute * 60;
    await reach(from + 60);
    // The fourth minute is lost, and the card brings it later.
    const level = minute < 2 ? 55 : 80;
    const seconds = Array.from({ length: 60 }, (_, second) => secondAt(from + second, level + (second % 7)));
    if (minute !== 3) append(seconds);
    if (minute === 6)
      append(
        Array.from({ length: 60 }, (_, second) => secondAt(begin + 180 + second, 84)),
        'card',
      );
    await world.gateway.history.flush();
    await world.pass(6_000);
    if (restarts.includes(minute)) {
      await world.restart(500);
      await world.until('the history is read again', () => world.clock.now() > (from + 70) * 1_000);
    }
  }
  await reach(begin + 620);
  const budgetOf = async () =>
    (await world.get('/roof/budget')).body.data.find((one: { name: string }) => one.name === 'Quarter');
  while ((await budgetOf()).leq_so_far === null) await world.pass(100);
  await world.gateway.history.flush();
  const { name, leq_so_far, measured_s, state } = await budgetOf();
  const events = (await world.get('/_alerts/events')).body.data.map(
    (event: { rule_name: string; opened_at: string; closed_at: string | null; worst: number }) => ({
      rule: event.rule_name,
      opened: event.opened_at,
      closed: event.closed_at,
      worst: event.worst,
    }),
  );
  await reach(begin + 900);
  const span = `from=${iso(begin)}&to=${iso(begin + 900)}`;
  const midnight = begin - (begin % 86_400);
  const day = `from=${iso(midnight)}&to=${iso(midnight + 86_400)}`;
  const rows = await world.get(`/roof/history?${span}&step=1m&quantities=leq,lmax,l10,l90`);
  const indices = await world.get(`/roof/indices?preset=eu&${day}`);
  const report = await world.get(`/roof/report?${span}&limit_db=80&limit_step=5m`);
  const page = String(report.body);
  return {
    budget: { name, leq_so_far, measured_s, state },
    events,
    rows: rows.body.data.rows,
    indices: indices.body.data,
    exceeded: /in (\d+) of \d+ intervals/.exec(page)?.[1],
    // The first is the fingerprint of the key of evidence: each gateway has its own.
    sums: page.match(/[0-9a-f]{64}/g)?.slice(1),
    statuses: [quarter.status, rows.status, indices.status, report.status],
  };
}

t.test('after five restarts, with levels of the card between, all is as at a gateway that went on', async (t) => {
  const twin = await tenMinutes(t, []);
  const restarted = await tenMinutes(t, [2, 4, 5, 7, 8]);
  t.strictSame(twin.statuses, [201, 200, 200, 200]);
  t.equal(twin.events.filter(({ rule }: { rule: string }) => rule === 'Sliding').length, 1, 'the truth is one event');
  t.strictSame(restarted.events, twin.events);
  t.match(twin.budget, { state: 'ok', measured_s: 600 }, 'with the minute of the card');
  t.strictSame(restarted.budget, twin.budget);
  t.strictSame(restarted.rows, twin.rows);
  t.strictSame(restarted.indices, twin.indices);
  t.ok(twin.exceeded !== undefined && (twin.sums?.length ?? 0) > 0);
  t.strictSame([restarted.exceeded, restarted.sums], [twin.exceeded, twin.sums]);
});
