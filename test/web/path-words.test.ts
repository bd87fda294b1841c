/** Where a value of a form is wrong, for people. */
import t from 'tap';
import { pathWords } from '../../web/ui/form-values.ts';

t.test('the path of a refused value is shown in words, and counts from 1', async (t) => {
  t.equal(pathWords('/to/0'), 'to 1');
  t.equal(pathWords('/rules/2/limit_db'), 'rules 3, limit db');
  t.equal(pathWords('/0'), '1', 'below a field of the form');
  t.equal(pathWords(''), '');
});
