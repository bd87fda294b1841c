import t from 'tap';
import type { FeedEnd, FeedStatus, Watcher } from '../../../lib/meter/contract.ts';
import { Hub } from '../../../lib/meter/live/hub.ts';

function createHub() {
  const calls: string[] = [];
  const warnings: unknown[] = [];
  const log = { warn: (entry: unknown) => void warnings.push(entry) };
  const hub = new Hub<number>({
    log,
    onWatched: () => calls.push('watched'),
    onUnwatched: () => calls.push('unwatched'),
  });
  return { hub, calls, warnings };
}

class Viewer implements Watcher<number> {
  readonly words: (number | FeedStatus | FeedEnd)[] = [];
  frame(frame: number): void {
    this.words.push(frame);
  }
  status(status: FeedStatus): void {
    this.words.push(status);
  }
  end(reason: FeedEnd): void {
    this.words.push(reason);
  }
}

t.test('the source learns of the first watcher and of the end of the last, not of those between', async (t) => {
  const { hub, calls } = createHub();
  const first = hub.watch(new Viewer());
  const second = hub.watch(new Viewer());
  t.same(calls, ['watched']);
  first();
  first();
  t.equal(hub.watchers, 1);
  second();
  t.same(calls, ['watched', 'unwatched']);
});

t.test('a watcher that watches twice counts twice, and each disposer ends its own watch', async (t) => {
  const { hub } = createHub();
  const told = new Viewer();
  const first = hub.watch(told);
  hub.watch(told);
  hub.publish(1);
  first();
  hub.publish(2);
  t.same(told.words, [1, 1, 2]);
});

t.test('a newcomer gets the last frame, or the trouble, like the others', async (t) => {
  const { hub } = createHub();
  hub.watch(new Viewer());
  hub.publish(7);
  const joined = new Viewer();
  hub.watch(joined);
  t.same(joined.words, [7]);
  hub.status('lost', 'no connection');
  const later = new Viewer();
  hub.watch(later);
  t.same(later.words, ['lost']);
});

t.test('a source that has stopped shows nobody its old frame', async (t) => {
  const { hub } = createHub();
  hub.publish(7);
  hub.reset();
  const told = new Viewer();
  hub.watch(told);
  t.same(told.words, []);
});

t.test('the same status is sent once', async (t) => {
  const { hub } = createHub();
  const told = new Viewer();
  hub.watch(told);
  hub.status('ok', '');
  hub.status('lost', 'a');
  hub.status('lost', 'a');
  hub.status('ok', '');
  t.same(told.words, ['lost', 'ok']);
});

t.test('a watcher that throws is removed and logged, and harms no other', async (t) => {
  const { hub, calls, warnings } = createHub();
  const boom = () => {
    throw new Error('boom');
  };
  hub.watch({ frame: boom, status: boom, end: boom });
  const told = new Viewer();
  hub.watch(told);
  hub.publish(1);
  t.equal(hub.watchers, 1);
  hub.publish(2);
  t.same(told.words, [1, 2]);
  t.match(warnings, [{ error: 'boom' }]);
  hub.watch({ frame: boom, status: boom, end: boom });
  t.equal(hub.watchers, 1, 'also one that throws on its first frame');
  t.same(calls, ['watched']);
});

t.test('watchers may come and go while they get a status', async (t) => {
  const { hub } = createHub();
  const told = new Viewer();
  let leaveOther = () => {};
  const greedy = new Viewer();
  hub.watch({
    frame: () => {
      leaveOther();
      hub.watch(greedy);
    },
    status: () => {},
    end: () => {},
  });
  leaveOther = hub.watch(told);
  hub.publish(1);
  t.same(told.words, [], 'it left before its turn');
  t.same(greedy.words, [1], 'it came during the frame and got it once');
});

t.test('an end reaches all watchers; a later watcher starts a new stream, unless the hub is closed', async (t) => {
  const { hub, calls } = createHub();
  const told = new Viewer();
  hub.watch(told);
  hub.publish(1);
  hub.end('failed', 'refused');
  hub.publish(2);
  t.same(told.words, [1, 'failed']);
  t.same(calls, ['watched', 'unwatched']);
  const second = new Viewer();
  hub.watch(second);
  hub.close('stopping', 'bye');
  hub.close('removed', 'too late');
  t.same(second.words, [2, 'stopping']);
  const third = new Viewer();
  const leave = hub.watch(third);
  leave();
  t.same(third.words, ['stopping']);
  t.equal(hub.watchers, 0);
});
