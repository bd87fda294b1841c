/** Two members on one store and one clock: who owns the unit, and when nobody may act. */
import t, { type Test } from 'tap';
import type { ClusterRequest, SharedClusterStore } from '../../lib/cluster/contract.ts';
import { MemberLoop } from '../../lib/cluster/member-loop.ts';
import { CLUSTER_TIMES } from '../../lib/cluster/times.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/index.ts';
import { aboutMember, MemoryClusterStore } from './support/memory-store.ts';

/** A store that can be away: it refuses at once or is silent. */
class Store implements Pick<SharedClusterStore, 'ask' | 'members'> {
  away: 'refuses' | 'is silent' | undefined;
  tellsTimeline = true;
  hidesMembers = false;
  readonly asked: ClusterRequest[] = [];
  readonly kept = new MemoryClusterStore([{ unit: 'all', site: 'x', pinned: undefined }]);

  async ask(request: ClusterRequest, signal: AbortSignal) {
    this.asked.push(request);
    if (this.away === 'refuses') throw new Error('nobody listens');
    if (this.away === 'is silent')
      return new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const answer = await this.kept.ask(request, signal);
    return answer === 'refused' || this.tellsTimeline ? answer : { ...answer, timeline: undefined };
  }

  async members() {
    if (this.away || this.hidesMembers) throw new Error('nobody listens');
    return this.kept.members;
  }
}

function pair(t: Test) {
  const clock = new VirtualClock(undefined, { timersOnly: true });
  const store = new Store();
  const lines: string[] = [];
  const log = createLog('debug', { write: (line: string) => void lines.push(line) });
  const begin = (id: string) => {
    const own = {
      id,
      about: aboutMember(id),
      sites: ['x'],
      times: CLUSTER_TIMES,
      movesPerBeat: 1,
      isBusy: () => false,
    };
    const loop = new MemberLoop({ ...own, store, clock, log });
    t.teardown(() => loop.close());
    return loop;
  };
  return { clock, store, begin, lines };
}

t.test('the end of the lease is told in time where timers come a moment early', async (t) => {
  const { clock, store } = pair(t);
  let end = 0;
  const early = {
    now: () => clock.now(),
    elapsed: () => clock.elapsed(),
    after(ms: number, fire: () => void) {
      const isEnd = ms > 1 && Math.abs(clock.elapsed() + ms - end) < 1;
      return clock.after(isEnd ? ms - 0.5 : ms, fire);
    },
  };
  const own = { id: 'a', about: aboutMember('a'), sites: ['x'], times: CLUSTER_TIMES, movesPerBeat: 1 };
  const loop = new MemberLoop({ ...own, isBusy: () => false, store, clock: early, log: createLog('silent') });
  t.teardown(() => loop.close());
  await clock.advance(100);
  end = loop.leaseEnd ?? 0;
  t.ok(loop.isLeased && end > 0);
  store.away = 'is silent';
  let told: number | undefined;
  loop.onChange(() => {
    if (!loop.isLeased) told ??= clock.elapsed();
  });
  await clock.advance(50_000);
  t.ok(told !== undefined && told >= end && told <= end + 2, `${told} after ${end}`);
});

t.test('after its lease nobody is asked for a promise', async (t) => {
  const { clock, store, begin } = pair(t);
  const own = { id: 'a', about: aboutMember('a'), sites: ['x'], times: CLUSTER_TIMES, movesPerBeat: 1 };
  let asked = 0;
  const askPromise = async () => {
    asked += 1;
    throw new Error('nobody listens there either');
  };
  const loop = new MemberLoop({ ...own, isBusy: () => false, store, clock, log: createLog('silent'), askPromise });
  t.teardown(() => loop.close());
  begin('b');
  await clock.advance(20_000);
  store.away = 'refuses';
  await clock.advance(CLUSTER_TIMES.ownMs);
  t.ok(asked > 1 && !loop.isLeased && loop.isCut, `${asked}`);
  const before = asked;
  await clock.advance(600_000);
  t.equal(asked, before);
  store.away = undefined;
  await clock.advance(20_000);
  t.ok(loop.isLeased && !loop.isCut);
});

t.test('the first one owns the unit, the second waits and takes it after 60 s of silence, not before', async (t) => {
  const { clock, begin } = pair(t);
  const first = begin('a');
  await clock.advance(1);
  const second = begin('b');
  await clock.advance(10_000);
  t.ok(first.mayAct('all'));
  t.notOk(second.mayAct('all') || second.holds('all'));
  t.equal(
    second.view.members.find(({ id }) => id === 'a')?.address,
    'http://a.test:8100',
    'it knows where the owner is',
  );
  first.close();
  await clock.advance(40_000);
  t.notOk(first.mayAct('all'), 'who is silent stops by itself');
  t.notOk(second.mayAct('all'), 'and nobody acts for a while');
  await clock.advance(30_000);
  t.ok(second.mayAct('all'));
});

