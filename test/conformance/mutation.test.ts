/**
 * Falsifies the facts that the codec reads, one at a time, and shows that a captured exchange notices. What nobody notices is
 * written down here, with the reason: a new transcript must shorten these lists.
 */
import t from 'tap';
import { COMMANDS, type CommandFact } from '../../lib/nl43/spec/commands.ts';
import { contradiction, FACTS, type Facts } from './codec.ts';
import { type Exchange, readExchanges } from './exchanges.ts';

const exchanges = readExchanges();

/**
 * The sheet gives one layout for DOD and DLC. No captured DOD line has measured values, so each of the two lines is also
 * read with the layout of the other.
 */
const crossed: Exchange[] = exchanges.flatMap((exchange) => {
  if (exchange.sent === 'DLC?\r\n') return [{ ...exchange, sent: 'DOD?\r\n' }];
  return exchange.sent === 'DOD?\r\n' ? [{ ...exchange, sent: 'DLC?\r\n' }] : [];
});
const referees = [...exchanges, ...crossed];

const noticed = (facts: Facts): boolean => referees.some((exchange) => contradiction(exchange, facts) !== undefined);

interface Mutant {
  readonly name: string;
  readonly facts: Facts;
}
const survivors = (mutants: readonly Mutant[]): string[] =>
  mutants.filter(({ facts }) => !noticed(facts)).map(({ name }) => name);

const pairs = <T>(list: readonly T[]): [T, T][] =>
  list.flatMap((one, index) => list.slice(index + 1).map((other): [T, T] => [one, other]));

const swapped = <T>(list: readonly T[], one: T, other: T): T[] =>
  list.map((item) => (item === one ? other : item === other ? one : item));

t.test('the facts as they are contradict nothing', async (t) => {
  t.notOk(noticed(FACTS));
});

function swaps(kind: 'dod' | 'dlc' | 'drd'): Mutant[] {
  const layout = FACTS[kind];
  return pairs<string>(layout.fields).map(([one, other]) => ({
    name: `${one} ${other}`,
    facts: { ...FACTS, [kind]: { ...layout, fields: swapped<string>(layout.fields, one, other) } },
  }));
}

/** Columns whose values are equal in the captured lines, or missing in all of them. */
const ALIKE_ON_DISPLAY = [
  'lmin ln4', // 44.6 dB in the one captured result
  'lmin ln5',
  'ln1 ln2', // 45.2 dB
  'ln4 ln5',
  'lieq leq_mov', // never switched on
  'lieq ltm5',
  'leq_mov ltm5',
  'over under', // never out of range
];

t.test('112 of the 120 swaps of two columns of DOD are noticed', async (t) => {
  const mutants = swaps('dod');
  t.equal(mutants.length, 120);
  t.same(survivors(mutants), ALIKE_ON_DISPLAY);
});

t.test('112 of the 120 swaps of two columns of DLC are noticed', async (t) => {
  const mutants = swaps('dlc');
  t.equal(mutants.length, 120);
  t.same(survivors(mutants), ALIKE_ON_DISPLAY);
});

t.test('26 of the 28 swaps of two columns of DRD are noticed', async (t) => {
  const mutants = swaps('drd');
  t.equal(mutants.length, 28);
  t.same(survivors(mutants), [
    'lp lmin', // 43.7 dB: the level was falling, so the last value is the lowest
    'over under',
  ]);
});

t.test('a column more, a column less, a flag taken for a level: all noticed', async (t) => {
  for (const kind of ['dod', 'dlc', 'drd'] as const) {
    const layout = FACTS[kind];
    const changed = [
      { fields: layout.fields.slice(1) },
      { fields: layout.fields.slice(0, -1) },
      { fields: [...layout.fields, 'extra'] },
      { flags: ['over'] },
      { flags: ['under'] },
      { flags: ['over', 'under', 'lp'] },
      { channels: 3 },
      { channels: 5 },
    ];
    for (const change of changed)
      t.ok(noticed({ ...FACTS, [kind]: { ...layout, ...change } }), `${kind} ${JSON.stringify(change)}`);
  }
});

