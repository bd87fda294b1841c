/** Every command of every page is one that there is: routes with their methods, words of `slm`, scripts, settings. */
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { readCommandLine } from '../../cli/command-line.ts';
import { COMMANDS } from '../../cli/commands/index.ts';
import { fromArguments } from '../../lib/settings/read.ts';
import { PROPERTIES } from '../../lib/settings/schema.ts';
import { openWorld } from '../support/world.ts';
import { blocksIn, pageText } from './page.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGES = ['README.md', ...globSync('docs/*.md', { cwd: ROOT })].sort();
const { scripts } = JSON.parse(pageText('package.json')) as { scripts: Record<string, string> };

/** Lines of the blocks of a page, those that go on joined, without prompt and remark. */
const linesOf = (page: string): string[] =>
  blocksIn(pageText(page)).flatMap(({ text }) =>
    text
      .replaceAll(/\\\n\s*/g, '')
      .split('\n')
      .map((line) =>
        line
          .replace(/^\$ /, '')
          .replace(/\s{2,}#? .*$/, '')
          .trim(),
      ),
  );

const lines = PAGES.flatMap((page) => linesOf(page).map((line) => ({ page, line })));
const beginning = (word: string) => lines.filter(({ line }) => line.startsWith(`${word} `));

/** The path of a call of curl below the base path; undefined: another address, or one that is not whole. */
function called(line: string): { method: string; path: string } | undefined {
  const [, url] = /(?:\$BASE|https?:\/\/[\w.:-]+(?:\/api\/nl43)?)(\/[^\s"'?]*)/.exec(line) ?? [];
  if (url === undefined || /[{<]|\.\.\.|slmm/.test(url) || /hooks|ntfy|example/.test(line)) return undefined;
  const method =
    /-X (\w+)/.exec(line)?.[1] ??
    (/(^| )(-d|--data\S*)( |$)/.test(line) ? 'POST' : /(^| )-I( |$)/.test(line) ? 'HEAD' : 'GET');
  return { method, path: url.replace(/\/$/, '') };
}

t.test('each call of curl is a route with this method', async (t) => {
  // The page about plugins calls the example.
  const plugins = [...PROPERTIES.plugins.default, `${ROOT}docs/examples/hello-plugin.ts`];
  const world = await openWorld(t, { meters: 0, settings: { plugins } });
  const { paths } = (await world.get('/openapi.json')).body as { paths: Record<string, Record<string, unknown>> };
  const patterns = Object.entries(paths).map(([path, item]) => ({
    item,
    matches: new RegExp(`^${path.replaceAll(/[.]/g, '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
  }));
  const calls = beginning('curl').flatMap(({ page, line }) => {
    const call = called(line);
    return call ? [{ page, line, ...call }] : [];
  });
  t.ok(calls.length > 40);
  for (const { page, line, method, path } of calls) {
    const name = method === 'HEAD' ? 'get' : method.toLowerCase();
    t.ok(
      patterns.some(({ matches, item }) => matches.test(path) && name in item),
      `${page}: ${line}`,
    );
  }
});

t.test('each line of slm has the words and options that its command takes', async (t) => {
  const said = beginning('slm').filter(({ line }) => !/[|<>$]|COMMAND/.test(line));
  t.ok(said.length > 10);
  for (const { page, line } of said) {
    const words = (line.slice('slm '.length).match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) =>
      word.replaceAll(/["']/g, ''),
    );
    t.doesNotThrow(() => readCommandLine(words, COMMANDS), `${page}: ${line}`);
  }
});

const checkStart = (t: Test, page: string, line: string, flags: string) =>
  t.doesNotThrow(() => fromArguments(flags.split(/\s+/).filter(Boolean)), `${page}: ${line}`);

t.test('each script of npm is there, and each setting of a start', async (t) => {
  for (const { page, line } of beginning('npm')) {
    const [, script] = /^npm run (?:-s )?([\w:]+)/.exec(line) ?? [];
    if (script) t.ok(script in scripts, `${page}: ${line}`);
    const [, flags] = /^npm start -- ([^|&;#]*)/.exec(line) ?? [];
    if (flags) checkStart(t, page, line, flags);
  }
});
