/** Messages that a client may miss, and messages that it must get. The network is a number of bytes. */
import t from 'tap';
import { Mailbox } from '../../../lib/meter/live/mailbox.ts';
import { VirtualClock } from '../../../simulator/clock.ts';

function setup() {
  const clock = new VirtualClock();
  const network = { bytes: 0, slow: 0 };
  const sent: unknown[] = [];
  const mailbox = new Mailbox({
    clock,
    send: (message, missed) => void sent.push(missed === 0 ? message : [message, missed]),
    buffered: () => network.bytes,
    tooSlow: () => {
      network.slow += 1;
    },
    fullBytes: 1_000,
    slowMs: 30_000,
  });
  return { clock, network, sent, mailbox };
}
const is = (name: string) => ({ name });

t.test('with room everything goes at once, in its order', async (t) => {
  const { mailbox, sent, clock } = setup();
  mailbox.offer('frame', 'roof', is('frame'));
  mailbox.keep(is('state'));
  mailbox.offer('reading', 'roof', is('reading'));
  t.same(sent, [is('frame'), is('state'), is('reading')]);
  t.equal(clock.pending, 0, 'no timer runs');
});

t.test('without room the newest of each unit waits, and no alert, state or config is lost', async (t) => {
  const { mailbox, sent, network, clock } = setup();
  network.bytes = 5_000;
  for (let number = 1; number <= 9; number++) {
    mailbox.offer('frame', 'roof', is(`frame ${number}`));
    mailbox.offer('reading', 'roof', is(`reading ${number}`));
    mailbox.keep(is(`alert ${number}`));
  }
  mailbox.offer('reading', 'yard', is('yard'));
  await clock.advance(5_000);
  t.same(sent, []);
  network.bytes = 0;
  await clock.advance(100);
  t.equal(sent.length, 12);
  t.same(sent[0], [is('alert 1'), 16], 'the first message after a gap has the number of missed messages');
  t.same(
    sent.slice(1, 9),
    [2, 3, 4, 5, 6, 7, 8, 9].map((number) => is(`alert ${number}`)),
  );
  t.same(sent.slice(9), [is('reading 9'), is('yard'), is('frame 9')]);
});

t.test('a reading that waits goes before a later event of its unit, and is skipped before a hello', async (t) => {
  const { mailbox, sent, network, clock } = setup();
  network.bytes = 5_000;
  mailbox.offer('reading', 'roof', is('measures'));
  mailbox.offer('reading', 'yard', is('yard'));
  mailbox.keep(is('stopped'), 'roof');
  network.bytes = 0;
  await clock.advance(100);
  t.same(sent, [is('measures'), is('stopped'), is('yard')]);
  network.bytes = 5_000;
  mailbox.offer('reading', 'roof', is('old'));
  mailbox.skip();
  mailbox.keep(is('hello'));
  network.bytes = 0;
  await clock.advance(100);
  t.same(sent.slice(3), [[is('hello'), 1]]);
});

t.test(
  'a client that takes nothing for 30 s is closed once; a client that takes a little now and then stays',
  async (t) => {
    const { mailbox, network, clock, sent } = setup();
    network.bytes = 5_000;
    mailbox.keep(is('state'));
    await clock.advance(29_000);
    network.bytes = 0;
    await clock.advance(100);
    network.bytes = 5_000;
    for (let second = 0; second < 29; second++) {
      mailbox.offer('frame', 'roof', is('frame'));
      await clock.advance(1_000);
    }
    t.equal(network.slow, 0);
    await clock.advance(3_000);
    mailbox.keep(is('late'));
    await clock.advance(60_000);
    t.equal(network.slow, 1);
    t.same(sent, [is('state')], 'and nothing is sent afterwards');
  },
);

t.test('when a full client has drained, a later frame of its meter goes behind the frame that waited', async (t) => {
  const { mailbox, sent, network, clock } = setup();
  network.bytes = 5_000;
  mailbox.offer('frame', 'roof', is('first'));
  mailbox.offer('frame', 'roof', is('second'));
  await clock.advance(1_000);
  network.bytes = 0;
  await clock.advance(60);
  mailbox.offer('frame', 'roof', is('third'));
  t.same(sent, [[is('second'), 1], is('third')]);
  t.equal(clock.pending, 0);
});

t.test('nothing happens after the client has gone', async (t) => {
  const { mailbox, sent, network, clock } = setup();
  network.bytes = 5_000;
  mailbox.offer('frame', 'roof', is('frame'));
  mailbox.close();
  mailbox.close();
  network.bytes = 0;
  mailbox.offer('frame', 'roof', is('late'));
  await clock.advance(60_000);
  t.same([sent, network.slow, clock.pending], [[], 0, 0]);
});
