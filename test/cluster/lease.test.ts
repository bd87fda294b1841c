/** The lease of several instances on one clock: one acts at a time, and another one acts when it is gone. */
import t, { type Test } from 'tap';
import type { Clock } from '../../lib/clock.ts';
import { Lease } from '../../lib/cluster/lease.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/index.ts';
import { aboutMember, MemoryLease, MemoryLeaseStore } from './support/memory-store.ts';

const log = createLog('silent', { write: () => {} });

function open(t: Test) {
  const clock = new VirtualClock(undefined, { timersOnly: true });
  const database = new MemoryLease();
  const begin = (id: string, place = id, mayTake = () => true) => {
    const store = new MemoryLeaseStore(database, () => clock.now());
    const about = { ...aboutMember(id), place };
    const wrong = { by: 0 };
    const own: Clock = {
      now: () => clock.now() + wrong.by,
      elapsed: () => clock.elapsed(),
      after: (ms, fire) => clock.after(ms, fire),
    };
    const lease = new Lease({ id, about, store, clock: own, log, mayTake });
    store.onChange(() => lease.hurry());
    t.teardown(() => lease.close());
    return { lease, store, wrong };
  };
  const pass = (ms: number) => clock.advance(ms);
  /** An active instance and a standby that know each other. */
  const pair = async () => {
    const north = begin('north');
    await pass(1_000);
    const south = begin('south');
    await pass(11_000);
    return { north, south };
  };
  return { clock, database, begin, pass, pair };
}

t.test('the first instance is active at once, the second one is a standby', async (t) => {
  const { pair } = open(t);
  const { north, south } = await pair();
  t.ok(north.lease.mayAct());
  t.notOk(south.lease.mayAct());
  t.equal(south.lease.view.lease?.name, 'north');
});

t.test('when the active instance is stopped, the standby is active at the next turn', async (t) => {
  const { pair, pass, clock } = open(t);
  const { north, south } = await pair();
  t.equal(await clock.until(north.lease.leave(2_000)), true);
  await pass(250);
  t.ok(south.lease.mayAct());
  t.match(south.lease.view.members, [{ id: 'north', hasLeft: true }, { id: 'south' }]);
});

t.test('when the active instance dies, the standby is active after 60 s and not before', async (t) => {
  const { pair, pass } = open(t);
  const { north, south } = await pair();
  north.lease.close();
  await pass(54_000);
  t.notOk(south.lease.mayAct());
  t.ok(south.lease.isSilent('north'));
  await pass(7_000);
  t.ok(south.lease.mayAct());
});

t.test('an instance that was killed and starts again goes on at once, if no other instance is active', async (t) => {
  const { pair, begin, pass } = open(t);
  const { north, south } = await pair();
  north.lease.close();
  await pass(30_000);
  const again = begin('north');
  await pass(250);
  t.ok(again.lease.mayAct());
  t.equal(again.lease.incarnation, 2, 'writers of before are refused');
  await pass(120_000);
  t.ok(again.lease.mayAct());
  t.notOk(south.lease.mayAct());
});

t.test('an active instance without the database ends after 40 s, and is active again when it answers', async (t) => {
  const { pair, pass } = open(t);
  const { north, south } = await pair();
  for (const { store } of [north, south]) store.isAway = true;
  await pass(34_000);
  t.ok(north.lease.mayAct());
  await pass(7_000);
  t.notOk(north.lease.mayAct());
  await pass(80_000);
  for (const { store } of [south, north]) store.isAway = false;
  await pass(8_000);
  t.ok(north.lease.mayAct());
  t.equal(north.lease.incarnation, 2);
  await pass(120_000);
  t.notOk(south.lease.mayAct(), 'the standby did not count the time in which nobody could beat');
});

t.test('an active instance that alone lost the database is followed after 60 s, and is a standby then', async (t) => {
  const { pair, pass } = open(t);
  const { north, south } = await pair();
  north.store.isAway = true;
  await pass(70_000);
  t.notOk(north.lease.mayAct());
  t.ok(south.lease.mayAct());
  north.store.isAway = false;
  await pass(70_000);
  t.notOk(north.lease.mayAct());
  t.ok(south.lease.mayAct());
});

t.test('an instance that is alone goes on without the database, without an end', async (t) => {
  const { begin, pass } = open(t);
  const { lease, store } = begin('north');
  await pass(1_000);
  store.isAway = true;
  await pass(3_600_000);
  t.ok(lease.mayAct());
  t.equal(lease.end, undefined, 'the watchdog does not end it');
  store.isAway = false;
  await pass(10_000);
  t.equal(lease.incarnation, 1);
});

t.test('a standby that comes while an instance is alone waits until the instance has seen it', async (t) => {
  const { begin, pass } = open(t);
  const north = begin('north');
  await pass(1_000);
  north.store.isAway = true;
  const south = begin('south');
  await pass(600_000);
  t.ok(north.lease.mayAct());
  t.notOk(south.lease.mayAct());
  north.store.isAway = false;
  await pass(11_000);
  t.ok(north.lease.end, 'now it has an end');
  north.store.isAway = true;
  await pass(70_000);
  t.notOk(north.lease.mayAct());
  t.ok(south.lease.mayAct());
});

