/** Questions of a report: a question with the same answer for all units is asked once, and each unit still has the answer. */
import t from 'tap';
import type { Host, Request } from '../../lib/index.ts';
import { Questions } from '../../plugins/reports/answers.ts';
import { standIn } from '../support/stand-in.ts';

t.test('a station is read once for all units of a report, and each unit lists the question', async (t) => {
  const calls: string[] = [];
  const host = standIn<Pick<Host, 'ask'>>({
    ask: async (_: Request, { path, unitId = '' }: { path: string; unitId?: string }) => {
      calls.push(`${unitId} ${path}`);
      return { content: { kind: 'json', data: { data: [path, calls.length] } } };
    },
  });
  const report = new Questions(host, standIn<Request>({ caller: {} }));
  const found = [];
  const asked = [];
  for (const unitId of ['roof', 'yard', 'wall']) {
    const unit = report.next();
    const observations = '/_stations/{id}/observations';
    found.push([
      await unit.ofAll(observations, { step: '1d' }, { id: 'mast' }),
      await unit.ofAll(observations, { step: '1d' }, { id: 'gate' }),
    ]);
    await unit.data('/{unit_id}/indices', unitId, { preset: 'eu' });
    asked.push(unit.asked);
  }
  t.equal(calls.filter((one) => one === ' /_stations/{id}/observations').length, 2, 'one call for each station');
  t.equal(calls.length, 5, 'what is of a unit is asked for each');
  t.strictSame(found[1], found[0]);
  t.strictSame(found[2], found[0]);
  t.strictSame(
    asked[2]?.map(({ query }) => query),
    [
      'GET /_stations/mast/observations?step=1d',
      'GET /_stations/gate/observations?step=1d',
      'GET /wall/indices?preset=eu',
    ],
  );
  t.strictSame(asked[2]?.slice(0, 2), asked[0]?.slice(0, 2), 'with the same hash');
});
