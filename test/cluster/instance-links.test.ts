/** How long a gateway has had no link to an instance, for `/health`. */
import t from 'tap';
import { InstanceLinks } from '../../lib/app/instance-links.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/index.ts';
import { messagePipe } from '../support/message-pipe.ts';
import { aboutMember } from './support/memory-store.ts';

const log = createLog('silent', { write: () => {} });

t.test('an instance that is linked again is not told as one that is not reached', async (t) => {
  const clock = new VirtualClock(undefined, { timersOnly: true });
  let isThere = false;
  let begins = true;
  let cut = () => {};
  const links = new InstanceLinks({
    ...{ clock, log },
    meters: { link: (_id, _pipe, onBegun = () => {}) => begins && onBegun(), stay: () => {} },
    open: async () => {
      if (!isThere) throw new Error('nobody listens');
      const { near, far } = messagePipe();
      cut = () => far.close('the network is away');
      return near;
    },
  });
  t.teardown(() => links.end());
  const other = {
    id: 'b',
    epoch: 1,
    beat: 1,
    open: true,
    leaving: false,
    linked: true,
    sites: [''],
    voters: [],
    ...aboutMember('b'),
  };
  links.keep([other]);
  /** At which seconds of so many it is told. */
  const told = async (seconds: number) => {
    const at: number[] = [];
    for (let second = 1; second <= seconds; second += 1) {
      await clock.advance(1_000);
      if (links.lacking.length > 0) at.push(second);
    }
    return at;
  };
  await told(20);
  isThere = true;
  t.strictSame(await told(60), [], 'one that was linked after 20 s');
  isThere = false;
  cut();
  t.strictSame(await told(25), [], 'nor sooner than half a minute after its end');
  isThere = true;
  t.strictSame(await told(60), [], 'and one that was linked again after 25 s');
  isThere = false;
  cut();
  await told(40);
  t.equal(links.lacking.length, 1);
  isThere = true;
  t.strictSame(await told(60), [], 'it is told no longer than until it is linked');
  begins = false;
  for (let time = 0; time < 10; time += 1) {
    cut();
    await told(5);
  }
  t.equal(links.lacking.length, 1);
  begins = true;
  cut();
  t.ok((await told(60)).length < 3, 'links that opened and carried nothing are not breaks of it');
  for (let time = 0; time < 10; time += 1) {
    cut();
    await told(5);
  }
  t.equal(links.lacking.length, 1, 'one whose link begins and ends again and again');
  t.ok((await told(60)).length > 10, 'until one of them lasts');
  t.strictSame(await told(60), []);
});

t.test('all wait for one that may be given units and has no link, and for no other one', async (t) => {
  const clock = new VirtualClock(undefined, { timersOnly: true });
  let isThere = false;
  const told: boolean[] = [];
  const links = new InstanceLinks({
    ...{ clock, log },
    meters: { link: (_id, _pipe, onBegun = () => {}) => onBegun(), stay: (on) => void told.push(on) },
    open: async () => {
      if (!isThere) throw new Error('nobody listens');
      return messagePipe().near;
    },
  });
  t.teardown(() => links.end());
  const row = { id: 'b', epoch: 1, beat: 1, open: true, leaving: false, sites: [''], voters: [], ...aboutMember('b') };
  for (const linked of [false, true, false]) {
    links.keep([{ ...row, linked }]);
    t.equal(links.lacksOne, linked);
  }
  links.keep([{ ...row, linked: true }]);
  isThere = true;
  await clock.advance(1_000);
  t.equal(links.lacksOne, false);
  t.strictSame(told, [false, true, false, true, false]);
});
