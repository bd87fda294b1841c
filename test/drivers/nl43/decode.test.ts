import fc from 'fast-check';
import t from 'tap';
import { liveFrames } from '../../../lib/drivers/nl43/commands.ts';
import { decodeBattery, decodeDisplay, decodeFrame, decodeStatusFrame } from '../../../lib/drivers/nl43/decode.ts';
import { COMMANDS } from '../../../lib/drivers/nl43/spec/commands.ts';
import { decodeValue } from '../../../lib/drivers/nl43/values.ts';
import { DecodeError } from '../../../lib/drivers/wire/contract.ts';
import { character } from '../../support/texts.ts';
import { dod, drd, MAIN_8, MAIN_16, OFF_16, withField } from './lines.ts';

const unreadable = { name: 'DecodeError' };

t.test('a display line is read by position', async (t) => {
  t.same(decodeDisplay(dod()), {
    main: {
      lp: '20.0',
      leq: '20.1',
      le: '20.2',
      lmax: '20.3',
      lmin: '20.4',
      ln1: '20.5',
      ln2: '20.6',
      ln3: '20.7',
      ln4: '20.8',
      ln5: '20.9',
      lpeak: '21.0',
      lieq: '21.1',
      leq_mov: '21.2',
      ltm5: '21.3',
      over: false,
      under: true,
    },
    sub1: null,
    sub2: null,
    sub3: null,
    others: [null, null, null],
  });
});

t.test('every channel is in its own place', async (t) => {
  const at = (level: string) => withField(MAIN_16, 0, level);
  const { main, sub1, sub2, sub3 } = decodeDisplay(dod(at(' 31.0'), at(' 32.0'), at(' 33.0'), at('104.2')));
  t.same([main.lp, sub1?.lp, sub2?.lp, sub3?.lp], ['31.0', '32.0', '33.0', '104.2']);
});

t.test('a frame is a counter and the levels of 100 ms', async (t) => {
  t.same(decodeFrame(drd()), {
    counter: 163,
    main: {
      lp: '43.7',
      leq: '43.2',
      lmax: '43.8',
      lmin: '43.6',
      lpeak: '54.2',
      lieq: null,
      over: false,
      under: true,
    },
    sub1: null,
    sub2: null,
    sub3: null,
    others: [null, null, null],
  });
  t.equal(decodeFrame(drd('  1')).counter, 1);
  t.equal(decodeFrame(drd('600')).counter, 600);
});

t.test('a missing level is null, however it is padded', async (t) => {
  for (const text of ['  -.-', '-.-', ' -.-', ' --.-', '--.-', '-.-  '])
    t.equal(decodeDisplay(dod(withField(MAIN_16, 1, text))).main.leq, null, JSON.stringify(text));
});

t.test('a text that is no level is an error and never a number', async (t) => {
  for (const text of [
    '',
    '     ',
    'NaN',
    'Infinity',
    '1e999',
    '1e1',
    '0x2a',
    '44',
    '44.',
    '.9',
    '44.95',
    '1044.9',
    '44.9 44.9',
    '4 4.9',
    '\t44.9',
    '44.9\0',
    '+44.9',
    '\u0664\u0664.9',
    '4\u00a04.9',
    '-',
    '-.',
    '---.-',
    'Start',
    '9'.repeat(400),
    `${' '.repeat(400)}44.9`,
  ])
    t.throws(() => decodeDisplay(dod(withField(MAIN_16, 3, text))), unreadable, JSON.stringify(text));
});

t.test('a level below 0 dB keeps its sign', async (t) => {
  t.equal(decodeDisplay(dod(withField(MAIN_16, 0, ' -0.4'))).main.lp, '-0.4');
});

t.test('flags are 0, 1 or -', async (t) => {
  t.equal(decodeDisplay(dod(withField(MAIN_16, 14, '1'))).main.over, true);
  t.equal(decodeDisplay(dod(withField(MAIN_16, 14, ' 0 '))).main.over, false);
  for (const text of ['', '2', '01', 'O', '-.-', '--', '45.8'])
    t.throws(() => decodeDisplay(dod(withField(MAIN_16, 14, text))), unreadable, JSON.stringify(text));
});

t.test('a value beside a range flag is still given', async (t) => {
  const { main } = decodeDisplay(dod(withField(MAIN_16, 14, '1')));
  t.equal(main.leq, '20.1');
});

