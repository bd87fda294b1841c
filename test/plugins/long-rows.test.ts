/** Rows that are longer than a period of the day, or reach into another: they say nothing of a period, whatever they say of the day. */
import t from 'tap';
import type { Batch, IntervalRow } from '../../lib/built-in.ts';
import { createFamilies } from '../../lib/drivers/index.ts';
import type { Host, Request, Route } from '../../lib/index.ts';
import indices from '../../plugins/indices/index.ts';
import { configOf, using } from '../plugin/doubles.ts';
import { PlainHistory } from '../support/plain-history.ts';
import { standIn } from '../support/stand-in.ts';

const HOUR = 3_600;
const AF = { frequency: 'A', time: 'F' } as const;
const DAY = Date.UTC(2026, 5, 15) / 1_000;

/** A row of so many hours from an hour of 15 June on. */
const row = (hour: number, hours: number, leq: number, lateS = 0): IntervalRow => ({
  at: DAY + hour * HOUR + lateS,
  duration: hours * HOUR,
  leq,
  lmax: leq,
  lmin: leq,
  lpeak: null,
});
const hourly = (from: number, to: number, level: (hour: number) => number, lateS = 0) =>
  Array.from({ length: to - from }, (_, index) => row(from + index, 1, level(from + index), lateS));

async function days(rows: Partial<Record<Batch['source'], readonly IntervalRow[]>>, query: object = {}) {
  const history = new PlainHistory(() => DAY * 1_000);
  for (const [source, intervals = []] of Object.entries(rows))
    history.append({ unitId: 'roof', source: source as Batch['source'], weighting: AF, intervals });
  const routes: Route[] = [];
  const configs = standIn<Host['configs']>({ of: () => configOf({ unitId: 'roof' }) });
  const host = standIn<Host>({
    use: using(),
    history,
    configs,
    families: createFamilies(),
    route: (made: Route) => void routes.push(made),
  });
  void indices.register(host);
  const span = { from: '2026-06-15T00:00:00Z', to: '2026-06-17T00:00:00Z', zone: 'UTC' };
  const request = standIn<Request>({
    unitId: 'roof',
    query: { ...span, min_coverage: 0.75, preset: 'eu', by: 'none', ...query },
    caller: { signal: new AbortController().signal },
  });
  // biome-ignore lint/suspicious/noExplicitAny: the answer is what the test says it is
  const answer: any = await routes[0]?.handle(request);
  return answer.data.days;
}

t.test('a row of 24 hours makes no valid night: it says what the day was, and of its periods nothing', async (t) => {
  const [day] = await days({ card: [row(0, 24, 63.4)] });
  t.match(day, { lday: null, levening: null, lnight: null, lden: null, valid: false });
  t.match(day.reason, /The night has no data/);
  t.match(day.reason, /Rows that reach over several periods count in none of them/);
  t.strictSame(day.coverage, { day: 0, evening: 0, night: 0, all: 1 });
  t.match(day, { leq_24h: 63.4, lmax: 63.4, l10: null }, 'of the day it is right');
});

t.test('better rows beside it count as if it were not there', async (t) => {
  const quiet = [...hourly(0, 7, () => 40), ...hourly(23, 24, () => 40)];
  const [day] = await days({ card: [row(0, 24, 63.4)], poll: quiet });
  t.match(day, { lnight: 40, lday: null, leq_24h: 63.4, valid: false });
  t.match(day.coverage, { day: 0, night: 1, all: 1 });
});

t.test('a row from noon to noon says nothing of any day', async (t) => {
  const [first, second] = await days({ card: [row(12, 24, 60)] });
  for (const day of [first, second]) t.match(day, { leq_24h: null, lday: null, coverage: { all: 0 } });
});

t.test('rows of eight hours count where they lie in one period', async (t) => {
  const [first, second] = await days({ card: [0, 8, 16, 24, 32, 40].map((hour) => row(hour, 8, 50 + hour)) });
  t.match(first, { lday: 58, levening: null, lnight: null, coverage: { day: 0.666, evening: 0, night: 0, all: 1 } });
  t.match(second, { lday: 82, lnight: null });
  const nights = await days({ card: [row(-1, 8, 40), row(23, 8, 45), row(47, 8, 50)] });
  t.match(
    nights.map((day: { coverage: object; lnight: number }) => [day.coverage, day.lnight]),
    [
      [{ night: 1, day: 0 }, 41.04],
      [{ night: 1, day: 0 }, 46.04],
    ],
    'a night over midnight is one period: 7 h of one and 1 h of the next',
  );
});

t.test('a row that reaches into the next period is left out of both, and coverage says so', async (t) => {
  const level = (hour: number) => (hour % 24 >= 7 && hour % 24 < 23 ? 70 : 40);
  const [day] = await days({ card: hourly(-2, 50, level, HOUR / 2) });
  t.match(day, { lday: 70, levening: 70, lnight: 40, valid: true });
  t.strictSame(day.coverage, { day: 0.916, evening: 0.75, night: 0.875, all: 0.958 });
});

t.test('a clock that is a second off leaves nothing out', async (t) => {
  const level = (hour: number) => (hour % 24 >= 7 && hour % 24 < 23 ? 50 : 40);
  for (const lateS of [-1, 0, 1, 2]) {
    const [day] = await days({ card: hourly(-2, 50, level, lateS) });
    t.match(day, { valid: true, lday: 50 });
    t.ok(Math.abs(day.lnight - 40) < 0.01, `${lateS} s`);
    t.ok(day.coverage.all >= 0.999);
  }
});