t.test(
  'when beats arrive and their answers are lost, an instance that is alone goes on, and a new standby does not take over',
  async (t) => {
    const { begin, pass, database } = open(t);
    const north = begin('north');
    await pass(1_000);
    begin('south');
    await pass(250);
    // The next beats arrive, and their answers do not.
    north.store.losesAnswers = true;
    await pass(300_000);
    t.equal(database.lease?.member, 'north', 'it still beats as one that is alone, so that nobody takes over');
    t.ok(database.lease?.alone);
    t.ok(north.lease.mayAct());
  },
);

t.test('when the clock of the computer jumps, the instance acts again after its next beat', async (t) => {
  const { pair, pass } = open(t);
  const { north } = await pair();
  north.wrong.by = 3_600_000;
  t.notOk(north.lease.mayAct());
  await pass(6_000);
  t.ok(north.lease.mayAct());
  t.equal(north.lease.incarnation, 1);
  t.ok(north.lease.clockAhead > 3_500_000, 'and shows it');
});

t.test('after a failover of the database no instance takes the lease before 60 s, also not back', async (t) => {
  const { pair, pass, begin, database } = open(t);
  const { north, south } = await pair();
  const before = database.lease;
  north.store.isAway = true;
  await pass(65_000);
  t.ok(south.lease.mayAct());
  // The takeover is lost with the primary.
  database.lease = before;
  database.timeline = '00000002';
  north.lease.close();
  const again = begin('north');
  await pass(40_000);
  t.notOk(again.lease.mayAct(), 'south may act until the end of its lease');
  await pass(30_000);
  t.equal([again, south].filter(({ lease }) => lease.mayAct()).length, 1);
});

t.test('a failover that loses nothing is not noticed by the active instance', async (t) => {
  const { pair, pass, database } = open(t);
  const { north } = await pair();
  database.timeline = '00000002';
  await pass(120_000);
  t.ok(north.lease.mayAct());
  t.equal(north.lease.incarnation, 1);
});

t.test('a database that has gone back in time ends the lease', async (t) => {
  const { pair, pass, database } = open(t);
  const { north } = await pair();
  const before = database.lease;
  await pass(20_000);
  database.lease = before;
  await pass(6_000);
  t.notOk(north.lease.mayAct());
  await pass(70_000);
  t.ok(north.lease.mayAct());
});

t.test('of two processes with one id, the process that lost the lease does not take it back', async (t) => {
  const { begin, pass } = open(t);
  const north = begin('north');
  await pass(1_000);
  const copy = begin('north');
  await pass(6_000);
  t.ok(copy.lease.mayAct());
  await pass(120_000);
  t.ok(copy.lease.mayAct());
  t.notOk(north.lease.mayAct());
  t.equal(copy.lease.incarnation, 2);
});

t.test('an instance that could not be the gateway takes nothing', async (t) => {
  const { begin, pass } = open(t);
  const old = begin('old', 'old', () => false);
  await pass(120_000);
  t.notOk(old.lease.mayAct());
  t.notOk(old.lease.isFree);
});

t.test('after every kind of failure, two instances never act at once', async (t) => {
  for (let seed = 1; seed <= 30; seed += 1) {
    const { begin, clock, database } = open(t);
    let state = seed;
    const random = (below: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((state / 2_147_483_648) * below);
    };
    const names = ['a', 'b', 'c'];
    const running = new Map(names.map((name) => [name, begin(name)]));
    let acting = 0;
    for (let step = 0; step < 40; step += 1) {
      const name = names[random(3)] ?? 'a';
      const one = running.get(name);
      const what = random(10);
      if (what === 0 && one) {
        one.lease.close();
        running.delete(name);
      } else if (what === 1 && one) {
        running.delete(name);
        await clock.until(one.lease.leave(2_000));
      } else if (what === 2 && !one) running.set(name, begin(name));
      else if (what === 3 && one) one.store.isAway = !one.store.isAway;
      else if (what === 4 && one) one.store.losesAnswers = !one.store.losesAnswers;
      else if (what === 5) database.timeline = String(step);
      else if (what === 6 && !one) database.members.delete(name);
      else if (what === 7 && one) one.wrong.by += 3_600_000;
      for (let turn = 0, turns = random(40); turn < turns; turn += 1) {
        await clock.advance(1_000);
        const active = [...running.values()].filter(({ lease }) => lease.mayAct());
        acting += active.length;
        if (active.length > 1) t.fail(`seed ${seed}, step ${step}: ${active.length} instances act`);
      }
    }
    if (acting === 0) t.fail(`seed ${seed}: no instance ever acted`);
    for (const { lease } of running.values()) lease.close();
  }
});
