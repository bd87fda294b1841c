/** Every output of levels has their settings: the percentage of each place LN1 to LN5, and the weightings. */
import t from 'tap';
import { slm } from '../cli/setup.ts';
import { openBroker } from '../mqtt/support.ts';
import { openWorld, type World } from '../support/world.ts';

interface Shown {
  readonly ln?: Readonly<Record<string, number>> | null;
  readonly frequency_weighting?: string | null;
  readonly time_weighting?: string | null;
}

const PERCENTAGES = ['1', '10', '50', '90', '99'];

async function measured(t: Tap, url: string): Promise<World> {
  const world = await openWorld(t, { settings: { plugin_settings: { mqtt: { url } } } });
  world.meter.set('Percentile 1', '1');
  world.meter.set('Percentile 5', '99');
  await world.put('/sim-1/config', { history: 'poll', poll_enabled: true, poll_interval_seconds: 10 });
  await world.post('/sim-1/start');
  return world;
}
type Tap = Parameters<typeof openWorld>[0];

t.test('each output of percentiles has their percentages, and the weighting of the level', async (t) => {
  const broker = await openBroker(t);
  const world = await measured(t, broker.url);
  const from = world.clock.now();
  const all = await world.watch('/_live?events=reading');
  const knows = (shown: Shown | undefined) => Object.keys(shown?.ln ?? {}).length === PERCENTAGES.length;
  const status = async () => (await world.get('/sim-1/status')).body.data as Shown;
  while (!knows(await status())) await world.pass(1_000);
  await world.get('/sim-1/live');
  const lastOf = (messages: readonly { readonly event?: string; readonly data?: Shown }[]) =>
    messages.findLast(({ data }) => knows(data))?.data;
  await world.until('WS _live has percentiles', () => lastOf(all.messages) !== undefined);
  await world.until('MQTT has percentiles', () => knows(broker.last('slm/sim-1/levels')));
  const places: Readonly<Record<string, Shown | undefined>> = {
    'GET live': (await world.get('/sim-1/live')).body.data,
    'GET status': await status(),
    'GET _status': (await world.get('/_status')).body.data[0],
    'WS _live': lastOf(all.messages),
    'MQTT levels': broker.last('slm/sim-1/levels'),
    'slm status --json': (await slm(world, 'status sim-1 --json')).json,
  };
  for (const [place, shown] of Object.entries(places)) {
    t.strictSame(Object.keys(shown?.ln ?? {}), PERCENTAGES, place);
    t.match(shown, { frequency_weighting: 'A', time_weighting: 'F' }, place);
  }

  const unit = await world.watch('/sim-1/live');
  await world.until('frames', () => unit.messages.some(({ counter }) => counter !== undefined));
  t.match(
    unit.messages.findLast(({ counter }) => counter !== undefined),
    { frequency_weighting: 'A', time_weighting: 'F' },
    'a frame has no percentiles, but its weightings',
  );

  const { out } = await slm(world, 'status sim-1');
  for (const percentage of PERCENTAGES) t.match(out, new RegExp(`\\bL${percentage} +[0-9]`), 'slm status');
  t.match(out, /\(A, ?F\)|\(AF\)/, 'slm status');

  const metrics = await (await fetch(new URL('/metrics', world.base))).text();
  PERCENTAGES.forEach((percentage, index) => {
    const labels = `quantity="ln${index + 1}",percent="${percentage}",frequency_weighting="A",time_weighting="F"`;
    t.ok(metrics.includes(`slm_level_db{unit_id="sim-1",${labels}}`), `metrics, ${labels}`);
  });

  const iso = (ms: number) => new Date(ms).toISOString();
  await world.gateway.history.flush();
  const span = `from=${iso(from)}&to=${iso(world.clock.now())}`;
  const csv = await world.get(`/sim-1/history?${span}&step=10s&quantities=leq,l01,l10,l90&format=csv`);
  t.equal(csv.status, 200, JSON.stringify(csv.body).slice(0, 300));
  const [header = ''] = String(csv.body).split('\n');
  t.match(header, /\bleq\b.*\bl01\b.*\bl10\b.*\bl90\b/, 'a column of the CSV is named by its percentage');
  t.match(csv.headers.get('content-disposition'), /_AF\.csv/, 'and the file by its weightings');
});

for (const option of ['on', 'off'] as const)
  t.test(
    `when the meter has its additional values ${option}, LIeq is ${option === 'on' ? 'shown' : 'absent'} everywhere`,
    async (t) => {
      const broker = await openBroker(t);
      const world = await openWorld(t, {
        quirks: { additional_values: option },
        settings: { plugin_settings: { mqtt: { url: broker.url } } },
      });
      await world.post('/sim-1/start');
      await world.pass(5_000);
      await world.get('/sim-1/live');
      await world.until('MQTT has levels', () => broker.last('slm/sim-1/levels') !== undefined);
      const { body: live } = await world.get('/sim-1/live');
      const unit = await world.watch('/sim-1/live');
      const all = await world.watch('/_live?events=frame&units=sim-1');
      await world.until('a frame', () => unit.messages.some(({ counter }) => counter !== undefined));
      await world.until('a frame of many', () => all.messages.some(({ event }) => event === 'frame'));
      const status = await world.get('/sim-1/status');
      const { body: many } = await world.get('/_status');
      const published = broker.last('slm/sim-1/levels');
      await world.post('/sim-1/stop');
      const places: Readonly<Record<string, object>> = {
        'GET live': live.data,
        'GET status': status.body.data,
        'GET _status': many.data[0],
        'GET results': (await world.get('/sim-1/results')).body.data,
        'WS live': unit.messages.find(({ counter }) => counter !== undefined) ?? {},
        'WS _live': all.messages.find(({ event }) => event === 'frame')?.data ?? {},
        'MQTT levels': published ?? {},
      };
      for (const [place, shown] of Object.entries(places)) {
        t.ok('leq' in shown, `${place} has levels`);
        t.equal('lieq' in shown, option === 'on', place);
      }
    },
  );
