/** GET /metrics: the text that Prometheus reads. */
import t from 'tap';
import { openWorld, type World } from '../support/world.ts';

const scrape = async (world: World) => {
  const answer = await fetch(new URL('/metrics', world.base));
  return { answer, text: await answer.text() };
};
/** The value of one line. */
const valueIn = (text: string, name: string, labels: string): number | undefined => {
  const line = text.split('\n').find((each) => each.startsWith(`${name}{${labels}} `));
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ')));
};

t.test('every meter has its counters, and what is not known is left out', async (t) => {
  const world = await openWorld(t, { meters: 2 });
  await world.get('/sim-1/live');
  await world.put('/away/config', { host: '192.0.2.1', tcp_enabled: false });
  const { answer, text } = await scrape(world);
  t.equal(answer.status, 200);
  t.match(answer.headers.get('content-type'), /^text\/plain; version=0\.0\.4/);
  t.ok((valueIn(text, 'slm_meter_bytes_received_total', 'unit_id="sim-1"') ?? 0) > 500);
  t.equal(valueIn(text, 'slm_meter_connects_total', 'unit_id="sim-1"'), 1);
  t.equal(valueIn(text, 'slm_meter_reachable', 'unit_id="sim-1"'), 1);
  t.equal(valueIn(text, 'slm_meter_queue_length', 'unit_id="sim-1"'), 0);
  // The simulated clock has fractions of a millisecond, an ISO time has none.
  const stamp = valueIn(text, 'slm_meter_levels_timestamp_seconds', 'unit_id="sim-1"') ?? 0;
  const measured = Date.parse((await world.get('/sim-1/status')).body.data.measured_at);
  t.equal(Math.floor(stamp * 1_000 + 0.001), measured);
  t.equal(valueIn(text, 'slm_meter_reachable', 'unit_id="away"'), undefined);
  t.equal(valueIn(text, 'slm_meter_levels_timestamp_seconds', 'unit_id="sim-2"'), undefined);
  t.equal(valueIn(text, 'slm_event_loop_delay_seconds', 'quantile="0.99"'), undefined, 'measured from now on');
  const next = await scrape(world);
  t.ok((valueIn(next.text, 'slm_event_loop_delay_seconds', 'quantile="0.99"') ?? -1) >= 0);
});

t.test('each line is a comment or a sample, each name has its help and type once', async (t) => {
  const world = await openWorld(t);
  const { text } = await scrape(world);
  const names = new Set<string>();
  for (const line of text.trim().split('\n').filter(Boolean)) {
    t.match(line, /^(# (HELP|TYPE) slm_[a-z_]+ .+|slm_[a-z_]+(\{[a-z_]+="[^"]*"\})? -?[0-9.e+-]+)$/);
    if (line.startsWith('# TYPE')) {
      const name = line.split(' ')[2] ?? '';
      t.notOk(names.has(name), name);
      names.add(name);
    }
  }
  t.ok(names.size > 15);
});

t.test('levels, battery and open alerts are gauges, of the units that are there', async (t) => {
  const world = await openWorld(t);
  const rule = { name: 'Idle', units: ['sim-1'], kind: 'device', condition: 'not_measuring', for: '0s' };
  await world.post('/_alerts/rules', rule);
  await world.post('/sim-1/stop');
  await world.get('/sim-1/live');
  await world.pass(6_000);
  const { text } = await scrape(world);
  const level = valueIn(text, 'slm_level_db', 'unit_id="sim-1",quantity="lp"');
  t.ok(level !== undefined && level > 20 && level < 130);
  t.equal(valueIn(text, 'slm_measuring', 'unit_id="sim-1"'), 0);
  t.ok((valueIn(text, 'slm_battery_percent', 'unit_id="sim-1"') ?? -1) >= 0);
  t.equal(valueIn(text, 'slm_alerts_open', 'unit_id="sim-1",severity="warning"'), 1);
});

t.test('a counter does not fall when the config of a unit changes, and goes with the unit', async (t) => {
  const world = await openWorld(t);
  const sent = async () => valueIn((await scrape(world)).text, 'slm_meter_bytes_sent_total', 'unit_id="sim-1"');
  const before = (await sent()) ?? 0;
  t.ok(before > 0);
  await world.put('/sim-1/config', { tcp_enabled: false });
  t.equal(await sent(), before, 'nor while there is no session: Prometheus would take that for a new beginning');
  await world.put('/sim-1/config', { tcp_enabled: true });
  t.ok(((await sent()) ?? 0) > before);
  await world.delete('/sim-1/config');
  t.equal(await sent(), undefined);
});
