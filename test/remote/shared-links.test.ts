/** What the gateway's plugins see of a unit at another instance whose link or session is not what it was a moment ago. */
import t from 'tap';
import { LINK_VERSION } from '../../lib/remote/messages.ts';
import { startMeter } from '../../simulator/index.ts';
import { messagePipe } from '../support/message-pipe.ts';
import { openRoof, outcomeOf, patient, Viewer } from './support/shared-world.ts';
import { sentOf } from './support/two-instances.ts';

t.test('a link that opens again and again and carries nothing is no link', async (t) => {
  const { clock, shared, give, unlink, until, configs } = await openRoof(t);
  const meter = shared.meter('roof');
  await until(give(['roof'], 'b'));
  await until(meter.perform('battery', patient()));
  t.match(shared.reachability('roof'), { state: 'online' });
  unlink();
  for (let tries = 0; tries < 4; tries += 1) {
    const { near, line } = messagePipe();
    shared.link('b', near);
    await clock.pass(4_000);
    line.cut();
    await clock.pass(1_000);
  }
  t.match(shared.reachability('roof'), { state: 'degraded', reachable: false }, 'nobody serves it');
  t.equal(await until(outcomeOf(meter.perform('battery', patient()))), 'OWNER_CHANGING', 'not the end of its time');
  configs.remove('roof');
});

t.test('no frame comes twice where a link ends before the other instance has its units', async (t) => {
  const { clock, shared, give, link, unlink, until } = await openRoof(t);
  const viewer = new Viewer();
  shared.meter('roof').feed.watch(viewer);
  await until(give(['roof'], 'b'));
  link();
  await clock.pass(5_050);
  unlink();
  const { near, far, line } = messagePipe();
  far.receive(() => {
    const told = sentOf(near);
    const { kind, id } = told.at(-1) ?? {};
    if (kind === 'ping' && told.length <= 5)
      far.send({ kind: 'pong', id, version: LINK_VERSION, elapsed: clock.elapsed() });
  });
  shared.link('b', near);
  await clock.pass(300);
  line.cut();
  link();
  await clock.pass(3_000);
  const all = viewer.frames.map(({ frame }) => frame.counter);
  t.ok(all.length > 60);
  t.same(
    all,
    Array.from({ length: all.length }, (_, index) => index + 1),
  );
});

t.test('a meter whose instance refused once and streams again is no lost one, although nobody asks it', async (t) => {
  const { clock, shared, give, until, members } = await openRoof(t);
  const viewer = new Viewer();
  const meter = shared.meter('roof');
  meter.feed.watch(viewer);
  await until(give(['roof'], 'b'));
  await clock.pass(5_000);
  void members.b.served.own(new Set());
  await clock.pass(1_000);
  t.equal(await until(outcomeOf(meter.perform('battery', patient()))), 'OWNER_CHANGING');
  await clock.pass(1_000);
  void members.b.served.own(new Set(['roof']));
  const before = viewer.frames.length;
  await clock.pass(15_000);
  t.ok(viewer.frames.length > before + 100);
  t.match(shared.reachability('roof'), { state: 'online' });
});

t.test(
  'a meter that is another one now while it is streamed elsewhere: nothing of the one before counts as of it, and its stream goes on',
  async (t) => {
    const { clock, shared, give, until, configs } = await openRoof(t);
    const other = await startMeter({ clock, profile: 'instant', soundStepMs: 100 });
    t.teardown(() => clock.until(other.stop()));
    const first = new Viewer();
    shared.meter('roof').feed.watch(first);
    await until(give(['roof'], 'b'));
    await clock.pass(5_000);
    t.ok(first.frames.length > 10);
    const second = new Viewer();
    configs.put('roof', { tcpPort: other.tcpPort });
    shared.meter('roof').feed.watch(second);
    await clock.pass(10_000);
    t.equal(first.ended, 'failed');
    t.equal(second.ended, undefined);
    t.equal(second.frames[0]?.frame.counter, 1);
    t.ok(second.frames.length > 50);
  },
);
