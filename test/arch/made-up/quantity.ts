/** The process of `quantities.test.ts`: with `quantity-hook.ts` the gateway has a quantity `made_up`, and each place shows it. */
import { join } from 'node:path';
import { Readable } from 'node:stream';
import t from 'tap';
import { clientTypes } from '../../../build/client-types.ts';
import type { GatewayEvent } from '../../../lib/events/contract.ts';
import { openHistory } from '../../../lib/history/index.ts';
import { openFileUnits } from '../../../lib/history/sqlite/file-units.ts';
import { createLog } from '../../../lib/log.ts';
import type { Host } from '../../../lib/plugin/contract.ts';
import type { UnitStatus } from '../../../lib/status/contract.ts';
import { discoveryOf } from '../../../plugins/mqtt/discovery.ts';
import { levelMessage, levelsOfFrame } from '../../../plugins/mqtt/messages.ts';
import { topicsBelow } from '../../../plugins/mqtt/topics.ts';
import { MEASURED, nameOf } from '../../../web/state/numbers.ts';
import { slm } from '../../cli/setup.ts';
import { deviceConfig } from '../../support/config.ts';
import { standIn } from '../../support/stand-in.ts';
import { openWorld } from '../../support/world.ts';

const NAME = 'made_up';
const TEXT = /^\d+\.\d$/;

