/** What GET indices makes of one and the same history. */
import fc from 'fast-check';
import t from 'tap';
import type { Host, Request, Route } from '../../lib/index.ts';
import indices from '../../plugins/indices/index.ts';
import { configOf } from '../plugin/doubles.ts';
import { PlainHistory } from '../support/plain-history.ts';

const FROM = Date.UTC(2026, 5, 15) / 1_000;
const span = { from: '2026-06-15T00:00:00Z', to: '2026-06-16T00:00:00Z', zone: 'UTC', min_coverage: 0.75 };

function served(levels: readonly number[]) {
  const history = new PlainHistory(() => FROM * 1_000);
  const intervals = levels.map((leq, hour) => ({
    ...{ at: FROM + hour * 3_600, duration: 3_600, leq, lmax: leq, lmin: leq, lpeak: null },
  }));
  history.append({ unitId: 'roof', source: 'card', weighting: { frequency: 'A', time: 'F' }, intervals });
  const routes: Route[] = [];
  const configs = { of: () => configOf({ unitId: 'roof' }) };
  const host = { history, configs, route: (made: Route) => void routes.push(made) } as unknown as Host;
  void indices.register(host);
  return async (query: object) => {
    const request = { unitId: 'roof', query: { ...span, ...query }, caller: { signal: new AbortController().signal } };
    // biome-ignore lint/suspicious/noExplicitAny: the answer is what the test says it is
    const answer: any = await routes[0]?.handle(request as unknown as Request);
    return answer.data;
  };
}

t.test('the Leq of a day is the same whatever its periods are', async (t) => {
  const levels = fc.array(fc.integer({ min: 2_000, max: 12_000 }), { minLength: 24, maxLength: 24 });
  await fc.assert(
    fc.asyncProperty(levels, async (hundredths) => {
      const get = served(hundredths.map((level) => level / 100));
      const found = new Set<number>();
      for (const preset of ['eu', 'eu-late', 'it', 'us', 'cnel']) found.add((await get({ preset })).days[0].leq_24h);
      return found.size === 1;
    }),
    { numRuns: 30 },
  );
  t.pass('in 30 random days');
});

t.test('periods of the caller belong to custom, and are refused beside another preset', async (t) => {
  const get = served([60]);
  for (const name of ['day', 'evening', 'night'])
    await t.rejects(get({ preset: 'eu', [name]: '07-19' }), { code: 'INVALID', errors: [{ path: `/${name}` }] });
  await t.rejects(get({ preset: 'us', night_penalty: 3 }), { errors: [{ message: /preset=custom/ }] });
  t.equal((await get({ preset: 'custom', day: '07-22', night: '22-07' })).preset, 'custom');
});
