/** Writes the words of the dashboard in other languages (`web/words/de`) as two files a language: for the first view, and all others. */
import { createHash } from 'node:crypto';
import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { shortOf } from '../web/words/short.ts';

/** Names of the two files of each language by its code, that of the first view first. */
export type Tables = Readonly<Record<string, readonly [first: string, rest: string]>>;

/** `folder`: where they are written, with a hash of their content in the name. */
export function writeTables(root: string, folder: string): Tables {
  const words = join(root, 'web/words');
  const codes = readdirSync(words, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const written = codes.map(({ name: code }) => {
    const files = globSync('*.json', { cwd: join(words, code) }).toSorted();
    const write = (part: string, isPart: (file: string) => boolean): string => {
      const tables = files.filter(isPart).map((file) => JSON.parse(readFileSync(join(words, code, file), 'utf8')));
      const texts: Readonly<Record<string, string>> = Object.assign({}, ...tables);
      const short = Object.entries(texts).map(([text, said]) => [shortOf(text), said]);
      const content = JSON.stringify(Object.fromEntries(short));
      const hash = createHash('sha256').update(content).digest('hex').slice(0, 8).toUpperCase();
      const name = `words-${code}-${part}-${hash}.json`;
      writeFileSync(join(folder, name), content);
      return name;
    };
    const isFirst = (file: string) => basename(file) === 'first.json';
    return [code, [write('first', isFirst), write('rest', (file) => !isFirst(file))]] as const;
  });
  return Object.fromEntries(written);
}