t.test('a made-up quantity is in each place', async (t) => {
  const world = await openWorld(t, { quirks: { additional_values: 'on' } });
  await world.put('/sim-1/config', { history: 'stream' });
  await world.post('/sim-1/start');
  await world.pass(10_000);

  const { body: document } = await world.get('/openapi.json');
  const { schemas } = document.components;
  for (const name of ['Values', 'Frame', 'Unit']) t.ok(schemas[name].properties[NAME], `OpenAPI: ${name}`);
  t.ok(schemas.FrameEvent.properties.data.properties[NAME], 'OpenAPI: FrameEvent');
  t.match(clientTypes(document), /made_up: number \| null/, 'types of the client');

  t.match((await world.get('/sim-1/live')).body.data[NAME], TEXT, 'live');
  t.match((await world.get('/sim-1/status')).body.data[NAME], TEXT, 'status');
  t.match((await world.get('/_status')).body.data[0][NAME], Number, 'status of many');
  const metrics = await (await fetch(new URL('/metrics', world.base))).text();
  t.match(metrics, /slm_level_db\{unit_id="sim-1",quantity="made_up"[^}]*\} \d/, 'metrics');

  const client = await world.watch('/sim-1/live');
  await world.until('frames', () => client.frames.length >= 3);
  t.match(client.frames.at(-1)[NAME], TEXT, 'WebSocket');
  client.socket.terminate();

  const levelSettings = { frequencyWeighting: null, timeWeighting: null, percentiles: [] };
  const known = { values: { made_up: '50.0', levelsAt: 1 }, levelSettings };
  t.match(
    levelMessage({ status: { of: () => standIn<UnitStatus>(known) } }, 'sim-1'),
    { made_up: 50 },
    'MQTT: a reading',
  );
  const frame = { unitId: 'sim-1', time: 1, data: { frame: { counter: 1, main: { made_up: '51.0', over: false } } } };
  const none = standIn<Host>({ report: () => undefined });
  t.match(levelsOfFrame(none, standIn<GatewayEvent<'frame'>>(frame)), { made_up: 51 }, 'MQTT: a frame');

  const discovery = discoveryOf('slm', topicsBelow('slm'), {
    config: deviceConfig({ unitId: 'sim-1' }),
    settings: { frequencyWeighting: 'A', timeWeighting: 'F', percentiles: [] },
    serialNumber: null,
    isJudged: false,
    buttons: false,
  });
  t.match(discovery, { cmps: { made_up: { name: 'LAmade', unit_of_measurement: 'dB' } } }, 'Home Assistant: a sensor');

  const listed = await slm(world, 'status sim-1');
  t.match(listed, { code: 0, out: /made_up\s+\d+\.\d/ }, 'slm status');
  const watched = await slm(world, 'live sim-1 --count 1');
  t.match(watched, { code: 0, out: /LAmade\s+\d+\.\d/ }, 'slm live');
  t.match(await slm(undefined, 'history --help'), { out: /of [a-z_, ]*made_up/ }, 'slm history: its help');

  const rule = { name: 'Made up', units: ['sim-1'], kind: 'level', quantity: NAME, window: '1m', limit_db: 20 };
  t.match(await world.post('/_alerts/rules', rule), { status: 201 }, 'a rule of alerts');

  await world.pass(5_000);
  const rows = async (unit: string, step: string, format = 'json') => {
    const to = new Date(world.clock.now()).toISOString();
    const query = new URLSearchParams({ from: '2025-12-01T00:00:00Z', to, step, quantities: `leq,${NAME}`, format });
    const { body } = await world.ask('GET', `/${unit}/history?${query}`);
    if (!body.data && format === 'json') throw new Error(world.log.at(-1));
    return body;
  };
  const stored = async (unit: string, step = '1h') =>
    (await rows(unit, step)).data.rows.filter((row: unknown[]) => typeof row[2] === 'number');
  t.ok((await stored('sim-1')).length > 0, 'history');
  t.match(await rows('sim-1', '1h', 'csv'), /^start,duration_s,leq,made_up,/, 'CSV');

  const csv = `start,duration_s,leq,${NAME}\r\n2025-12-01T00:00:00Z,3600,50.5,61.5\r\n`;
  const headers = { 'content-type': 'text/csv' };
  t.match(await world.ask('POST', '/sim-1/history/import', { raw: csv, headers }), { status: 202 }, 'import');
  t.ok(
    (await stored('sim-1')).some(([, , level]: number[]) => level === 61.5),
    'an imported level comes back',
  );
  const before = await stored('sim-1');
  const shown = (await world.get('/sim-1/status')).body.data[NAME];
  await world.restart(1_000);
  t.match((await world.get('/sim-1/status')).body.data[NAME], shown, 'the last value after a restart');
  t.strictSame((await stored('sim-1')).slice(0, before.length - 1), before.slice(0, -1), 'the history after a restart');
  t.equal(nameOf(NAME, { frequency: 'A', time: 'F' }), 'LAmade', 'dashboard: its name');
  t.ok(
    MEASURED.some((name) => name === (NAME as string)),
    'dashboard: its tile',
  );

  const path = join(t.testdir(), 'history.db');
  const history = await openHistory({ path, clock: world.clock, log: createLog('silent') });
  const weighting = { frequency: 'A', time: 'F' } as const;
  const seconds = Array.from({ length: 60 }, (_, at) => ({ at, steps: 10, leq: 50, made_up: 60 + (at % 7) / 10 }));
  const intervals = [{ at: 7_200, duration: 60, leq: 50, made_up: 66.6 }];
  history.append({ unitId: 'roof', source: 'stream', weighting, seconds, intervals });
  await history.close();
  const whole = await openFileUnits(path);
  const lines = (await Readable.from(whole.lines('roof')).toArray()).map((line: string) => JSON.parse(line));
  await whole.close();
  t.ok(lines[0].columns.seconds.includes(NAME) && lines[0].columns.intervals.includes(NAME), 'export: its columns');
  const copy = await openFileUnits(join(t.testdir({}), 'copy.db'));
  const texts = lines.map((line) => JSON.stringify(line));
  async function* read() {
    yield* texts;
  }
  await copy.take(read);
  t.strictSame(
    (await Readable.from(copy.lines('roof')).toArray()).map((line: string) => JSON.parse(line)),
    lines,
    'an export is taken with it',
  );
  await copy.close();
});
