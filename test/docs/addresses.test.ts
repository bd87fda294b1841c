/** Lines of the documentation are pasted and run: an address in them is none that may exist on the reader's network. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ROOT, sourceFiles } from '../arch/source.ts';

/** Of this computer, or of the networks for examples (RFC 5737). */
const HARMLESS = /^(127\.|0\.0\.0\.0$|192\.0\.2\.|198\.51\.100\.|203\.0\.113\.)/;
const harmfulIn = (text: string) =>
  [...text.matchAll(/(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])/g)].flatMap(([found]) =>
    HARMLESS.test(found) ? [] : found,
  );

const filesIn = (folder: string) =>
  readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(md|mjs|py|json|yaml)$/.test(entry.name))
    .map(({ name }) => ({ path: join(folder, name), text: readFileSync(join(ROOT, folder, name), 'utf8') }));

t.test('examples in the documentation and in the help use addresses that are of nobody', async (t) => {
  const pages = ['.', 'docs', 'docs/adr', 'docs/examples', 'client/python', 'config'].flatMap(filesIn);
  for (const { path, text } of [...pages, ...sourceFiles('lib/settings', 'cli', 'web')]) {
    if (path === 'package-lock.json') continue;
    t.strictSame(harmfulIn(text), [], path);
  }
});
