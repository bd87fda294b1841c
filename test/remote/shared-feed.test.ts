/** The stream of a unit whose session ends, moves and comes late, with feeds that a test holds. */
import t, { type Test } from 'tap';
import { createLog } from '../../lib/log.ts';
import type { LiveFrame, Meter } from '../../lib/meter/contract.ts';
import { Hub } from '../../lib/meter/live/hub.ts';
import { SharedFeed } from '../../lib/remote/shared-feed.ts';
import { VirtualClock } from '../../simulator/index.ts';
import { standIn } from '../support/stand-in.ts';
import { Viewer } from './support/shared-world.ts';

const LEVEL = { lp: '43.7', leq: null, lmax: null, lmin: null, lpeak: null, lieq: null, over: null, under: null };
const frame = (counter: number, begun = 0): LiveFrame => ({
  ...{ at: 1_000 * begun + counter, elapsed: counter, begun, shown: null },
  frame: { counter, main: LEVEL },
});

/** A session's feed, and how often it was begun to be watched. */
function session() {
  const watches = { count: 0 };
  const hub: Hub<LiveFrame> = new Hub({
    log: createLog('silent'),
    onWatched: () => {
      watches.count += 1;
    },
    onUnwatched: () => hub.reset(),
  });
  return { hub, watches, meter: standIn<Meter>({ unitId: 'roof', feed: hub }) };
}

function openFeed(t: Test, { elsewhere = true, kept = [] as LiveFrame[] } = {}) {
  const clock = new VirtualClock();
  const views: boolean[] = [];
  const looks = { count: 0, next: () => {} };
  const feed = new SharedFeed({
    ...{ unitId: 'roof', clock, log: createLog('silent'), onFrame: () => {} },
    kept: () => kept.splice(0),
    look: () => {
      looks.count += 1;
      looks.next();
    },
    place: () => ({ isHere: !elsewhere, view: (_, on) => views.push(on) }),
  });
  t.teardown(() => feed.close('stopping', ''));
  const viewer = new Viewer();
  const counters = () => viewer.frames.map(({ frame: { counter } }) => counter);
  return { clock, feed, viewer, looks, counters, views };
}

t.test('where the session is hears whether somebody wants each frame at once, and the next one, too', async (t) => {
  const { feed, viewer, views } = openFeed(t);
  const keeper = Object.assign(new Viewer(), { mayWait: true });
  feed.watch(viewer)();
  t.strictSame(views, [], 'there is no session');
  const unwatch = feed.watch(keeper);
  const [one, two] = [session(), session()];
  feed.follow(one.meter, '');
  t.strictSame(views, [], 'one that may wait');
  const leave = feed.watch(viewer);
  t.strictSame([feed.viewers, views], [1, [true]]);
  feed.follow(two.meter, '');
  t.strictSame(views, [true, true]);
  leave();
  t.strictSame([feed.viewers, views], [0, [true, true, false]]);
  t.equal(two.watches.count, 1, 'the one that may wait still watches');
  unwatch();
  t.strictSame(views, [true, true, false], 'who watches nothing is asked nothing');
});

t.test('whoever watches before there is a session is told so once, and gets its frames when it comes', async (t) => {
  const { feed, viewer, counters } = openFeed(t);
  feed.follow(undefined, 'nobody has it');
  feed.watch(viewer);
  t.strictSame(viewer.said, [{ status: 'interrupted', detail: 'nobody has it' }]);
  feed.follow(undefined, 'it cannot be reached');
  t.strictSame(viewer.said.slice(1), [{ status: 'interrupted', detail: 'it cannot be reached' }]);
  const one = session();
  feed.follow(one.meter, '');
  t.equal(one.watches.count, 1);
  t.equal(viewer.said.length, 2, 'a session is no frame yet');
  one.hub.publish(frame(1));
  t.strictSame(viewer.said.slice(2), [{ status: 'ok', detail: '' }]);
  t.strictSame(counters(), [1]);
});

t.test('with the last watcher the session is not watched any more; the next one finds what is true then', async (t) => {
  const { feed, viewer } = openFeed(t);
  const one = session();
  feed.follow(one.meter, '');
  t.equal(one.watches.count, 0, 'nobody watches yet');
  const leave = feed.watch(viewer);
  one.hub.status('lost', 'no route');
  leave();
  t.equal(one.hub.watchers, 0);
  t.equal(feed.state, 'ok');
  feed.follow(undefined, 'nobody has it');
  const next = new Viewer();
  feed.watch(next);
  t.strictSame(next.said, [{ status: 'interrupted', detail: 'nobody has it' }]);
});