t.test('when a standby becomes the database who owns the unit goes on, and both say it once', async (t) => {
  const { clock, store, begin, lines } = pair(t);
  const first = begin('a');
  await clock.advance(1);
  begin('b');
  await clock.advance(10_000);
  store.kept.failOver();
  for (let passed = 0; passed < 70_000; passed += 1_000) {
    await clock.advance(1_000);
    t.ok(first.mayAct('all'));
  }
  t.equal(lines.filter((line) => line.includes('another server is the database now')).length, 2);
});

t.test('who is silent when a standby becomes the database is taken over 60 s after that', async (t) => {
  const { clock, store, begin } = pair(t);
  const first = begin('a');
  await clock.advance(1);
  const second = begin('b');
  await clock.advance(10_000);
  first.close();
  await clock.advance(50_000);
  store.kept.failOver();
  await clock.advance(60_000);
  t.notOk(second.mayAct('all'));
  await clock.advance(10_000);
  t.ok(second.mayAct('all'));
});

t.test('whose lease is over when a standby becomes the database waits for its unit, too', async (t) => {
  const { clock, store, begin } = pair(t);
  const first = begin('a');
  await clock.advance(10_000);
  store.away = 'refuses';
  await clock.advance(45_000);
  store.away = undefined;
  store.kept.failOver();
  await clock.advance(60_000);
  t.notOk(first.mayAct('all'), 'it may have been taken over by a change that is lost');
  await clock.advance(15_000);
  t.ok(first.mayAct('all'));
});

t.test(
  'a second process with the id of one takes its place within a beat: the first one says why and sends nothing more',
  async (t) => {
    const { clock, store, begin, lines } = pair(t);
    const first = begin('a');
    await clock.advance(12_000);
    const second = begin('a');
    await clock.advance(1);
    t.ok(first.mayAct('all') && second.mayAct('all'), 'until its next beat it cannot know');
    await clock.advance(CLUSTER_TIMES.beatMs);
    t.ok(first.isReplaced);
    t.notOk(first.mayAct('all') || first.holds('all') || first.isLeased);
    const said = () => lines.filter((line) => line.includes('remove instance.json from its data folder')).length;
    t.equal(said(), 1);
    t.equal(await first.leave(2_000), true, 'it has nothing to give');
    const epoch = store.kept.members[0]?.epoch;
    for (let passed = 0; passed < 120_000; passed += 1_000) {
      await clock.advance(1_000);
      t.ok(second.mayAct('all') && !second.isReplaced);
    }
    t.equal(store.kept.members[0]?.epoch, epoch);
    t.equal(said(), 1);
  },
);

t.test('a process that is started again at once has its unit at once', async (t) => {
  const { clock, begin, lines } = pair(t);
  const first = begin('a');
  await clock.advance(12_000);
  first.close();
  const second = begin('a');
  await clock.advance(1);
  t.ok(second.mayAct('all'));
  await clock.advance(60_000);
  t.ok(second.mayAct('all') && !second.isReplaced);
  t.notOk(lines.some((line) => line.includes('refused')));
});

t.test(
  'joinings that come late, of its own and of processes before, are no other process; one that runs is found',
  async (t) => {
    const { clock, store, begin, lines } = pair(t);
    store.away = 'is silent';
    const first = begin('a');
    await clock.advance(3_000);
    const late = store.asked[0];
    store.away = undefined;
    await clock.advance(12_000);
    t.ok(late?.kind === 'join' && first.mayAct('all'));
    if (late) store.kept.done(late);
    await clock.advance(CLUSTER_TIMES.beatMs);
    t.ok(lines.some((line) => line.includes('refused a sign of life')));
    t.ok(first.mayAct('all') && !first.isReplaced, 'it has joined again');
    for (const _ of ['of the process before', 'and of the one before that']) {
      if (late) store.kept.done(late);
      await clock.advance(CLUSTER_TIMES.beatMs);
      t.ok(first.mayAct('all') && !first.isReplaced);
    }
    const second = begin('a');
    await clock.advance(3 * CLUSTER_TIMES.beatMs);
    t.equal([first, second].filter(({ isReplaced }) => isReplaced).length, 1);
  },
);

