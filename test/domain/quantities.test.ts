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

t.test('the bound of a maximum or minimum says which way it bounds', async (t) => {
  const AF = { frequency: 'A', time: 'F' };
  t.equal(symbolOf('lmax_bound', AF), 'LAFmax at most');
  t.equal(symbolOf('lmin_bound', { frequency: null, time: null }), 'Lmin at least');
  t.equal(symbolOf('leq_bound', AF), 'leq_bound', 'a mean has none');
});

t.test('a symbol has the weightings that belong to its name', async (t) => {
  const shown = (name: string, weightings = AF) => symbolOf(name, weightings);
  t.strictSame(
    ['lp', 'leq', 'le', 'lmax', 'lmin', 'lpeak', 'lieq', 'ln1', 'l10', 'l05'].map((name) => shown(name)),
    ['LAF', 'LAeq', 'LAE', 'LAFmax', 'LAFmin', 'Lpeak', 'LAIeq', 'LN1', 'LAF10', 'LAF05'],
  );
  t.equal(shown('lmax', { frequency: 'C', time: 'S' }), 'LCSmax');
});

t.test('while the weightings are not known a symbol has none', async (t) => {
  t.strictSame(
    ['lp', 'leq', 'le', 'lmax', 'lpeak', 'l90'].map((name) => symbolOf(name, UNKNOWN)),
    ['Lp', 'Leq', 'LE', 'Lmax', 'Lpeak', 'L90'],
  );
  t.equal(symbolOf('lmax', { frequency: null, time: 'F' }), 'Lmax', 'the time weighting alone says nothing');
});

t.test('a word that is no quantity is given back', async (t) => {
  t.strictSame(
    ['coverage', 'l00', 'l100', 'toString'].map((name) => symbolOf(name, AF)),
    ['coverage', 'l00', 'l100', 'toString'],
  );
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
