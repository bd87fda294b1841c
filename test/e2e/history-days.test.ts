/** The last local days of all meters in one answer. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

const DAY_S = 86_400;
const LOUD = { steps: 10, leq: 70, lmax: 81, lmin: 60, lpeak: 95, lp: Array(10).fill(70) };

t.test('each day of a unit is one of its own clock, today as far as it has come', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { history: 'poll', poll_enabled: false, timezone: 'Asia/Kathmandu' });
  const now = Math.floor(world.clock.now() / 1_000);
  const { data } = (await world.get('/_history/days')).body;
  t.equal(data.length, 1, 'a unit that records nothing is left out');
  const { days } = data[0];
  t.equal(days.length, 7);
  const begin = Date.parse(days[5].from) / 1_000;
  t.equal((begin + 5.75 * 3_600) % DAY_S, 0, 'at midnight in Kathmandu');
  t.equal(days[5].to, days[6].from);
  t.equal(Date.parse(days[6].to) / 1_000, now - (now % 60), 'and not into the future');
  t.ok(days.every(({ leq, coverage }: { leq: unknown; coverage: number }) => leq === null && coverage === 0));

  const seconds = Array.from({ length: 3_600 }, (_, index) => ({ at: begin + index, ...LOUD }));
  const weighting = { frequency: 'A', time: 'F' } as const;
  world.gateway.history.append({ unitId: 'sim-1', source: 'card', weighting, seconds });
  await world.gateway.history.flush();
  const filled = (await world.get('/_history/days?days=2')).body.data[0].days;
  t.match(filled, [
    { leq: 70, lmax: 81, coverage: 0.0417, excluded_s: 0 },
    { leq: null, lmax: null, coverage: 0, excluded_s: 0 },
  ]);
  const iso = (seconds: number) => new Date(seconds * 1_000).toISOString();
  const night = { kind: 'exclusion', reason: 'own_noise', from: iso(begin - 600), to: iso(begin + 900) };
  await world.post('/sim-1/notes', night);
  await world.post('/sim-1/notes', { kind: 'note', from: iso(begin), to: iso(begin + 3_600) });
  const told = (await world.get('/_history/days?days=3')).body.data[0].days;
  t.match(
    told,
    [
      { excluded_s: 600 },
      { leq: 70, leq_all: 70, coverage: 0.0313, excluded_s: 900 },
      { excluded_s: 0, leq_all: null },
    ],
    'what notes exclude is said, and is not measured time: 2,700 of 86,400 s count',
  );
  const read = { leq: null, lmax: null, lmin: null, lpeak: null, steps: 0, lp: [52] };
  const readings = [7_200, 7_260].map((after) => ({ at: begin - DAY_S + after, ...read }));
  world.gateway.history.append({ unitId: 'sim-1', source: 'poll', weighting, seconds: readings });
  await world.gateway.history.flush();
  t.match(
    (await world.get('/_history/days?days=3')).body.data[0].days,
    [{ leq: null, coverage: 0, readings: 2 }, { leq: 70, readings: 0 }, { readings: 0 }],
    'single readings are no measured time, and are not silence',
  );
  await world.post('/sim-1/notes', { ...night, reason: 'rain', from: iso(begin), to: iso(begin + DAY_S) });
  t.match(
    (await world.get('/_history/days?days=2')).body.data[0].days[0],
    { leq: null, lmax: null, coverage: 0, excluded_s: DAY_S, leq_all: 70 },
    'of a day that is excluded as a whole nothing counts, and the figure that would have is there',
  );
  t.match(await world.get('/_history/days?days=32'), { status: 422 });
});
