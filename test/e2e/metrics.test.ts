/** GET /metrics: the text that Prometheus reads. */
import { spawnSync } from 'node:child_process';
import t from 'tap';
import { brokenRules } from '../support/metric-rules.ts';
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

t.test('every meter has its counters, and unknown values are left out', async (t) => {
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
  t.equal(valueIn(text, 'slm_event_loop_delay_seconds_bucket', 'le="+Inf"'), 0, 'measured from now on');
});

t.test('the text keeps the rules of Prometheus', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { poll_enabled: true, poll_interval_seconds: 10 });
  await world.post('/sim-1/start');
  await world.pass(20_000);
  await scrape(world);
  const { text } = await scrape(world);
  t.strictSame(brokenRules(text), []);
  t.match(
    text,
    /slm_level_db\{unit_id="sim-1",quantity="ln1",percent="5",frequency_weighting="A",time_weighting="F"\} \d/,
  );
  t.match(text, /slm_level_db\{unit_id="sim-1",quantity="leq",frequency_weighting="A"\} \d/, 'no time weighting');
  t.match(text, /slm_level_db\{unit_id="sim-1",quantity="lpeak"\} \d/, 'a weighting of its own');
  t.ok((text.match(/^# TYPE/gm) ?? []).length > 15);
  const found = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
  if (found.error) t.comment('promtool is not installed: the rules above are checked alone');
  else t.equal(found.status, 0, found.stderr);

  const bad =
    '# TYPE a_delay gauge\na_delay{quantile="0.9"} 1\na_delay{quantile="0.9"} 2\n# HELP b_ms B\n# TYPE b_ms counter\nb_ms 1\n';
  t.strictSame(brokenRules(bad), [
    'a_delay: no help',
    'a_delay: only summaries have the label quantile',
    'a_delay: a series stands there twice',
    'b_ms: not in a base unit, or a short form of one',
    'b_ms: counters end with _total, and nothing else does',
  ]);
});

t.test('a meter that is gone has no values, and is shown as not reachable', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { poll_enabled: true, poll_interval_seconds: 10 });
  await world.pass(15_000);
  const values = async () => {
    const { text } = await scrape(world);
    const names = ['slm_level_db', 'slm_battery_percent', 'slm_card_free_percent', 'slm_measuring'];
    return text.split('\n').filter((line) => names.some((name) => line.startsWith(`${name}{`))).length;
  };
  t.ok((await values()) > 3);
  await world.meter.stop();
  await world.pass(120_000);
  t.equal(await values(), 0);
  const { text } = await scrape(world);
  t.equal(valueIn(text, 'slm_meter_reachable', 'unit_id="sim-1"'), 0);
  t.ok((valueIn(text, 'slm_meter_levels_timestamp_seconds', 'unit_id="sim-1"') ?? 0) > 0, 'and since when');
});

t.test('levels that nobody reads are left out after three intervals', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { poll_interval_seconds: 10 });
  await world.get('/sim-1/live');
  t.match((await scrape(world)).text, /slm_level_db\{unit_id="sim-1",quantity="lp"/);
  await world.clock.advance(31_000);
  const { text } = await scrape(world);
  t.notMatch(text, /slm_level_db\{/);
  t.match(text, /slm_battery_percent\{/, 'a battery changes slowly');
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
