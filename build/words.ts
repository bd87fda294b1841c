/** Writes the words of the dashboard in other languages (`config/words/de.json`) as two files a language: for the first view, and for all others. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse, tokTypes } from 'acorn';
import { shortOf } from '../web/words/languages.ts';

/** Names of the two files of each language by its code, that of the first view first. */
export type Tables = Readonly<Record<string, readonly [first: string, rest: string]>>;

/** The scripts of the dashboard as text: those that the first view needs, and the others. */
interface Scripts {
  readonly first: readonly string[];
  readonly rest: readonly string[];
}

/** Files with texts of answers that the dashboard shows in its language (`sayOfApi`). */
const OF_API = [
  'config/assessments/*.json',
  'plugins/alerts/{rules,delivery}/**/*.ts',
  'plugins/reports/{api-sentences,templates}.ts',
  'plugins/session/index.ts',
];

/** Their strings, whatever they are for. */
function textsOfApi(root: string): ReadonlySet<string> {
  const files = OF_API.flatMap((pattern) => globSync(pattern, { cwd: root }));
  const strings = files.flatMap((file) => readFileSync(join(root, file), 'utf8').match(/'[^'\n]+'|"[^"\n]+"/g) ?? []);
  return new Set(strings.map((text) => text.slice(1, -1)));
}

/** `folder`: where they are written, with a hash of their content in the name. Words that no script says, such as those of reports, stay away. */
export function writeTables(root: string, folder: string, { first, rest }: Scripts): Tables {
  const early = textsIn(first);
  const late = textsIn(rest);
  const ofApi = textsOfApi(root);
  const written = globSync('*.json', { cwd: join(root, 'config/words') }).map((file) => {
    const code = basename(file, '.json');
    const all: Readonly<Record<string, string>> = JSON.parse(readFileSync(join(root, 'config/words', file), 'utf8'));
    const write = (part: string, isPart: (text: string) => boolean): string => {
      const words = Object.entries(all).filter(([text]) => isPart(text));
      // The page looks for sentences of answers by their English words: an answer may have several, with numbers in them.
      const keyOf = (text: string) => (ofApi.has(text) && text.endsWith('.') ? text : shortOf(text));
      const content = JSON.stringify(Object.fromEntries(words.map(([text, said]) => [keyOf(text), said])));
      const hash = createHash('sha256').update(content).digest('hex').slice(0, 8).toUpperCase();
      const name = `words-${code}-${part}-${hash}.json`;
      writeFileSync(join(folder, name), content);
      return name;
    };
    const isLate = (text: string) => (late.has(text) || ofApi.has(text)) && !early.has(text);
    return [code, [write('first', (text) => early.has(text)), write('rest', isLate)]] as const;
  });
  return Object.fromEntries(written);
}

/** Every text in the programs, whatever it is for. */
function textsIn(programs: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  // The types of the library do not name the value.
  const onToken = (token: { readonly type: unknown; readonly value?: unknown }) => {
    if (token.type === tokTypes.string || token.type === tokTypes.template) found.add(String(token.value));
  };
  for (const program of programs) parse(program, { ecmaVersion: 'latest', sourceType: 'module', onToken });
  return found;
}