t.test('the main channel is never null; a sub channel that is on without values is not null either', async (t) => {
  const silent = [...OFF_16.slice(0, 14), '0', '0'];
  const { main, sub1, sub2 } = decodeDisplay(dod(OFF_16, silent));
  t.match(main, { lp: null, over: null, under: null });
  t.match(sub1, { lp: null, over: false, under: false });
  t.equal(sub2, null);
});

t.test('a channel whose flags say off but that has a level is passed on, not dropped', async (t) => {
  t.match(decodeDisplay(dod(MAIN_16, withField(OFF_16, 0, ' 50.1'))).sub1, { lp: '50.1', leq: null, over: null });
});

t.test('a line with a field too many or too few is an error that shows the line', async (t) => {
  const line = dod();
  t.throws(() => decodeDisplay(`${line},`), { ...unreadable, message: /65 fields instead of 64/ });
  t.throws(() => decodeDisplay(line.slice(0, line.lastIndexOf(','))), { message: /63 fields instead of 64/ });
  t.throws(() => decodeDisplay(''), { message: /1 field instead of 64/ });
  t.throws(() => decodeDisplay(drd()), { message: /33 fields/ });
  t.throws(() => decodeFrame(line), { message: /64 fields instead of 33/ });
  t.throws(() => decodeFrame('R+0000'), unreadable);
});

t.test('a counter is a number of up to three digits', async (t) => {
  for (const text of ['', 'abc', '-1', '1234', '1.0', ' 43.7', `${'1'.repeat(400)}`])
    t.throws(() => decodeFrame(drd(text)), unreadable, text.slice(0, 10));
});

t.test('a status frame has the levels of a frame and a tail', async (t) => {
  t.match(decodeStatusFrame(`${drd()},2025/12/24 02:10:55,E,F,30436,M`), {
    counter: 163,
    main: { lp: '43.7' },
    sub1: null,
    time: '2025/12/24 02:10:55',
    power: 'External',
    battery: 'Full',
    sd_free_mb: 30_436,
    state: 'Start',
  });
  const words = decodeStatusFrame(`${drd()},2025/12/24 02:10:55, I, D, 12, S`);
  t.match(words, { power: 'Battery', battery: 'Dead', sd_free_mb: 12, state: 'Stop' });
});

t.test('a field of the tail that cannot be read is null, and the others stay', async (t) => {
  t.match(decodeStatusFrame(`${drd()},2025/13/24 02:10:55,X,constructor,-1,Stop`), {
    time: null,
    power: null,
    battery: null,
    sd_free_mb: null,
    state: null,
  });
  t.match(decodeStatusFrame(`${drd()},?,E,?,?,S`), { time: null, power: 'External', state: 'Stop' });
});

t.test('a tail of another length is null as a whole: its places are not known', async (t) => {
  for (const tail of ['', ',E', ',E,F,30436,M', ',2025/12/24,02:10:55,E,F,30436,M'])
    t.match(decodeStatusFrame(drd() + tail), { counter: 163, power: null, battery: null, state: null }, tail);
});

t.test(
  'a frame for viewers has its whole status or is no frame, so that no letter is read in a wrong place',
  async (t) => {
    t.match(liveFrames().decode(`${drd()},2025/12/24 02:10:55,E,F,30436,M`), { battery: 'Full', state: 'Start' });
    for (const tail of ['', ',M,E,F,30436,2025/12/24 02:10:55', ',2025/12/24 02:10:55,F,E,30436,M'])
      t.throws(() => liveFrames().decode(drd() + tail), unreadable, tail);
  },
);

t.test('a status frame whose levels are wrong is an error', async (t) => {
  const tail = ',2025/12/24 02:10:55,E,F,30436,M';
  t.throws(() => decodeStatusFrame(tail), unreadable);
  t.throws(() => decodeStatusFrame(drd('163', withField(MAIN_8, 0, 'x')) + tail), unreadable);
});

const fact = (name: string) => COMMANDS.find((each) => each.name === name) ?? t.bailout(name);
const value = (name: string, line: string) => decodeValue(fact(name) as (typeof COMMANDS)[number], line);

t.test('a word is one of the words of its command', async (t) => {
  t.equal(value('Sleep Mode', 'On'), 'On');
  t.equal(value('Sleep Mode', ' Off '), 'Off');
  for (const line of ['', 'on', 'Start', 'R+0000', '$On', '163, 43.7', 'On\0', 'On On'])
    t.throws(() => value('Sleep Mode', line), { name: 'DecodeError', message: /Sleep Mode\?/ }, JSON.stringify(line));
});

