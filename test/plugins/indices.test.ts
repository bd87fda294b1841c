/** What GET indices makes of one and the same history. */
import fc from 'fast-check';
import t from 'tap';
import { createFamilies } from '../../lib/drivers/index.ts';
import type { Host, Request, Route } from '../../lib/index.ts';
import indices from '../../plugins/indices/index.ts';
import { configOf, noNotes, using } from '../plugin/doubles.ts';
import { PlainHistory } from '../support/plain-history.ts';
import { standIn } from '../support/stand-in.ts';

const FROM = Date.UTC(2026, 5, 15) / 1_000;
const span = {
  from: '2026-06-15T00:00:00Z',
  to: '2026-06-16T00:00:00Z',
  zone: 'UTC',
  preset: 'eu',
  min_coverage: 0.75,
  by: 'none',
};

function served(levels: readonly number[]) {
  const history = new PlainHistory(() => FROM * 1_000);
  const rows = levels.map((leq, hour) => ({
    at: FROM + hour * 3_600,
    duration: 3_600,
    leq,
    lmax: leq,
    lmin: leq,
    lpeak: null,
  }));
  const intervals = rows.filter(({ leq }) => !Number.isNaN(leq));
  history.append({ unitId: 'roof', source: 'card', weighting: { frequency: 'A', time: 'F' }, intervals });
  return servedBy(history);
}

function servedBy(history: PlainHistory, notes = noNotes) {
  const routes: Route[] = [];
  const configs = standIn<Host['configs']>({ of: () => configOf({ unitId: 'roof' }) });
  const host = standIn<Host>({
    use: using(notes),
    history,
    configs,
    families: createFamilies(),
    route: (made: Route) => void routes.push(made),
  });
  void indices.register(host);
  return async (query: object) => {
    const request = standIn<Request>({
      unitId: 'roof',
      query: { ...span, ...query },
      caller: { signal: new AbortController().signal },
    });
    // biome-ignore lint/suspicious/noExplicitAny: the answer is what the test says it is
    const answer: any = await routes[0]?.handle(request);
    return answer.data;
  };
}

t.test('the Leq of a day is the same whatever its periods are', async (t) => {
  const levels = fc.array(fc.integer({ min: 2_000, max: 12_000 }), { minLength: 24, maxLength: 24 });
  const found = await fc.check(
    fc.asyncProperty(levels, async (hundredths) => {
      const get = served(hundredths.map((level) => level / 100));
      const found = new Set<number>();
      for (const preset of ['eu', 'eu-late', 'it', 'us', 'cnel']) found.add((await get({ preset })).days[0].leq_24h);
      return found.size === 1;
    }),
    { numRuns: 10 },
  );
  t.notOk(found.failed, `in random days: ${found.failed ? found.counterexample : 'all hold'}`);
});

t.test('periods of the caller belong to custom, and are refused beside another preset', async (t) => {
  const get = served([60]);
  for (const name of ['day', 'evening', 'night'])
    await t.rejects(get({ preset: 'eu', [name]: '07-19' }), { code: 'INVALID', errors: [{ path: `/${name}` }] });
  await t.rejects(get({ preset: 'us', night_penalty: 3 }), { errors: [{ message: /preset=custom/ }] });
  t.equal((await get({ preset: 'custom', day: '07-22', night: '22-07' })).preset, 'custom');
});

t.test('all days together: by measured time, and each day alike, which is the long-term definition', async (t) => {
  // The second day is louder, and two hours of its daytime are missing.
  const first = Array.from({ length: 24 }, () => 60);
  const second = Array.from({ length: 24 }, (_, hour) => (hour < 7 || hour >= 23 ? 50 : hour < 9 ? Number.NaN : 70));
  const get = served([...first, ...second]);
  const { days, total } = await get({ preset: 'eu', to: '2026-06-17T00:00:00Z' });
  const energy = (level: number) => 10 ** (level / 10);
  const mean = (parts: readonly (readonly [level: number, hours: number])[]) =>
    10 *
    Math.log10(
      parts.reduce((sum, [level, hours]) => sum + hours * energy(level), 0) /
        parts.reduce((sum, [, hours]) => sum + hours, 0),
    );
  const lden = (day: number, evening: number, night: number) =>
    mean([
      [day, 12],
      [evening + 5, 4],
      [night + 10, 8],
    ]);
  const shown = (level: number) => Math.round(level * 100) / 100;

  t.match(total, {
    weighted_by: 'measured_time',
    days: 2,
    lday: shown(
      mean([
        [60, 12],
        [70, 10],
      ]),
    ),
    lnight: shown(
      mean([
        [60, 8],
        [50, 8],
      ]),
    ),
    lden: shown(
      lden(
        mean([
          [60, 12],
          [70, 10],
        ]),
        mean([
          [60, 4],
          [70, 4],
        ]),
        mean([
          [60, 8],
          [50, 8],
        ]),
      ),
    ),
    leq_24h: shown(
      mean([
        [60, 24],
        [70, 14],
        [50, 8],
      ]),
    ),
  });
  t.strictSame(total.mean_of_days, {
    weighted_by: 'days',
    lday: shown(
      mean([
        [60, 1],
        [70, 1],
      ]),
    ),
    levening: shown(
      mean([
        [60, 1],
        [70, 1],
      ]),
    ),
    lnight: shown(
      mean([
        [60, 1],
        [50, 1],
      ]),
    ),
    lden: shown(
      mean([
        [lden(60, 60, 60), 1],
        [lden(70, 70, 50), 1],
      ]),
    ),
    ldn: null,
    cnel: null,
    leq_24h: shown(
      mean([
        [60, 1],
        [
          mean([
            [70, 14],
            [50, 8],
          ]),
          1,
        ],
      ]),
    ),
  });
  t.not(total.lden, total.mean_of_days.lden);
  t.strictSame(
    [...days, total].map(({ leq_24h_gaps }) => leq_24h_gaps),
    ['none', 'left_out', 'left_out'],
    'how gaps were treated',
  );
});

