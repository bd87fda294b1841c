/** The page docs/protocol.md agrees with the mutation test, and its switches with those of the simulator. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { COMMANDS, type CommandFact } from '../../lib/drivers/nl43/spec/commands.ts';
import { BEHAVIOUR } from '../../simulator/behaviour.ts';
import {
  ALIKE_CHANNELS,
  ALIKE_IN_FRAMES,
  ALIKE_ON_DISPLAY,
  SEEN_OF_OTHERS,
  TIMES,
  UNSEEN,
} from '../conformance/survivors.ts';

const text = readFileSync(new URL('../../docs/protocol.md', import.meta.url), 'utf8');
const between = (from: string, to: string) => text.slice(text.indexOf(from) + from.length, text.indexOf(to));
const quoted = (part: string) => [...part.matchAll(/`([^`]+)`/g)].map(([, word]) => word);

const report = between('<!-- survivors -->', '<!-- /survivors -->');
const rowOf = (start: string) => report.split('\n').find((line) => line.startsWith(`| ${start}`)) ?? '';
const survivorsIn = (row: string) => quoted(row.split('|')[3] ?? '');

/** Renamed, set flipped, request flipped, and each word renamed: as the mutation test makes them. */
const mutantsOf = ({ values }: CommandFact) => 3 + wordsOf(values);
const wordsOf = (values: CommandFact['values']) => (values.kind === 'word' ? values.words.length : 0);
const sum = (facts: readonly CommandFact[], of: (fact: CommandFact) => number) =>
  facts.reduce((total, fact) => total + of(fact), 0);

t.test('the survivors that the page names are those of the mutation test', async (t) => {
  t.same(survivorsIn(rowOf('two columns of `DOD?`')), ALIKE_ON_DISPLAY);
  t.same(survivorsIn(rowOf('the same of `DRD?`')), ALIKE_IN_FRAMES);
  t.same(survivorsIn(rowOf('two channels swapped')), ALIKE_CHANNELS);
  t.same(survivorsIn(rowOf('the same of the')), SEEN_OF_OTHERS);
  const prose = report.slice(report.indexOf('Survivors among'));
  t.same(quoted(prose), [...UNSEEN, ...TIMES]);
});

t.test('the numbers of survivors that the page names are those of the mutation test', async (t) => {
  t.match(rowOf('two columns of `DOD?`'), `${120 - ALIKE_ON_DISPLAY.length} of 120`);
  t.match(rowOf('the same of `DLC?`'), `${120 - ALIKE_ON_DISPLAY.length} of 120`);
  t.match(rowOf('the same of `DRD?`'), `${28 - ALIKE_IN_FRAMES.length} of 28`);
  t.match(rowOf('two channels swapped'), `${6 - ALIKE_CHANNELS.length} of 6`);
  const captured = COMMANDS.filter(({ evidence }) => evidence.grade === 'captured');
  const open = captured.filter(({ name }) => TIMES.includes(name));
  const all = sum(captured, mutantsOf);
  const lost = UNSEEN.length + sum(open, ({ values }) => 1 + wordsOf(values));
  t.match(rowOf('name, direction and words'), `the ${captured.length} captured commands | ${all - lost} of ${all} |`);
  const others = COMMANDS.filter((fact) => !captured.includes(fact));
  t.match(rowOf('the same of the'), `the ${others.length} others | 2 of ${sum(others, mutantsOf)} |`);
});

t.test('every open question names switches that exist, and those of the meter itself are all named', async (t) => {
  const questions = between('## Open questions', '## Proof by the captured bytes')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| question') && !line.startsWith('| ---'));
  const named = questions.flatMap((line) => quoted(line.split('|').at(-2) ?? ''));
  const strangers = named.filter((name) => name !== undefined && !(name in BEHAVIOUR));
  t.same(strangers, ['half-open', 'Battery Level', 'wedge'], 'faults and a value to set');
  // How fast things go, and what the instrument is like, is no question about the protocol.
  const plain = /^think_|^slow_start|^link_ms$|^display_refresh|^clock_|^power_source$/;
  t.same(
    Object.keys(BEHAVIOUR).filter((name) => !plain.test(name) && !named.includes(name)),
    [],
  );
});
