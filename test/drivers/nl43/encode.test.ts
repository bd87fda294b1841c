import fc from 'fast-check';
import t from 'tap';
import { request, setting } from '../../../lib/drivers/nl43/encode.ts';
import { COMMANDS } from '../../../lib/drivers/nl43/spec/commands.ts';
import { isGatewayError } from '../../../lib/errors.ts';
import { character } from '../../support/texts.ts';

const invalid = { name: 'GatewayError', code: 'INVALID' };

t.test('a number is padded to the width that the fact gives', async (t) => {
  t.equal(setting('Store Name', 19), 'Store Name,0019');
  t.equal(setting('Store Name', '7'), 'Store Name,0007');
  t.equal(setting('Percentile 1', 5), 'Percentile 1,5');
});

t.test('an unknown name is a fault of the program, not of the caller', async (t) => {
  t.throws(() => request('Mesure'), { name: 'Error', message: /no command "Mesure"/ });
  t.throws(() => setting('$Measure', 'Start'), { name: 'Error', message: /no command/ });
});

t.test('a command that is used in the wrong direction is a fault of the program, not of the caller', async (t) => {
  t.throws(() => request('Manual Store'), { name: 'Error', message: /cannot be requested/ });
  t.throws(() => setting('DOD', '1'), { name: 'Error', message: /cannot be set/ });
});

t.test('a setting that would cut the connection is never sent; a request is harmless', async (t) => {
  for (const { name } of COMMANDS.filter((fact) => fact.cutsBranch)) {
    t.throws(() => setting(name, 'Off'), { ...invalid, message: /cut the connection/ }, name);
    t.equal(request(name), `${name}?`);
  }
});

t.test('a command without parameter takes none, the others need theirs', async (t) => {
  t.equal(setting('Reset'), 'Reset');
  t.throws(() => setting('Reset', 'All'), invalid);
  t.throws(() => setting('Manual Store'), { ...invalid, message: /needs a value/ }); // field log: R+0001
});

t.test('words are taken as the meter spells them', async (t) => {
  t.throws(() => setting('Measure', 'start'), { ...invalid, message: /one of Start, Stop/ });
  t.throws(() => setting('Time Weighting (Main)', 'Fast'), { ...invalid, message: /one of F, S, I/ });
});

t.test('numbers are whole and in range', async (t) => {
  for (const value of [-1, 10_000, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '', ' 1', '0x10', '1e3', '\u0663'])
    t.throws(() => setting('Store Name', value), invalid, String(value));
});

t.test('the clock takes dates that exist, with one space', async (t) => {
  for (const value of [
    '2025/12/24,02:10:55', // field log: R+0002
    '2025/12/24  02:10:55',
    '2025-12-24 02:10:55',
    '2025/02/29 00:00:00',
    '2100/02/29 00:00:00',
    '2025/04/31 00:00:00',
    '2025/13/01 00:00:00',
    '2025/00/10 00:00:00',
    '2025/01/00 00:00:00',
    '2025/01/01 24:00:00',
    '2025/01/01 00:60:00',
    '2025/01/01 00:00:60',
    '25/01/01 00:00:00',
  ])
    t.throws(() => setting('Clock', value), invalid, value);
  t.equal(setting('Clock', '2024/02/29 23:59:59'), 'Clock,2024/02/29 23:59:59');
  t.equal(setting('Clock', '2000/02/29 00:00:00'), 'Clock,2000/02/29 00:00:00');
});

t.test('a kind of value that no operation of the gateway sets is refused', async (t) => {
  t.throws(() => setting('Timer Auto Start Time', '2025/12/24 02:10:00'), {
    ...invalid,
    message: /not a value that the gateway sets/,
  });
});

t.test('nothing can be smuggled in: line ends, SUB, NUL, commas, full-width characters', async (t) => {
  for (const tail of ['\r\nTCP,Off', '\n', '\r', '\x1a', '\0', ',Off', '\uff21', '\u2028', '$'])
    for (const [name, value] of [
      ['Measure', 'Start'],
      ['Store Name', '0001'],
      ['Clock', '2025/12/24 02:10:55'],
    ] as const)
      t.throws(() => setting(name, value + tail), invalid, encodeURIComponent(value + tail));
});

t.test('a very long value is shown shortened', async (t) => {
  t.throws(() => setting('Measure', 'x'.repeat(10_000)), { message: /^.{1,120}$/ });
});

t.test('for every input, command text is one clean line with one comma at most', async () => {
  const names = fc.oneof(fc.constantFrom(...COMMANDS.map(({ name }) => name)), fc.string());
  const values = fc.oneof(
    fc.string({ unit: character }),
    fc.integer().map(String),
    fc.constantFrom('On', 'Start', 'A', '10m', '2025/12/24 02:10:00'),
  );
  fc.assert(
    fc.property(names, values, (name, value) => {
      try {
        return /^[A-Z][A-Za-z0-9 ()]*,[\x20-\x2b\x2d-\x7e]+$/.test(setting(name, value));
      } catch (error) {
        return isGatewayError(error, 'INVALID') || (error instanceof Error && error.name === 'Error');
      }
    }),
    { numRuns: 300 },
  );
});
