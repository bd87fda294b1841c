/** Rules that exclude by themselves: once, when a time is over, also late and over a restart; what a person removes stays removed. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

const MINUTE_MS = 60_000;
const RULES = { rules: [{ quantity: 'wind_speed', above: 5, after_s: 60 }], auto_exclude: true };

/**
 * A unit whose rules exclude by themselves, and a station for it. Times are minutes from a full minute after that was switched on; `beyond` it: ms.
 */
async function openWindy(t: Parameters<typeof openWorld>[0], beyond = 0) {
  const world = await openWorld(t, { meters: 2 });
  await world.put('/_stations/mast', { units: ['sim-1'], interval_s: 600 });
  const put = await world.put('/sim-1/notes/rules', RULES);
  t.match(put.body.data, { auto_exclude: true, usual: false });
  const begin = Math.ceil(Date.parse(put.body.data.judged_until) / MINUTE_MS) * MINUTE_MS + beyond;
  const at = (minutes: number) => new Date(begin + minutes * MINUTE_MS).toISOString();
  const notes = async () =>
    (await world.get('/sim-1/notes')).body.data
      .map(({ from, to }: { from: string; to: string }) => [minutes(from), minutes(to)])
      .sort((one: number[], other: number[]) => Number(one[0]) - Number(other[0]));
  const minutes = (time: string) => (Date.parse(time) - begin) / MINUTE_MS;
  const judged = async () => minutes((await world.get('/sim-1/notes/rules')).body.data.judged_until);
  /** One observation of a minute for each speed, the first one ends at `first`. */
  const wind = async (first: number, speeds: readonly number[], station = 'mast') => {
    const last = begin + (first + speeds.length - 1) * MINUTE_MS;
    if (world.clock.now() < last) await world.clock.advance(last - world.clock.now() + 1_000);
    const raw = speeds
      .map((speed, index) => JSON.stringify({ time: at(first + index), duration_s: 60, wind_speed: speed }))
      .join('\n');
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const sent = await world.asked('POST', `/_stations/${station}/observations`, { raw, headers });
    t.equal(sent.status, 200, JSON.stringify(sent.body));
    return sent.body.exclusions;
  };
  return { world, at, notes, judged, wind };
}

t.test('a windy time is one exclusion when it is over, however often its observations are sent', async (t) => {
  const { world, at, notes, judged, wind } = await openWindy(t);
  await wind(-5, [9]);
  t.strictSame(await notes(), [], 'what was before it was switched on stays as it is');
  await wind(3, [2, 5, 6]);
  t.strictSame(await notes(), [], 'it may go on');
  t.equal(await judged(), 4, 'a limit that is met exactly is not exceeded');
  await wind(6, [7]);
  await wind(7, [3]);
  t.strictSame(await notes(), [], 'its margin is not over');
  const written = [{ unit_id: 'sim-1', id: '1' }];
  t.strictSame(await wind(8, [3]), written, 'the delivery says what was written with it');
  const [last] = (await world.get('/_audit?limit=1')).body.records;
  t.match(last, { route: '/_stations/{id}/observations', answer: { exclusions: written } }, 'and so the audit log');
  t.strictSame(await notes(), [[4, 7]], 'with its margin');
  await wind(3, [2, 5, 6, 7, 3, 3]);
  t.strictSame(await notes(), [[4, 7]]);
  const [note] = (await world.get('/sim-1/notes')).body.data;
  t.match(note, {
    kind: 'exclusion',
    reason: 'wind',
    by: 'auto_exclude',
    from: at(4),
    text: 'wind speed 7 m/s (above 5) at mast',
  });
  t.strictSame((await world.get('/sim-2/notes')).body.data, [], 'nothing of other units');

  await world.delete(`/sim-1/notes/${note.id}`);
  await wind(4, [5, 6, 7, 3, 3, 3]);
  t.strictSame(await notes(), [], 'a person has removed it, and it does not come back');
  await wind(10, [8, 2, 2]);
  t.strictSame(await notes(), [[9, 11]], 'the next one is excluded');
});

t.test('a storm is excluded hour by hour; late observations and a restart lose nothing', async (t) => {
  const { world, notes, judged, wind } = await openWindy(t);
  await wind(1, Array(59).fill(8));
  t.strictSame(await notes(), []);
  await wind(60, [8]);
  t.strictSame(await notes(), [[0, 60]], 'an hour at once');
  await wind(61, Array(9).fill(8));
  t.strictSame(await notes(), [[0, 60]]);
  await world.restart(1_000);
  t.equal(await judged(), 60);
  await wind(70, [1, 1, 1]);
  const storm = [
    [0, 60],
    [60, 70],
  ];
  t.strictSame(await notes(), storm);

  await world.put('/_stations/roof', { units: null });
  await wind(80, [1]);
  await wind(72, [9], 'roof');
  await wind(73, [9], 'roof');
  t.strictSame(await notes(), storm, 'another station is late, and its wind may go on');
  await wind(74, [1, 1], 'roof');
  t.strictSame(await notes(), [...storm, [71, 74]]);

  await world.put('/sim-1/notes/rules', { rules: RULES.rules });
  t.match((await world.get('/sim-1/notes/rules')).body.data, { auto_exclude: false, judged_until: null });
  await wind(90, [9, 1, 1]);
  t.equal((await notes()).length, 3, 'switched off, the rules propose alone');
});

t.test('observations that end between full seconds are no other time', async (t) => {
  const { notes, wind } = await openWindy(t, 123);
  await wind(4, [2, 6]);
  t.strictSame(await notes(), [], 'it may go on');
  await wind(6, [7, 3, 3]);
  t.equal((await notes()).length, 1);
  await wind(4, [2, 6, 7, 3, 3, 3]);
  t.equal((await notes()).length, 1, 'and nothing is left of it');
  const [[from, to]] = await notes();
  t.ok(Math.abs(from - 4) < 1 / 60 && Math.abs(to - 7) < 1 / 60, `${from} to ${to}`);
});
