/** What is told of many units at once goes in pieces that a pipe takes. */
import t from 'tap';
import { createCounters } from '../../lib/domain/fields/counters.ts';
import type { LocalFleet } from '../../lib/meter/fleet.ts';
import { UnitMirrors } from '../../lib/remote/unit-mirrors.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { standIn } from '../support/stand-in.ts';

t.test('the first look at ten thousand units is told in pieces, each unit once and in order', async (t) => {
  const fleet = standIn<LocalFleet>({
    present: () => undefined,
    reachability: () => undefined,
    counters: () => createCounters(),
  });
  const told: string[][] = [];
  const tell = (units: readonly (readonly [string, object])[]) => told.push(units.map(([unitId]) => unitId));
  const mirrors = new UnitMirrors({ fleet, clock: new VirtualClock(), tell });
  const units = Array.from({ length: 10_000 }, (_, index) => `unit-${index}`);
  mirrors.all(units);
  t.ok(
    told.every(({ length }) => length <= 1_000),
    'a unit with a session has about 1.5 kB, and a pipe takes 8 MB',
  );
  t.strictSame(told.flat(), units);
  mirrors.all(units);
  t.equal(told.flat().length, units.length, 'nothing is told twice');
});
