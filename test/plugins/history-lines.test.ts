/** The small lines of all meters: each says what its levels are, and how they are weighted. */
import t from 'tap';
import { localTime, type Weighting } from '../../lib/built-in.ts';
import { levelChartFile } from '../../lib/domain/page.ts';
import type { Request, Route } from '../../lib/index.ts';
import { addLines } from '../../plugins/history/days.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { reading, rowsOf, second } from '../contract/history/rows.ts';
import { configOf } from '../plugin/doubles.ts';
import { PlainHistory } from '../support/plain-history.ts';
import { standIn } from '../support/stand-in.ts';

const AF: Weighting = { frequency: 'A', time: 'F' };
const CS: Weighting = { frequency: 'C', time: 'S' };

t.test('means of measured time and means of readings are separate', async (t) => {
  const clock = new VirtualClock();
  const now = Math.floor(clock.now() / 10_000) * 10;
  const history = new PlainHistory(() => clock.now());
  const seconds = [second(now - 20, 60), second(now - 19, 60)];
  history.append({ unitId: 'streamed', source: 'stream', weighting: CS, seconds });
  history.append({ unitId: 'read', source: 'poll', weighting: AF, seconds: [reading(now - 5, 50)] });
  history.append({ unitId: 'both', source: 'stream', weighting: AF, seconds });
  history.append({ unitId: 'both', source: 'poll', weighting: AF, seconds: [reading(now - 5, 50)] });
  const units = ['streamed', 'read', 'both', 'silent'].map((unitId) => configOf({ unitId, history: 'stream' }));
  const routes: Route[] = [];
  const host = standIn<Parameters<typeof addLines>[0]>({
    clock,
    history,
    configs: { list: () => units },
    route: (made: Route) => void routes.push(made),
  });
  addLines(host);
  const request = standIn<Request>({ identity: { units: null }, caller: { signal: new AbortController().signal } });
  const answer = (await routes[0]?.handle(request)) as { data: { units: object[] } };
  t.match(answer.data.units, [
    { unit_id: 'streamed', quantity: 'leq', weighting: CS },
    { unit_id: 'read', quantity: 'lp', weighting: AF },
    { unit_id: 'both', quantity: 'mixed', weighting: AF },
  ]);
  t.equal(answer.data.units.length, 3);

  const over = { from: now - 600, to: now, step: 10 };
  const rows = await rowsOf(history, { unitId: 'both', over });
  const span = { from: (now - 600) * 1_000, to: now * 1_000 };
  const drawn = levelChartFile('', { rows, span, zone: 'UTC', show: localTime('UTC') });
  const [, means = ''] = /class="leq" d="([^"]*)"/.exec(drawn) ?? [];
  const [, readings = ''] = /class="reading" d="([^"]*)"/.exec(drawn) ?? [];
  t.equal(means.split('M').length, 2, 'the line of the chart is of means alone');
  t.equal(readings.split('M').length, 2);
});
