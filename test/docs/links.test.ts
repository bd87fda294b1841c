/** Every path in README, CONTRIBUTING, CHANGELOG or a page of docs/ exists. Every link into a page finds its heading. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import t from 'tap';
import { ROOT } from '../arch/source.ts';

const pagesIn = (folder: string) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));

const PAGES = [...pagesIn('.'), ...pagesIn('docs'), ...pagesIn('docs/adr')];
const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');
/** Blocks are output and commands: what they name may be of another machine. */
const prose = (text: string) => text.replaceAll(/^```[\s\S]*?^```/gm, '');

/** As GitHub makes them: lower case, punctuation gone, spaces to dashes. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
const anchorsIn = (text: string) =>
  [...prose(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));

interface Mention {
  readonly page: string;
  readonly target: string;
}

const linksIn = (page: string): Mention[] =>
  [...prose(read(page)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => ({ page, target }))
    .filter(({ target }) => !/^[a-z]+:/.test(target));

/** Our own files in code quotes, from the root. */
const PATH = /`((?:lib|plugins|simulator|test|docs|config|bench|\.ci)(?:\/[\w.-]+)+)`/g;
const pathsIn = (page: string): Mention[] =>
  [...prose(read(page)).matchAll(PATH)].map(([, target = '']) => ({ page, target }));

function isBroken({ page, target }: Mention): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : relative(ROOT, join(ROOT, dirname(page), path));
  if (!existsSync(join(ROOT, file))) return true;
  return anchor !== undefined && !anchorsIn(read(file)).includes(anchor);
}

const words = ({ page, target }: Mention) => `${page}: ${target}`;

t.test('every link of the documentation leads somewhere', async (t) => {
  const links = PAGES.flatMap(linksIn);
  t.ok(links.length > 40, 'there are some');
  t.same(links.filter(isBroken).map(words), []);
});

t.test('every file that the documentation names exists', async (t) => {
  const paths = PAGES.flatMap(pathsIn);
  t.ok(paths.length > 100, 'there are some');
  t.same(paths.filter(({ target }) => !existsSync(join(ROOT, target))).map(words), []);
});

t.test('the table of what to open has a row for many wishes, each with a file', async (t) => {
  const [, table = ''] = read('docs/architecture.md').split('## To change X, open Y');
  const rows = table.split('\n').filter((line) => line.startsWith('| ') && !/^\| (to change|---)/.test(line));
  t.ok(rows.length >= 25);
  t.same(
    rows.filter((row) => !/`[^`]+`[^|]*\|$/.test(row)),
    [],
  );
});

t.test('every production dependency has its reason in a decision', async (t) => {
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
  const decisions = pagesIn('docs/adr').map(read).join('\n');
  t.same(
    Object.keys(dependencies).filter((name) => !decisions.includes(`\`${name}\``)),
    [],
  );
});
