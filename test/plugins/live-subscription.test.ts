/** Whom an event is for: the client's wish, and the units that its key reaches. */
import t from 'tap';
import type { Identity } from '../../lib/index.ts';
import { changed, streamed, subscriptionOf, wants } from '../../plugins/live/subscriber.ts';

const identity = (units: string[] | null) => ({ units }) as Identity;

t.test('a key for some units gets only their events, for every request', async (t) => {
  const limited = identity(['roof']);
  const all = subscriptionOf({ units: '*', hz: 10 });
  t.ok(wants(all, limited, 'state', 'roof'));
  for (const name of ['reading', 'state', 'config', 'alert', 'job'] as const) {
    t.notOk(wants(all, limited, name, 'yard'), name);
    t.notOk(wants(subscriptionOf({ units: 'yard', hz: 10 }), limited, name, 'yard'), name);
  }
  t.same(streamed(subscriptionOf({ units: 'roof,yard', events: 'frame', hz: 10 }), limited), ['roof']);
  t.ok(wants(all, identity(null), 'job', ''), 'what concerns no unit is for keys without a limit');
  t.notOk(wants(all, limited, 'job', ''));
});

t.test('all events but frames come by default, and frames for named units alone', async (t) => {
  const all = subscriptionOf({ units: '*', hz: 10 });
  t.notOk(wants(all, identity(null), 'frame', 'roof'));
  t.same(streamed(subscriptionOf({ units: '*', events: 'frame', hz: 10 }), identity(null)), []);
  t.same(streamed(all, identity(null)), []);
});

t.test('a change leaves alone what it does not name', async (t) => {
  const before = subscriptionOf({ units: 'roof', events: 'state', hz: 3 });
  t.match(changed(before, { hz: 1 }), { units: new Set(['roof']), events: new Set(['state']), hz: 1 });
  t.equal(changed(before, { units: ['yard', '*'] }).units, undefined);
});
