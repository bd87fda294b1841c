/** How an instance knows that the gateway reaches it at its address. */
import t from 'tap';
import { GatewayReach } from '../../lib/app/instance-reach.ts';
import { VirtualClock } from '../../simulator/index.ts';

const opened = () => {
  const clock = new VirtualClock(undefined, { timersOnly: true });
  const reach = new GatewayReach(clock);
  /** After so many seconds with this gateway, asked each second. */
  const after = async (seconds: number, gateway: string | null = 'a 1') => {
    let is = reach.isReached(gateway ?? undefined);
    for (let second = 0; second < seconds; second += 1) {
      await clock.advance(1_000);
      is = reach.isReached(gateway ?? undefined);
    }
    return is;
  };
  return { reach, after };
};

t.test('it is reached from the first link on, and for half a minute without one', async (t) => {
  const { reach, after } = opened();
  t.equal(await after(100), false);
  reach.carries(true);
  t.equal(await after(0), true, 'at once');
  t.equal(await after(100), true);
  reach.carries(false);
  t.equal(await after(29), true);
  t.equal(await after(1), false);
  reach.carries(true);
  t.equal(await after(0), true);
});

t.test('a gateway that is silent, and one that has just become it, say nothing of its address', async (t) => {
  const { reach, after } = opened();
  reach.carries(true);
  await after(60);
  reach.carries(false);
  t.equal(await after(20), true);
  t.equal(await after(100, null), true, 'nobody is heard of');
  t.equal(await after(29, 'b 4'), true, 'another one, which has half a minute of its own');
  t.equal(await after(29, 'b 5'), true, 'the same one, started again');
  t.equal(await after(1, 'b 5'), false);
  t.equal(await after(100, null), false, 'one that was not reached does not become so by silence');
  t.equal(await after(10, 'c 1'), false);
});

t.test('a link that begins and ends again and again is none until one lasts', async (t) => {
  const { reach, after } = opened();
  for (let time = 0; time < 10; time += 1) {
    reach.carries(true);
    await after(5);
    reach.carries(false);
    await after(1);
  }
  t.equal(await after(0), false);
  reach.carries(true);
  t.equal(await after(29), false);
  t.equal(await after(1), true);
});

t.test(
  'one that its gateway gives up as silent each time, because nothing big comes back, does not last',
  async (t) => {
    const { reach, after } = opened();
    for (let time = 0; time < 6; time += 1) {
      reach.carries(true);
      // The other end hears nothing for 20 s, and looks each 5 s.
      await after(25);
      reach.carries(false);
      await after(1);
    }
    t.equal(await after(0), false);
    reach.carries(true);
    await after(25);
    t.equal(await after(0), false);
  },
);
