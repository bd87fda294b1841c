/** Files of levels have the excluded seconds of each row, whether or not this time counts in the levels. */
import readSheets from 'read-excel-file/node';
import t from 'tap';
import { openWorld, type World } from '../support/world.ts';

const DAY = Date.UTC(2025, 10, 21);
const at = (hours: number) => new Date(DAY + hours * 3_600_000).toISOString();
const QUERY = `from=${at(0)}&to=${at(3)}&step=1h&quantities=leq&zone=Europe/Berlin`;

/** Three hours, 50, 90 and 50 dB. The last half of the second hour is excluded. */
async function openHours(t: Parameters<typeof openWorld>[0]): Promise<World> {
  const world = await openWorld(t);
  const rows = [50, 90, 50].flatMap((level, hour) => [0, 0.5].map((half) => `${at(hour + half)},1800,${level}`));
  await world.bring(rows, 'leq');
  return world;
}

const exclude = (world: World) =>
  world.post('/sim-1/notes', { from: at(1.5), to: at(2), kind: 'exclusion', reason: 'own_noise' });
const linesOf = async (world: World, more: string) =>
  String((await world.get(`/sim-1/history?${QUERY}${more}`)).body)
    .trimEnd()
    .split('\r\n');

t.test('when a note excludes a part of a row, the CSV says how many seconds', async (t) => {
  const world = await openHours(t);
  const before = await world.get(`/sim-1/history?${QUERY}&format=csv`);
  await exclude(world);
  const known = { headers: { 'If-None-Match': before.headers.get('etag') ?? '' } };
  t.equal((await world.ask('GET', `/sim-1/history?${QUERY}&format=csv`, known)).status, 200, 'it is another file');
  t.strictSame(await linesOf(world, '&format=csv'), [
    'start,duration_s,leq,coverage,quality,source,excluded_s',
    `${at(0).slice(0, 19)}Z,3600,50,1,measured,import,0`,
    `${at(1).slice(0, 19)}Z,3600,90,1,measured,import,1800`,
    `${at(2).slice(0, 19)}Z,3600,50,1,measured,import,0`,
  ]);
  const applied = await linesOf(world, '&format=csv&exclusions=apply');
  t.match(applied[0], /,excluded_s,leq_all$/);
  t.match(applied[2], /,0\.5,partial,import,1800,90$/);
  const json = (await world.get(`/sim-1/history?${QUERY}`)).body.data;
  t.strictSame(json.columns, ['start', 'leq', 'coverage', 'quality', 'source'], 'JSON is as it was');
  const raw = (await linesOf(world, '&format=csv')).join('\n').replaceAll('2025-11-21', '2025-11-20');
  const again = await world.ask('POST', '/sim-1/history/import?channel=main', {
    raw,
    headers: { 'Content-Type': 'text/csv' },
  });
  t.equal(again.status, 202, 'an import takes the file');
});

t.test('a workbook of levels has times of the zone, numbers, and the excluded seconds', async (t) => {
  const world = await openHours(t);
  await exclude(world);
  const response = await fetch(`${world.base}/sim-1/history?${QUERY}&format=xlsx&header=symbols`);
  t.equal(response.status, 200);
  t.match(response.headers.get('content-disposition'), /sim-1_2025-11-21_1h_AF\.xlsx/);
  const [sheet] = await readSheets(Buffer.from(await response.arrayBuffer()));
  const [titles, , second] = sheet?.data ?? [];
  t.strictSame(titles, [
    ...['unit_id', 'start', 'UTC offset', 'duration_s', 'LAeq dB', 'coverage', 'quality', 'source', 'excluded_s'],
  ]);
  t.match(second?.[1], new Date('2025-11-21T02:00:00Z'), 'the local time');
  t.strictSame(
    second?.filter((_, place) => place !== 1),
    [...['sim-1', '+01:00', 3_600, 90, 1, 'measured', 'import', 1_800]],
  );
});
