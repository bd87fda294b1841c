/** The table of families: what it takes, what it refuses, and a family that nobody asks. */
import t from 'tap';
import { createFamilies } from '../../lib/drivers/index.ts';
import { NL43 } from '../../lib/drivers/nl43/index.ts';
import { TEST_FAMILIES } from '../support/families/index.ts';
import { PUSHBOX } from '../support/families/pushbox/index.ts';

t.test('families are found by their names; the error for an unknown family lists the known ones', async (t) => {
  const families = createFamilies([NL43, ...TEST_FAMILIES]);
  t.same(families.names, ['nl43', 'jsonbox', 'pushbox']);
  t.equal(families.get('jsonbox').title, 'box that answers in JSON');
  t.equal(families.find('nl99'), undefined);
  t.throws(() => families.get('nl99'), { code: 'NOT_SUPPORTED', message: /it knows nl43, jsonbox, pushbox\.$/ });
  t.same(createFamilies().names, ['nl43'], 'the built-in ones');
});

t.test('of two families with a setting of the same name the API takes the values of both', async (t) => {
  const [first] = NL43.settings;
  if (!first) throw new Error('there is a setting');
  const other = { ...NL43, name: 'other', settings: [{ ...first, schema: { type: 'string', enum: ['Always'] } }] };
  const { settings } = createFamilies([NL43, other]);
  t.equal(settings.length, NL43.settings.length);
  t.match(settings[0]?.schema, { anyOf: [{ enum: ['Manual', 'Auto', 'Timer Auto'] }, { enum: ['Always'] }] });
});

t.test('values that a sensor sent by itself say what they cover, and whether it has a clock', async (t) => {
  const [values] = PUSHBOX.decodePushed?.('51.4 66.0 2026-11-21T06:30:00Z') ?? [];
  t.match(values, { at: Date.UTC(2026, 10, 21, 6, 30), seconds: 60, main: { leq: '51.4', lmax: '66.0' } });
  t.match(PUSHBOX.decodePushed?.('51.4 66.0'), [{ at: null }]);
  t.throws(() => PUSHBOX.decodePushed?.('loud'), { name: 'DecodeError' });
});