t.test('an unreadable state never becomes a state', async (t) => {
  for (const line of ['Measure', 'Run', '43.7, 43.2', 'Sta', 'StartStop'])
    t.throws(() => value('Measure', line), unreadable);
});

t.test('a number is whole, in range, and as wide as the fact says', async (t) => {
  t.equal(value('Store Name', '0019'), '0019');
  t.equal(value('Store Name', '19'), '0019');
  t.equal(value('SD Card Free Size', ' 30436'), '30436');
  for (const line of ['', '10000', '-1', '1.5', '1e2', '0x1', '30436 MB', '9'.repeat(400)])
    t.throws(() => value('Store Name', line), unreadable, line.slice(0, 10));
});

t.test('a clock is a moment that exists', async (t) => {
  t.equal(value('Clock', '2025/12/24 02:10:55'), '2025/12/24 02:10:55');
  for (const line of ['2025/12/24', '2025/02/30 00:00:00', '2025/12/24 02:10:55 x', 'Full'])
    t.throws(() => value('Clock', line), unreadable, line);
});

t.test('text is printable, and neither a prompt nor a result line', async (t) => {
  t.equal(value('Type', 'NL-43'), 'NL-43');
  for (const line of ['', '$', '$NL-43', 'R+0000', 'NL\x1a43', '\xff', 'x'.repeat(81)])
    t.throws(() => value('Type', line), unreadable, JSON.stringify(line.slice(0, 10)));
});

t.test('a battery is a word or a number, and both give a percentage', async (t) => {
  t.same(decodeBattery('Full'), { percent: 100, word: 'Full' });
  t.same(
    ['Middle', 'Low', 'Dead', 'Empty'].map((word) => decodeBattery(word).percent),
    [60, 30, 5, 0],
  );
  t.same(decodeBattery(' 87'), { percent: 87, word: null });
  for (const line of ['', 'Start', 'On', '101', '-1', '8.5', '0x10', '$', 'R+0000', 'Full Full'])
    t.throws(() => decodeBattery(line), unreadable, line);
});

t.test('a battery word that nobody has seen is passed on without a percentage', async (t) => {
  for (const word of ['Half', 'constructor']) t.same(decodeBattery(word), { percent: null, word });
});

t.test('an error shows the line, shortened', async (t) => {
  const error = t.throws(() => decodeDisplay('x'.repeat(5_000))) as DecodeError;
  t.ok(error.message.length < 250);
  t.equal(error.raw, `${'x'.repeat(120)}...`);
});

t.test('no line, however broken, throws anything but a DecodeError', async () => {
  const field = fc.oneof(
    fc.string({ unit: character, maxLength: 12 }),
    fc.constantFrom(' 43.7', '  -.-', '0', '1', '-', '', '163', 'E', 'F', '2025/12/24 02:10:55', '__proto__', 'NaN'),
  );
  const broken = fc
    .tuple(fc.constantFrom(dod(), drd(), `${drd()},2025/12/24 02:10:55,E,F,30436,M`), fc.nat(400), fc.nat(400), field)
    .map(([line, from, count, text]) => line.slice(0, from) + text + line.slice(from + (count % 8)));
  const lines = fc.oneof(
    fc.string({ unit: character }),
    fc.array(field, { minLength: 30, maxLength: 66 }).map((fields) => fields.join(',')),
    broken,
  );
  const readers = [
    decodeDisplay,
    decodeFrame,
    decodeStatusFrame,
    decodeBattery,
    ...COMMANDS.map((fact) => (line: string) => decodeValue(fact, line)),
  ];
  fc.assert(
    fc.property(lines, (line) =>
      readers.every((read) => {
        try {
          return read(line) !== undefined;
        } catch (error) {
          return error instanceof DecodeError;
        }
      }),
    ),
    { numRuns: 150 },
  );
});

t.test('every accepted level is a number', async () => {
  const text = fc.oneof(fc.string({ unit: fc.constantFrom(...' 0123456789.-+eExNa\t') }), fc.double().map(String));
  fc.assert(
    fc.property(text, (text) => {
      try {
        const { leq } = decodeDisplay(dod(withField(MAIN_16, 1, text.replaceAll(',', '')))).main;
        return leq === null || (leq === text.replace(/^ +| +$/g, '') && Math.abs(Number(leq)) < 1_000);
      } catch (error) {
        return error instanceof DecodeError;
      }
    }),
    { numRuns: 1_000 },
  );
});