t.test('the main channel comes first; the order of the others nobody has seen: they were off', async (t) => {
  const mutants = pairs(FACTS.channels).map(([one, other]) => ({
    name: `${one} ${other}`,
    facts: { ...FACTS, channels: swapped(FACTS.channels, one, other) },
  }));
  t.same(survivors(mutants), ['sub1 sub2', 'sub1 sub3', 'sub2 sub3']);
});

t.test('the signs of the grammar are noticed', async (t) => {
  for (const separator of [', ', ' ', ';', '', '='])
    t.ok(noticed({ ...FACTS, dialect: { ...FACTS.dialect, separator } }), `separator ${JSON.stringify(separator)}`);
  for (const requestMark of ['', ' ?', '??', '!'])
    t.ok(noticed({ ...FACTS, dialect: { ...FACTS.dialect, requestMark } }), `mark ${JSON.stringify(requestMark)}`);
});

function changes(fact: CommandFact): { name: string; fact: CommandFact }[] {
  const { values } = fact;
  const words = values.kind === 'word' ? values.words : [];
  return [
    { name: `${fact.name}: renamed`, fact: { ...fact, name: `${fact.name}s` } },
    { name: `${fact.name}: set flipped`, fact: { ...fact, set: !fact.set } },
    { name: `${fact.name}: request flipped`, fact: { ...fact, request: !fact.request } },
    ...words.map((word) => ({
      name: `${fact.name}: word ${word} renamed`,
      fact: { ...fact, values: { kind: 'word' as const, words: swapped(words, word, `${word}s`) } },
    })),
  ];
}

const mutantsOf = (fact: CommandFact): Mutant[] =>
  changes(fact).map((change) => ({
    name: change.name,
    facts: {
      ...FACTS,
      dialect: { ...FACTS.dialect, commands: COMMANDS.map((each) => (each === fact ? change.fact : each)) },
    },
  }));

/** Of the facts graded captured: what no exchange shows. */
const UNSEEN = [
  'Measure: request flipped', // code: public readers of the meter
  'Manual Store: request flipped', // command list
  'Frequency Weighting (Main): set flipped', // command list, as the next ones
  'Frequency Weighting (Main): word C renamed',
  'Frequency Weighting (Main): word Z renamed',
  'Time Weighting (Main): set flipped',
  'Time Weighting (Main): word F renamed',
  'Time Weighting (Main): word I renamed',
  'Clock: set flipped', // only its refusal is captured
  'Battery Level: set flipped',
  'Battery Level: word Middle renamed', // inferred from the letters of the status line, as the next ones
  'Battery Level: word Low renamed',
  'Battery Level: word Dead renamed',
  'Battery Level: word Empty renamed',
  'DOD: set flipped',
  'DLC: set flipped',
  'DRD: set flipped',
];
/** Their requests were accepted, their replies are not in the log: every word but none of the names is open. */
const TIMES = ['Measurement Time Preset Manual', 'Leq Calculation Interval Preset', 'Lp Store Interval'];

t.test('of every captured command, name, direction and word are noticed, but for a known list', async (t) => {
  const captured = COMMANDS.filter(({ evidence, name }) => evidence.grade === 'captured' && !TIMES.includes(name));
  t.same(
    captured.flatMap((fact) => survivors(mutantsOf(fact))),
    UNSEEN,
  );
});

t.test('of the time settings the names and that they can be asked are noticed', async (t) => {
  for (const fact of COMMANDS.filter(({ name }) => TIMES.includes(name))) {
    const [renamed, set, request, ...words] = mutantsOf(fact).map(({ facts }) => noticed(facts));
    t.same({ renamed, set, request }, { renamed: true, set: false, request: true }, fact.name);
    t.notOk(words.includes(true), `${fact.name}: no word was seen`);
  }
});

t.test('of the commands that are not graded captured, one is seen at all', async (t) => {
  const others = COMMANDS.filter(({ evidence }) => evidence.grade !== 'captured');
  const seen = others.filter((fact) => mutantsOf(fact).some(({ facts }) => noticed(facts)));
  t.same(
    seen.map(({ name }) => name),
    ['Index Number'], // its request was accepted
  );
});
