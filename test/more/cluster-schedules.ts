/**
 * 8,000 random schedules of a cluster: pauses, sleep, jumps of clocks, lost and late messages, the store away, kills,
 * restarts, late members, leaving, cuts, units that are added, removed and moved, promises while the store is away and between hosts that do not reach each other. Seeds can be given: `FIRST_SEED=5000 SCHEDULES=10`.
 * Whoever changes the rules runs `SCHEDULES=100000`, which takes some minutes.
 *
 * Each of these changes was made by hand, and 7,000 schedules saw it (the first seed in brackets; those up to the removals are of the schedules as they were before units came
 * and went, all of those before answers were read after the request, out of turn). Of units: a row that is removed although its unit has an owner (1), a gateway that acts on what another one owns (1). Two owners: no limit of the own
 * lease (7), clocks not compared (27), half of `takeMs` (789), a lease that counts from the answer (276), answers of requests
 * that were given up (13), units acted on while they are given away (15), beats in any order (109) or of any epoch (400), a
 * taker that compares no beat (3) or no epoch (92), a claim that takes what is owned (1). A late write: no fence for writes (1).
 * Of promises: the one who promises does not begin its wait anew (1225), one that is not
 * known takes over as early as the others (1167), promises that carry without an end (1297), one promise of several (6794). No owner in time: a closed fence that keeps its units (1), no takeover (4), claims that wait for the next beat (1). Not seen:
 * a promise that is asked for after the lease, one that a beat without an answer has named and that is not asked, units given to a member that is quiet, and `<` for `<=` at a limit, for the times keep a margin; `test/cluster/lease.test.ts`
 * meets those limits exactly. Of removals: one that owns a unit is removed (4 of those with removals), its row goes and its epoch begins anew (1511).
 * Of failovers (seeds of those): silences go on (332), what was sent before closes a member (332), what is nobody's can be claimed (479), who joins keeps its units (825), a late joining is taken for the
 * end of a lease (3237), a member without a lease keeps its units (6858), a joining that comes late ends what was promised (84410). A failover that loses nothing ends what an owner does: the former owner gets all units (4). No owner in time: a promise makes all wait for the former owner, whoever it is for (73). Not seen in 30,000:
 * units that an old beat gives away and that are nobody's at once, a promise that does not count for the former owner, a former owner without voters. `test/cluster/support/store-contract.ts` and `test/cluster/lease.test.ts` have these.
 * A process that takes a late joining of its own, or of a process that has ended, for another process with its id (2): a later epoch without a beat is enough.
 */
import t from 'tap';
import { drainWithinMs, takeoverWithinMs } from '../../lib/cluster/times.ts';
import { MODEL_TIMES } from '../cluster/support/model.ts';
import { FAILOVERS, MORE_FAULTS, UNREACHED } from '../cluster/support/model-faults.ts';
import { runSchedules } from '../cluster/support/model-runs.ts';

const FIRST = Number(process.env.FIRST_SEED ?? 1);
const COUNT = Number(process.env.SCHEDULES ?? 8_000);

t.test(`${COUNT} schedules`, async (t) => {
  const { wrong, ...seen } = runSchedules(FIRST, COUNT);
  t.equal(wrong, undefined);
  t.equal(seen.schedules, COUNT);
  t.ok(seen.unownedMs <= takeoverWithinMs(MODEL_TIMES) && seen.drainMs <= drainWithinMs(MODEL_TIMES));
  t.comment(JSON.stringify(seen));
});

t.test(`${COUNT / 4} schedules in which members are removed, also such as are not gone`, async (t) => {
  const { wrong, ...seen } = runSchedules(FIRST, COUNT / 4, MORE_FAULTS);
  t.equal(wrong, undefined);
  t.ok(seen.unownedMs <= takeoverWithinMs(MODEL_TIMES) && seen.drainMs <= drainWithinMs(MODEL_TIMES));
  t.comment(JSON.stringify(seen));
});

t.test(`${COUNT / 8} schedules in which the gateway does not reach some`, async (t) => {
  const { wrong, ...seen } = runSchedules(FIRST, COUNT / 8, UNREACHED);
  t.equal(wrong, undefined);
  t.ok(seen.unownedMs <= takeoverWithinMs(MODEL_TIMES) && seen.drainMs <= drainWithinMs(MODEL_TIMES));
  t.comment(JSON.stringify(seen));
});

t.test(`${COUNT / 10} schedules in which a standby becomes the database, also without the last changes`, async (t) => {
  const { wrong, ...seen } = runSchedules(FIRST, COUNT / 10, FAILOVERS);
  t.equal(wrong, undefined);
  t.ok(seen.unownedMs <= takeoverWithinMs(MODEL_TIMES) && seen.drainMs <= drainWithinMs(MODEL_TIMES));
  t.comment(JSON.stringify(seen));
});