t.test('another session at once: the watchers hear of the break, and nothing of the former session', async (t) => {
  const { feed, viewer, counters } = openFeed(t);
  const [one, two] = [session(), session()];
  feed.follow(one.meter, '');
  feed.watch(viewer);
  one.hub.publish(frame(1));
  two.hub.watch(new Viewer());
  two.hub.publish(frame(7, 1));
  feed.follow(two.meter, '');
  t.equal(one.hub.watchers, 0);
  one.hub.publish(frame(2));
  one.hub.close('removed', 'given away');
  t.strictSame(viewer.statuses, ['interrupted', 'ok']);
  t.strictSame(counters(), [1, 7], 'the last frame of a stream that runs comes at once');
  feed.follow(two.meter, '');
  t.strictSame(counters(), [1, 7], 'and not again when nothing has changed');
});

t.test('frames that were kept come first, each once, and before what the session shows last', async (t) => {
  const { feed, viewer, counters } = openFeed(t, { kept: [frame(1), frame(2), frame(3)] });
  const one = session();
  one.hub.watch(new Viewer());
  one.hub.publish(frame(3));
  feed.follow(one.meter, '');
  feed.watch(viewer);
  one.hub.publish(frame(4));
  t.strictSame(counters(), [1, 2, 3, 4]);
});

t.test(
  'a session that ends while the unit goes on is looked for again, and watched again a second later',
  async (t) => {
    for (const reason of ['removed', 'stopping'] as const) {
      const { feed, viewer, looks, clock, counters } = openFeed(t);
      const one = session();
      feed.follow(one.meter, '');
      feed.watch(viewer);
      one.hub.end(reason, 'it stops');
      t.equal(looks.count, 1);
      t.strictSame(viewer.said, [{ status: 'interrupted', detail: 'it stops' }]);
      await clock.advance(999);
      t.equal(one.watches.count, 1);
      await clock.advance(1);
      t.equal(one.watches.count, 2);
      one.hub.publish(frame(1));
      t.strictSame(counters(), [1]);
      looks.next = () => feed.follow(undefined, 'nobody has it');
      one.hub.end(reason, 'it stops');
      t.strictSame(viewer.said.at(-1), { status: 'interrupted', detail: 'nobody has it' });
      looks.next = () => feed.close('removed', 'no config');
      feed.follow(one.meter, '');
      one.hub.end(reason, 'it stops');
      t.equal(viewer.ended, 'removed');
      t.equal(clock.pending, 0);
    }
  },
);

t.test(
  'a stream that cannot be had ends; the first word of another instance may be about the session before',
  async (t) => {
    const far = openFeed(t);
    const one = session();
    far.feed.follow(one.meter, '');
    far.feed.watch(far.viewer);
    one.hub.end('failed', 'the address was changed');
    t.equal(far.viewer.ended, undefined);
    t.equal(one.watches.count, 2, 'asked once more');
    one.hub.publish(frame(1));
    one.hub.end('failed', 'it refuses');
    t.equal(far.viewer.ended, 'failed', 'it had said something');
    const none = new Viewer();
    const two = session();
    two.hub.close('failed', 'it has no stream');
    far.feed.follow(two.meter, '');
    far.feed.watch(none);
    t.equal(none.ended, 'failed');
    t.equal(far.feed.watchers, 0);
    const near = openFeed(t, { elsewhere: false });
    const own = session();
    near.feed.follow(own.meter, '');
    near.feed.watch(near.viewer);
    own.hub.end('failed', 'it refuses');
    t.equal(near.viewer.ended, 'failed', 'a session of this instance is believed');
    t.equal(own.watches.count, 1);
  },
);

t.test('a watcher that leaves in the middle of what was kept ends the watch', async (t) => {
  const { feed } = openFeed(t, { kept: [frame(1), frame(2)] });
  const one = session();
  feed.follow(one.meter, '');
  const got: number[] = [];
  const leave = feed.watch({
    frame: ({ frame: { counter } }) => {
      got.push(counter);
      queueMicrotask(() => leave());
    },
    status: () => {},
    end: () => {},
  });
  await Promise.resolve();
  one.hub.publish(frame(3));
  t.strictSame(got, [1, 2]);
  t.equal(one.hub.watchers, 0);
});

t.test('a watcher that leaves when it is told the status of a new session watches no session any more', async (t) => {
  const kept = [frame(1)];
  const { feed, viewer, views } = openFeed(t, { kept });
  const one = session();
  one.hub.watch(Object.assign(new Viewer(), { mayWait: true }));
  one.hub.status('lost', 'no route');
  let leave = () => {};
  leave = feed.watch({ ...viewer, frame: () => {}, end: () => {}, status: () => leave() });
  feed.follow(one.meter, '');
  t.equal(feed.watchers, 0);
  t.equal(one.hub.watchers, 1);
  t.strictSame([views, kept], [[], [frame(1)]], 'what is kept stays for who watches next');
});
