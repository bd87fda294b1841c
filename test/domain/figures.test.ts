import t from 'tap';
import { exactLevel, level } from '../../cli/output.ts';
import { countOf, fixed, inSeconds } from '../../lib/domain/figures.ts';

t.test('a number that is rounded to zero has no sign, in sentences and in tables of the command line', async (t) => {
  t.same(
    [-0.004, -0, 0.004, -0.005, -0.006, 64.85].map((value) => fixed(value, 2)),
    ['0.00', '0.00', '0.00', '-0.01', '-0.01', '64.85'],
  );
  t.same([exactLevel(-0.004), exactLevel(-0.006), level(-0.04), level(-0.05)], ['0.00', '-0.01', '0.0', '-0.1']);
});

t.test('one thing has one form, and zero or several things have another', async (t) => {
  t.same([countOf(0, 'file'), countOf(1, 'file'), countOf(2, 'file')], ['0 files', '1 file', '2 files']);
  t.same([countOf(1, 'row was', 'rows were'), countOf(3, 'row was', 'rows were')], ['1 row was', '3 rows were']);
});

t.test('a span in ms is shown in seconds', async (t) => {
  t.same([30_000, 2_500, 100, 50].map(inSeconds), ['30 s', '2.5 s', '0.1 s', '0.05 s']);
});
