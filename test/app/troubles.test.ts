/** What /health says of the parts: which are grave, and what anybody may read. */
import t from 'tap';
import { historyTrouble, troublesOf } from '../../lib/app/troubles.ts';
import type { RecordingState } from '../../lib/history/contract.ts';
import { createParts } from '../../lib/status/parts.ts';

const quiet = { failures: [], audit: { shortage: undefined }, store: { trouble: () => undefined } };

t.test('a history that does not record is grave; its reason, which may name a path, is not said', async (t) => {
  const parts = createParts();
  let state: RecordingState = 'recording';
  const status = () => ({
    state,
    since: 0,
    reason: '/data/history.db',
    away: null,
    waiting: 0,
    lost: 0,
    duplicates: 0,
    drops: false,
    damage: null,
  });
  parts.add('history', () => historyTrouble({ status: status() }));
  t.same(troublesOf({ ...quiet, parts }), []);
  for (state of ['full', 'failing'] as const) {
    const [trouble] = troublesOf({ ...quiet, parts });
    t.match(trouble, { part: 'history', detail: /^No levels are recorded: / });
    t.notOk(trouble?.harmless, '/readyz reports it');
    t.notMatch(trouble?.detail, /history\.db/);
  }
});

t.test('a part that throws does not work; a removed part is gone', async (t) => {
  const parts = createParts();
  const remove = parts.add('broken', () => {
    throw new Error('no');
  });
  t.match(troublesOf({ ...quiet, parts }), [{ part: 'broken', detail: /does not say its state/, harmless: true }]);
  remove();
  t.same(parts.states(), []);
});
