/** All that is kept for the next gateway at most is asked for at once, and the link is slower than that. */
import t from 'tap';
import { createLog } from '../../lib/log.ts';
import type { LocalFleet } from '../../lib/meter/fleet.ts';
import type { MessagePipe } from '../../lib/remote/contract.ts';
import { type FrameOnLink, LINK_VERSION } from '../../lib/remote/messages.ts';
import type { ServedFeeds } from '../../lib/remote/served-feeds.ts';
import { ServedLink } from '../../lib/remote/served-link.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { standIn } from '../support/stand-in.ts';

const MB = 1_024 * 1_024;

/** A link that has told its units, over a pipe from which nothing has gone yet. */
function begun() {
  const closed = Promise.withResolvers<string>();
  let hear: (message: unknown) => void = () => {};
  const line = { waiting: 0, reason: '' };
  const pipe: MessagePipe = {
    send(message) {
      line.waiting += JSON.stringify(message).length;
    },
    receive(listener) {
      hear = listener;
    },
    get waiting() {
      return line.waiting;
    },
    ended: closed.promise,
    close(reason) {
      line.reason ||= reason;
      closed.resolve(reason);
    },
  };
  const link = new ServedLink({
    ...{ pipe, clock: new VirtualClock(), log: createLog('silent') },
    ...{ fleet: standIn<LocalFleet>({}), feeds: standIn<ServedFeeds>({}) },
    ...{ units: () => [], isServed: () => false, align: () => {}, tell: () => {} },
    ...{ onReady: () => {}, onEnd: () => {}, stay: () => {} },
  });
  hear({ kind: 'hello', version: LINK_VERSION, at: 0, now: 0 });
  hear({ kind: 'units', all: true, units: [], gone: [] });
  return { link, line };
}

const level = { lp: '43.7', leq: '44.1', lmax: '50.2', lmin: '38.0', lpeak: null, lieq: null, over: null, under: null };
const frames = Array.from({ length: 1_200 }, (_, index): FrameOnLink => {
  return [`unit-${index}`, 1_766_541_600_000, 123_456.789, 1_234.567, null, { counter: index + 1, main: level }];
});
const size = JSON.stringify(frames).length;

t.test('the link goes on with it, and ends where still more waits', async (t) => {
  const { link, line } = begun();
  for (let sent = 0; sent < 64 * MB; sent += size) link.kept(frames, 'roof', 0);
  t.ok(line.waiting > 64 * MB);
  t.equal(line.reason, '', 'it is asked for once');
  for (let sent = 0; sent < 64 * MB; sent += size) link.kept(frames, 'roof', 0);
  t.match(line.reason, /does not take/);
});
