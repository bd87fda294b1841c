/** The table of quantities: its symbols, and what is derived from it. */
import t from 'tap';
import {
  isKept,
  KEPT,
  levelsBy,
  QUANTITY_NAMES,
  quantitiesIn,
  quantityOf,
  symbolOf,
} from '../../lib/domain/quantities.ts';
import { DOD, DRD } from '../../lib/drivers/nl43/spec/layouts.ts';

const AF = { frequency: 'A', time: 'F' };
const UNKNOWN = { frequency: null, time: null };

t.test('a symbol has the weightings that belong to its name, if they are known', async (t) => {
  const known =
    'lp LAF, leq LAeq, le LAE, lmax LAFmax, lmin LAFmin, lpeak Lpeak, lieq LAIeq, ln1 LN1, l10 LAF10, l05 LAF05';
  const bare = 'lp Lp, leq Leq, le LE, lmax Lmax, lpeak Lpeak, l90 L90';
  for (const [symbols, weightings] of [
    [known, AF],
    [bare, UNKNOWN],
  ] as const)
    for (const [name = '', symbol] of symbols.split(', ').map((pair) => pair.split(' ')))
      t.equal(symbolOf(name, weightings), symbol);
  t.equal(symbolOf('lmax', { frequency: 'C', time: 'S' }), 'LCSmax');
  t.equal(symbolOf('lmax', { frequency: null, time: 'F' }), 'Lmax', 'the time weighting alone says nothing');
  t.equal(symbolOf('lmax_bound', AF), 'LAFmax at most');
  t.equal(symbolOf('lmin_bound', UNKNOWN), 'Lmin at least');
  for (const word of ['leq_bound', 'coverage', 'l00', 'l100', 'toString']) t.equal(symbolOf(word, AF), word);
  t.equal(quantityOf('toString'), undefined);
});

t.test('the lists follow from the table', async (t) => {
  t.ok(KEPT.includes('leq') && KEPT.includes('lmax'));
  t.notOk(isKept('lp'), 'the samples of Lp are counted, not kept in a column');
  t.strictSame(
    quantitiesIn('frame').filter((name) => !QUANTITY_NAMES.includes(name)),
    [],
  );
  t.strictSame(
    levelsBy(['leq', 'lmax'], (name) => name.length),
    { leq: 3, lmax: 4 },
  );
});

t.test('each level in the lines of the NL-43 is a quantity of its place', async (t) => {
  const levels = ({ fields, flags }: { fields: readonly string[]; flags: readonly string[] }) =>
    fields.filter((name) => !flags.includes(name));
  t.strictSame(
    levels(DRD).filter((name) => !quantityOf(name)?.in.includes('frame')),
    [],
  );
  t.strictSame(
    levels(DOD).filter((name) => !quantityOf(name)?.in.includes('display')),
    [],
  );
});