t.test('a day that is not valid is in neither, and without a valid day there is no mean', async (t) => {
  const get = served([...Array.from({ length: 24 }, () => 60), 90, 90]);
  const { total } = await get({ preset: 'us', to: '2026-06-17T00:00:00Z' });
  t.match(total, {
    days: 1,
    left_out: ['2026-06-16'],
    ldn: 66.41,
    mean_of_days: { ldn: 66.41, lden: null, levening: null, leq_24h: 60 },
  });
  const none = (await served([90])({ preset: 'eu' })).total;
  t.match(none, {
    days: 0,
    lden: null,
    leq_24h: null,
    leq_24h_gaps: null,
    mean_of_days: { lden: null, lday: null, leq_24h: null },
  });
});

t.test('weeks and months have the mean of their valid days, and how sure it is', async (t) => {
  // Monday 60 dB, Tuesday 70 dB, Wednesday without its day, Thursday without anything.
  const day = (leq: number) => Array.from({ length: 24 }, () => leq);
  const half = Array.from({ length: 24 }, (_, hour) => (hour >= 8 && hour < 18 ? Number.NaN : 50));
  const ask = served([...day(60), ...day(70), ...half]);
  const week = { from: '2026-06-15T00:00:00Z', to: '2026-06-19T00:00:00Z', by: 'week' };
  const { groups, total } = await ask(week);
  t.equal(groups.length, 1);
  const [{ name, days, left_out, mean_of_days, standard_error }] = groups;
  t.strictSame({ name, days, left_out }, { name: '2026-W25', days: 2, left_out: ['2026-06-17', '2026-06-18'] });
  t.strictSame(mean_of_days, total.mean_of_days, 'the same as that of all days, which these are');
  // Energies of 1 and 10: mean 5.5, s = sqrt(40.5 / 2) = 4.5; 10 / ln 10 * 4.5 / 5.5.
  t.match(standard_error, { lday: 3.55, levening: 3.55, lnight: 3.55, lden: 3.55, leq_24h: 3.55, ldn: null });
  t.notOk('weighted_by' in standard_error);

  const long = served([...Array.from({ length: 16 }, () => day(60)).flat(), ...day(70)]);
  const months = (await long({ from: '2026-06-15T00:00:00Z', to: '2026-07-02T00:00:00Z', by: 'month' })).groups;
  t.match(months, [
    { name: '2026-06', days: 16, mean_of_days: { lday: 60, lden: 66.4 }, standard_error: { lday: 0 } },
    { name: '2026-07', days: 1, mean_of_days: { lday: 70, lden: 76.4 }, standard_error: { lday: null, lden: null } },
  ]);
  const year = (await long({ from: '2026-06-15T00:00:00Z', to: '2026-07-02T00:00:00Z', by: 'year' })).groups;
  t.match(year, [{ name: '2026', days: 17 }]);
  t.strictSame((await long({ by: 'none' })).groups, []);
  const empty = await ask({ from: '2026-06-22T00:00:00Z', to: '2026-06-23T00:00:00Z', by: 'week' });
  t.match(empty.groups, [{ name: '2026-W26', days: 0, left_out: ['2026-06-22'], mean_of_days: { lden: null } }]);
});

t.test('the answer says whether excluded time is left out to the second or to the minute', async (t) => {
  const asked = async (from: number, to: number, daysLater: number) => {
    const history = new PlainHistory(() => (FROM + daysLater * 86_400) * 1_000);
    const level = { leq: 60, lmax: 60, lmin: 60, lpeak: null, steps: 10, flags: {} };
    const seconds = Array.from({ length: 300 }, (_, at) => ({ at: FROM + at, ...level }));
    history.append({ unitId: 'roof', source: 'stream', weighting: { frequency: 'A', time: 'F' }, seconds });
    history.retain({ secondsDays: 1, minutesDays: 30 });
    const excluded = { ranges: from < to ? [{ from: FROM + from, to: FROM + to }] : [], notes: from < to ? [1] : [] };
    const get = servedBy(history, { ...noNotes, excluded: () => excluded });
    const { edge, notes } = await get({ exclusions: 'apply' });
    return [edge, notes.some((note: string) => note.includes('no longer kept'))];
  };
  t.strictSame(await asked(0, 0, 3), [null, false]);
  t.strictSame(await asked(90, 150, 0), ['second', false]);
  t.strictSame(await asked(60, 180, 3), ['second', false], 'full minutes are exact');
  t.strictSame(await asked(90, 150, 3), ['minute', true]);
});