t.test('a database without its joining, one that was restored and a removal are no other process', async (t) => {
  const { clock, store, begin, lines } = pair(t);
  const earlier = begin('a');
  await clock.advance(12_000);
  earlier.close();
  const { state } = store.kept;
  const first = begin('a');
  await clock.advance(12_000);
  store.kept.failOver(state);
  await clock.advance(80_000);
  t.ok(first.mayAct('all') && !first.isReplaced, 'an epoch that the store does not know');
  store.kept.failOver({ ...store.kept.state, members: new Map() });
  await clock.advance(80_000);
  t.ok(first.mayAct('all') && !first.isReplaced, 'no row');
  const second = begin('b');
  await clock.advance(12_000);
  const row = store.kept.members.find(({ id }) => id === 'b');
  t.ok(row && store.kept.removed(row));
  await clock.advance(12_000);
  t.ok(second.isLeased && !second.isReplaced);
  t.equal(lines.filter((line) => line.includes('refused a sign of life')).length, 3);
});

t.test('where the store does not say who else there is, it joins again', async (t) => {
  const { clock, store, begin } = pair(t);
  const first = begin('a');
  await clock.advance(12_000);
  const second = begin('a');
  await clock.advance(1);
  store.hidesMembers = true;
  await clock.advance(30_000);
  t.notOk(first.isReplaced || second.isReplaced);
  store.hidesMembers = false;
  await clock.advance(12_000);
  t.equal([first, second].filter(({ isReplaced }) => isReplaced).length, 1);
  await clock.advance(60_000);
  t.equal([first, second].filter((loop) => loop.mayAct('all')).length, 1);
});

t.test('who leaves in order is followed with the next beat', async (t) => {
  const { clock, begin } = pair(t);
  const first = begin('a');
  await clock.advance(1);
  const second = begin('b');
  await clock.advance(1);
  const left = first.leave(2_000);
  await clock.advance(1);
  t.equal(await left, true);
  await clock.advance(CLUSTER_TIMES.beatMs);
  t.ok(second.mayAct('all'));
  t.notOk(first.mayAct('all'));
});

for (const away of ['refuses', 'is silent'] as const) {
  t.test(`while the store ${away} the owner acts until its lease ends, and says so once`, async (t) => {
    const { clock, store, begin, lines } = pair(t);
    const loop = begin('a');
    // Both its requests are sent and answered at once, at 0.
    await clock.advance(1);
    store.away = away;
    let told = 0;
    const asked = store.asked.length;
    await clock.advance(CLUSTER_TIMES.ownMs - 2);
    loop.onChange(() => {
      told += loop.holds('all') ? 0 : 1;
    });
    t.ok(loop.mayAct('all'), 'its lease counts from the last answered request');
    await clock.advance(1);
    t.equal(clock.elapsed(), CLUSTER_TIMES.ownMs);
    t.notOk(loop.mayAct('all') || loop.holds('all'));
    t.ok(told > 0, 'it is told at the end, not with the next answer');
    t.ok(
      store.asked.length - asked <= CLUSTER_TIMES.ownMs / CLUSTER_TIMES.answerMs + 1,
      'and it does not flood the store',
    );
    t.equal(lines.filter((line) => line.includes('does not answer')).length, 1);
    store.away = undefined;
    await clock.advance(CLUSTER_TIMES.beatMs);
    t.ok(loop.mayAct('all'));
    t.equal(lines.filter((line) => line.includes('answers again')).length, 1);
  });
}

t.test('nothing is sent and no timer is left after the end', async (t) => {
  const { clock, store, begin } = pair(t);
  const loop = begin('a');
  await clock.advance(1);
  loop.close();
  const asked = store.asked.length;
  await clock.advance(100_000);
  t.equal(store.asked.length, asked);
  t.equal(clock.pending, 0);
});

t.test('a wait for the unit ends with its signal', async (t) => {
  const { clock, begin } = pair(t);
  const loop = begin('a');
  await loop.until(() => true, new AbortController().signal);
  await t.rejects(
    loop.until(() => false, AbortSignal.abort(new Error('stopping'))),
    { message: 'stopping' },
  );
  const stop = new AbortController();
  const waits = loop.until(() => false, stop.signal);
  await clock.advance(1);
  stop.abort(new Error('stopping later'));
  await t.rejects(waits, { message: 'stopping later' });
});

t.test('the log says where the database does not tell its timeline', async (t) => {
  const { clock, store, begin, lines } = pair(t);
  const said = () => lines.filter((line) => line.includes('does not tell its timeline')).length;
  begin('a');
  await clock.advance(60_000);
  t.equal(said(), 0);
  store.tellsTimeline = false;
  begin('b');
  await clock.advance(60_000);
  t.equal(said(), 1, 'once for each that joins');
});
