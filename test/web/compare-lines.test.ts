/** Levels of several meters in one chart, and of one at two times. */
import t from 'tap';
import type { History } from '../../client/index.ts';
import { comparedOf, linesOf } from '../../web/compare/compare-lines.ts';
import { standIn } from '../support/stand-in.ts';

const historyOf = (...rows: readonly (readonly [string, number | null, number | null])[]) =>
  standIn<History>({ columns: ['start', 'leq', 'lp'], rows });

t.test('the address names units once each, and twice where an earlier time is wanted', async (t) => {
  t.strictSame(comparedOf('roof,gate,roof', 0), [
    { unitId: 'roof', earlier: 0 },
    { unitId: 'gate', earlier: 0 },
  ]);
  t.strictSame(comparedOf('roof', 1_000), [
    { unitId: 'roof', earlier: 0 },
    { unitId: 'roof', earlier: 1_000 },
  ]);
  t.strictSame(comparedOf(null, 0), []);
  t.equal(comparedOf('a,b,c,d,e,f,g,h', 0).length, 6);
});

t.test('an earlier time is moved to the present one, and a missing level stays missing', async (t) => {
  const present = historyOf(['1970-01-02T00:00:00Z', 50, null], ['1970-01-02T00:01:00Z', null, null]);
  const before = historyOf(['1970-01-01T00:00:00Z', null, 44], ['1970-01-01T00:01:00Z', 45, null]);
  t.strictSame(
    linesOf([
      { history: present, earlier: 0 },
      { history: before, earlier: 86_400_000 },
      { history: undefined, earlier: 0 },
    ]),
    [
      [86_400, 86_460],
      [50, null],
      [44, 45],
      [null, null],
    ],
  );
});
