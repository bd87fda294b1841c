/** A fault costs only its own meter: meters with every fault of the catalogue at once, beside meters without a fault. */
import t, { type Test } from 'tap';
import { CATALOGUE } from '../../simulator/faults/catalogue.ts';
import type { SimulatedMeter } from '../../simulator/index.ts';
import { openWorld, type World } from '../support/world.ts';

const KINDS = Object.keys(CATALOGUE);
const WELL = 3;
const unit = (number: number) => `sim-${number}`;
const well = Array.from({ length: WELL }, (_, index) => unit(index + 1));
const broken = KINDS.map((_, index) => unit(WELL + index + 1));

/**
 * The polls are counted at the same time in a world without faults: a meter that is far away needs longer for the slow values,
 * which are read once a minute, so one half minute has fewer polls than another. ms of the virtual clock
 */
const POLLED_AT = 30_000;
const COUNTED_AT = 44_000;

/** Settles as soon as the next poll has begun at the meter: an operator who comes then waits longest. */
const pollBegins = ({ log }: SimulatedMeter) =>
  new Promise<void>((resolve) => {
    const unfollow = log.follow((event) => {
      if (event.kind !== 'command' || event.text !== 'DOD?') return;
      unfollow();
      resolve();
    });
  });

/** Half a minute of polls, with an operator at each meter that is well; how many polls there were, how long answers took. */
async function halfMinute(world: World): Promise<{ polls: number[]; slowest: number }> {
  const polls = () =>
    well.map((_, index) => world.meters[index]?.log.commands.filter((text) => text === 'DOD?').length ?? 0);
  const before = polls();
  let slowest = 0;
  for (let round = 0; round < 4; round++) {
    const began = world.clock.elapsed();
    const asked = well.map(async (unitId, index) => {
      await pollBegins(world.meters[index] as SimulatedMeter);
      const askedAt = world.clock.elapsed();
      const { status } = await world.asked('GET', `/${unitId}/battery`);
      if (status === 200) slowest = Math.max(slowest, world.clock.elapsed() - askedAt);
      else slowest = Number.POSITIVE_INFINITY;
    });
    await world.passing(Promise.all(asked));
    await world.pass(Math.max(0, began + 7_500 - world.clock.elapsed()));
  }
  return { polls: polls().map((count, index) => count - (before[index] ?? 0)), slowest };
}

/** Lets time pass until this moment of the virtual clock. */
async function passUntil(world: World, ms: number): Promise<void> {
  const left = ms - world.clock.elapsed();
  if (left < 0) throw new Error(`${-left} ms too late`);
  await world.pass(left);
}

/** Meters that are well, polled from the same moment in every world: what they do later, minute by minute, is the same. */
async function polledWorld(t: Test, meters: number): Promise<World> {
  const world = await openWorld(t, { meters });
  await passUntil(world, POLLED_AT);
  for (const unitId of well)
    await world.asked('PUT', `/${unitId}/polling/config`, { json: { poll_enabled: true, poll_interval_seconds: 3 } });
  return world;
}

t.test('healthy meters keep their pace beside meters with every fault', async (t) => {
  const alone = await polledWorld(t, WELL);
  await passUntil(alone, COUNTED_AT);
  const calm = await halfMinute(alone);

  const world = await polledWorld(t, WELL + KINDS.length);
  for (const [index, kind] of KINDS.entries()) world.meters[WELL + index]?.faults.on(kind);
  for (const unitId of broken) {
    // The clock stands still: an answer that waited for a meter would never come.
    const json = { poll_enabled: true, poll_interval_seconds: 1 };
    const { status } = await world.asked('PUT', `/${unitId}/polling/config`, { json });
    t.equal(status, 200, 'the database waits for no meter');
  }
  await passUntil(world, COUNTED_AT);
  const torment = broken.flatMap((unitId) =>
    ['/battery', '/live', '/ftp/files', '/settings/all'].map((path) => world.asked('GET', `/${unitId}${path}`)),
  );
  const storm = await halfMinute(world);
  t.ok(storm.slowest <= calm.slowest + 200, `answers within ${storm.slowest} ms, ${calm.slowest} ms without faults`);
  t.ok(Math.min(...calm.polls) >= 8, `${calm.polls} polls without faults`);
  for (const [index, polls] of storm.polls.entries()) {
    const usual = calm.polls[index] ?? 0;
    t.ok(Math.abs(polls - usual) <= 1, `${well[index]}: ${polls} polls, ${usual} without faults`);
  }
  for (const { status } of await world.passing(Promise.all(torment)))
    t.ok([200, 404, 409, 422, 502, 503, 504].includes(status), `${status}`);
  for (const [index, unitId] of well.entries()) {
    t.same(world.meters[index]?.log.spacingViolations(), []);
    const { counters } = (await world.get(`/${unitId}/session`)).body.data;
    t.match(counters, { connects: 1, timeouts: 0, garbled: 0 });
  }
  t.notOk(
    world.log.some((line) => line.includes('request failed') || line.includes('a step failed')),
    'no fault of the gateway',
  );
});
