/**
 * A recorded meter that refuses its stream: its readings are kept, all outputs have the reason, and the stream is tried
 * again.
 */
import t, { type Test } from 'tap';
import { openWorld, type World } from '../support/world.ts';

/** Auto store with an Lp interval of 1 s: the usual job in the field, in which the meter gives no stream. */
async function refusing(
  t: Test,
  { streamedBefore, isPolled = true }: { readonly streamedBefore: boolean; readonly isPolled?: boolean },
): Promise<World> {
  const world = await openWorld(t, { quirks: { auto_stream_interval: '100ms' } });
  const store = () => {
    world.meter.set('Lp Store Interval', '1s');
    world.meter.set('Store Mode', 'Auto');
  };
  if (!streamedBefore) store();
  await world.put('/sim-1/config', {
    history: 'stream',
    poll_enabled: isPolled,
    poll_interval_seconds: 10,
    timezone: 'UTC',
  });
  await world.until('the stream is asked for', () => asks(world) > 0);
  await world.pass(5_000);
  if (!streamedBefore) return world;
  t.match(await recordingAgain(world), { state: 'recording' });
  store();
  await world.post('/sim-1/start');
  return world;
}

const asks = ({ meter }: World): number => meter.log.commands.filter((text) => text.startsWith('DRD?')).length;
const recording = async (world: World) => (await world.get('/sim-1/history/extent')).body.data.recording;

/** At most 10 s. A reading of the display may interrupt the stream meanwhile. */
async function recordingAgain(world: World) {
  let last = await recording(world);
  for (let tries = 0; tries < 20 && last.state !== 'recording'; tries += 1) {
    await world.pass(500);
    last = await recording(world);
  }
  return last;
}

const CASES = [
  { streamedBefore: true, isPolled: true },
  { streamedBefore: false, isPolled: true },
  { streamedBefore: false, isPolled: false },
];
for (const { streamedBefore, isPolled } of CASES)
  t.test(
    `when a recorded meter refuses its stream${streamedBefore ? ' after it has streamed' : ''}, readings are kept${isPolled ? '' : ' although polling is off'}, and the reason is shown`,
    async (t) => {
      const world = await refusing(t, { streamedBefore, isPolled });
      await world.pass(15_000);
      const from = world.clock.now();
      await world.pass(90_000);
      await world.gateway.history.flush();
      const why = /gives its stream only with the Lp store interval 100ms/;
      t.match(await recording(world), { state: 'waiting', reason: why });
      t.match((await recording(world)).reason, /only the readings of the display are recorded/);
      const span = `from=${new Date(from).toISOString()}&to=${new Date(world.clock.now()).toISOString()}`;
      const { rows } = (await world.get(`/sim-1/history?${span}&step=10s&quantities=lp,leq`)).body.data;
      const filled = rows.filter((row: readonly unknown[]) => row.slice(1, 3).some(Number.isFinite));
      t.ok(
        filled.length >= 6,
        `${filled.length} of ${rows.length} rows have a level: ${JSON.stringify(rows.slice(0, 3))}`,
      );
      t.match((await world.get('/_status')).body.data[0], { state: 'online', reason: why });
      const { checks } = (await world.get('/sim-1/doctor')).body.data;
      t.match(
        checks.find(({ check }: { check: string }) => check === 'reply'),
        { outcome: 'warning', detail: why, advice: /Lp store interval/ },
      );
      const health = await (await fetch(new URL('/health', world.base))).json();
      t.match(health, { status: 'degraded', problems: [{ part: 'recording', detail: /1 meter .* no stream/ }] });
    },
  );

t.test(
  'a refused stream is tried each minute, not after each command, and at once after a stop or a setting',
  async (t) => {
    for (const streamedBefore of [true, false]) {
      const world = await refusing(t, { streamedBefore });
      await world.pass(60_000);
      const before = asks(world);
      await world.pass(130_000);
      const tries = asks(world) - before;
      // The power source is a frame of the stream, too: it is read now and then.
      t.ok(tries >= 1 && tries <= 6, `${tries} tries beside 13 readings`);
      if (streamedBefore) await world.post('/sim-1/stop');
      const tried = asks(world);
      t.match(await world.put('/sim-1/lp-interval', { preset: '100ms' }), { status: 200 });
      t.match(await recordingAgain(world), { state: 'recording', reason: null });
      t.ok(asks(world) > tried, 'tried at once');
      t.match((await world.get('/_status')).body.data[0], { reason: 'it answers' });
      const health = await (await fetch(new URL('/health', world.base))).json();
      t.match(health, { status: 'ok' });
    }
  },
);
