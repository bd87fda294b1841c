/** How far the clocks of two instances are apart, where the way between them is now short, now long. */
import t from 'tap';
import { LinkTime } from '../../lib/remote/link-time.ts';
import type { GatewayMessage } from '../../lib/remote/messages.ts';
import { VirtualClock } from '../../simulator/clock.ts';

/** The monotonic clock of the other instance is so much behind, ms. */
const BEHIND = 5_000;

/** Answers each ping after one of these ways, there and back, ms. */
function link(ways: readonly number[]) {
  const clock = new VirtualClock(undefined, { timersOnly: true });
  const sent: GatewayMessage[] = [];
  const ended: string[] = [];
  let pings = 0;
  const time = new LinkTime({
    clock,
    send(message) {
      sent.push(message);
      const way = ways[pings] ?? Number.POSITIVE_INFINITY;
      if (message.kind !== 'ping') return;
      pings += 1;
      if (way === Number.POSITIVE_INFINITY) return;
      clock.after(way / 2, () => {
        const shown = clock.elapsed() - BEHIND;
        clock.after(way / 2, () => time.pong(message.id, shown));
      });
    },
    onKnown: () => ended.push('known'),
    onTaken: () => ended.push('taken'),
    onSilent: () => ended.push('silent'),
  });
  time.ping();
  const hellos = () => sent.filter((message) => message.kind === 'hello');
  return { clock, time, ended, hellos };
}

t.test('the hello comes after the first pings, however long the way of the last one was', async (t) => {
  for (const ways of [
    [4, 4, 4, 4, 4],
    [80, 4, 90, 70, 400],
    [400, 4, 4, 4, 60],
  ]) {
    const { clock, time, ended, hellos } = link(ways);
    await clock.advance(2_000);
    t.same(ended, ['known'], ways.join());
    t.equal(time.offset, BEHIND);
    const [hello] = hellos();
    t.ok(hello);
    const wallAt = (elapsed: number) => clock.now() - clock.elapsed() + elapsed;
    t.equal(
      hello?.now,
      wallAt((hello?.at ?? 0) + BEHIND),
      'the wall clock of the gateway at that time of the other one',
    );
  }
});

t.test(
  'later pings say the wall clock again where their way is short, and one without an answer ends the link',
  async (t) => {
    const { clock, ended, hellos } = link([4, 4, 4, 4, 4, 4, 300]);
    await clock.advance(16_000);
    t.equal(hellos().length, 2);
    await clock.advance(16_000);
    t.equal(hellos().length, 2);
    await clock.advance(60_000);
    t.same(ended, ['known', 'taken', 'silent']);
  },
);
