/**
 * Falsifies the facts of the codec, one at a time, and shows that a captured exchange notices. Falsified facts that no
 * exchange notices are in `survivors.ts`, with the reason.
 */
import t from 'tap';
import { COMMANDS, type CommandFact } from '../../lib/drivers/nl43/spec/commands.ts';
import { contradiction, FACTS, type Facts } from './codec.ts';
import { type Exchange, readExchanges } from './exchanges.ts';
import { ALIKE_CHANNELS, ALIKE_IN_FRAMES, ALIKE_ON_DISPLAY, SEEN_OF_OTHERS, TIMES, UNSEEN } from './survivors.ts';

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
  t.same(survivors(mutants), ALIKE_IN_FRAMES);
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

t.test(
  'the main channel comes first; the order of the others is not known from captures, where they were off',
  async (t) => {
    const mutants = pairs(FACTS.channels).map(([one, other]) => ({
      name: `${one} ${other}`,
      facts: { ...FACTS, channels: swapped(FACTS.channels, one, other) },
    }));
    t.same(survivors(mutants), ALIKE_CHANNELS);
  },
);

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

t.test('of every captured command, name, direction and word are noticed, except for a known list', async (t) => {
  const captured = COMMANDS.filter(({ evidence, name }) => evidence.grade === 'captured' && !TIMES.includes(name));
  t.same(
    captured.flatMap((fact) => survivors(mutantsOf(fact))),
    UNSEEN,
  );
});

t.test('of the time settings, the names and the request form are noticed', async (t) => {
  for (const fact of COMMANDS.filter(({ name }) => TIMES.includes(name))) {
    const [renamed, set, request, ...words] = mutantsOf(fact).map(({ facts }) => noticed(facts));
    t.same({ renamed, set, request }, { renamed: true, set: false, request: true }, fact.name);
    t.notOk(words.includes(true), `${fact.name}: no word was seen`);
  }
});

t.test('only one of the commands without the grade captured is seen', async (t) => {
  const others = COMMANDS.filter(({ evidence }) => evidence.grade !== 'captured');
  const seen = others.filter((fact) => mutantsOf(fact).some(({ facts }) => noticed(facts)));
  t.same(
    seen.map(({ name }) => name),
    SEEN_OF_OTHERS,
  );
});
