/** Many random schedules. */
import { MODEL_TIMES, runSchedule } from './model.ts';
import { FAULTS, type Faults } from './model-faults.ts';

/** Runs schedules one after another; the first that goes wrong ends it and is named by its seed. */
export function runSchedules(first: number, count: number, faults: Faults = FAULTS) {
  const sum = {
    schedules: 0,
    takeovers: 0,
    lateWrites: 0,
    removals: 0,
    failovers: 0,
    lossy: 0,
    promises: 0,
    lateJoinings: 0,
    changes: 0,
    unreached: 0,
    moved: 0,
    unownedMs: 0,
    drainMs: 0,
  };
  for (let seed = first; seed < first + count; seed += 1) {
    const outcome = runSchedule(seed, MODEL_TIMES, faults);
    const {
      wrong,
      takeovers,
      lateWrites,
      removals,
      failovers,
      lossy,
      promises,
      lateJoinings,
      changes,
      unreached,
      moved,
      unownedMs,
      drainMs,
    } = outcome;
    if (wrong !== undefined) return { ...sum, wrong: `seed ${seed}: ${wrong}` };
    sum.schedules += 1;
    sum.takeovers += takeovers;
    sum.lateWrites += lateWrites;
    sum.removals += removals;
    sum.failovers += failovers;
    sum.lossy += lossy;
    sum.promises += promises;
    sum.lateJoinings += lateJoinings;
    sum.changes += changes;
    sum.unreached += unreached;
    sum.moved += moved;
    sum.unownedMs = Math.max(sum.unownedMs, unownedMs);
    sum.drainMs = Math.max(sum.drainMs, drainMs);
  }
  return { ...sum, wrong: undefined };
}
