/**
 * Every command and every program of the pages for beginners runs. A simulated meter replaces that at 192.0.2.40. Commands
 * that would change this computer (`npm ci`, `git pull`, a start of the gateway) are read and not run. Their scripts and
 * settings have to exist.
 */
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { readCommandLine } from '../../cli/command-line.ts';
import { COMMANDS } from '../../cli/commands/index.ts';
import { fromArguments } from '../../lib/settings/read.ts';
import { slm } from '../cli/setup.ts';
import { blocksIn, pageText } from '../docs/page.ts';
import { writeDatabase } from '../slmm/database.ts';
import { configOf, openWorld, type World } from '../support/world.ts';

const PAGES = ['getting-started', 'programming', 'python', 'trouble', 'upgrading', 'slmm'].map(
  (name) => `docs/${name}.md`,
);
const BASE = 'http://127.0.0.1:8100/api/nl43';
const CLIENT = fileURLToPath(new URL('../../client/python', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const { scripts, bin } = JSON.parse(pageText('package.json')) as Readonly<Record<'scripts' | 'bin', object>>;
const python = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0;

let world: World;
t.before(async () => {
  world = await openWorld(t, { settings: { slmm: true } });
  await world.put('/roof/config', { ...configOf(world.meter), history: 'off' });
  await world.delete('/sim-1/config');
  await world.pass(3_000);
});

/** The addresses of the pages in those of this test. */
const here = (text: string): string =>
  text
    .replaceAll(BASE, world.base)
    .replaceAll('ws://127.0.0.1:8100/api/nl43', world.base.replace('http', 'ws'))
    .replaceAll('http://127.0.0.1:8100', new URL(world.base).origin);

const run = (program: string, args: readonly string[], folder: string) =>
  world.passing(
    new Promise<{ code: number; out: string; err: string }>((resolve) => {
      const env = { PATH: process.env.PATH, SLM_URL: world.base, PYTHONPATH: CLIENT, PYTHONDONTWRITEBYTECODE: '1' };
      const child = execFile(program, args, { cwd: folder, env, timeout: 50_000 }, (_error, out, err) =>
        resolve({ code: child.exitCode ?? -1, out, err }),
      );
    }),
  );

/** Programs that name the client of this gateway without a base use the usual one. */
const withBase = (text: string): string => here(text).replaceAll('Gateway()', `Gateway("${world.base}")`);

/** One line of a block for a terminal. */
async function checkLine(t: Test, line: string, folder: string): Promise<void> {
  const [program = '', ...words] = line.split(' ');
  if (program === 'curl') {
    const { code, out, err } = await run('bash', ['-c', here(line)], folder);
    t.equal(code, 0, `${line}: ${err}`);
    t.notMatch(out, /"code":/, line);
  } else if (program === 'slm') await checkSlm(t, line, words, folder);
  else if (program === 'npm') checkNpm(t, line, words);
  else if (program === 'npx') t.ok(words[0] !== undefined && words[0] in bin, `${line} is a program of the package`);
  else if (program === 'python3' && words[0] !== '-m') {
    if (!python) return;
    const [script = '', ...args] = words;
    t.match(await run('python3', [join(ROOT, script), ...args], folder), { code: 0 }, line);
  } else t.ok(['git pull', 'python3 -m pip install websockets'].includes(line), `${line} is known`);
}

/** `add` would name a meter that is not there; it and endless commands are read only. */
async function checkSlm(t: Test, line: string, words: readonly string[], folder: string): Promise<void> {
  const quoted = line.slice('slm '.length).match(/"[^"]*"|\S+/g) ?? [];
  const argv = quoted.map((word) => word.replaceAll('"', ''));
  t.ok(readCommandLine(argv, COMMANDS).command, line);
  if (words[0] === 'add' || words[0] === 'watch') return;
  const named = argv.map((word) => (/\.(db|gz)$/.test(word) ? join(folder, word) : word));
  const { code, err } = await slm(world, named);
  // The doctor finds several things at a meter on this computer.
  t.ok(words[0] === 'doctor' ? [0, 8].includes(code) : code === 0, `${line}: ${err}`);
}

function checkNpm(t: Test, line: string, words: readonly string[]): void {
  const [verb, name = ''] = words;
  if (verb === 'ci' || verb === 'install') return;
  const script = verb === 'start' ? 'start' : name;
  t.ok(script in scripts, `${line} is a script`);
  const flags = line.split(' -- ')[1];
  if (script === 'start' && flags) t.doesNotThrow(() => fromArguments(flags.split(' ')), line);
}

for (const page of PAGES) {
  t.test(`the commands of ${page} work without changes`, async (t) => {
    const folder = t.testdir({});
    writeDatabase(join(folder, 'slmm.db'), { nl43_config: [{ unit_id: 'old', host: '192.0.2.41', tcp_enabled: 0 }] });
    const blocks = blocksIn(pageText(page));
    for (const { language, text } of blocks.filter(({ language }) => language === 'sh' || language === '')) {
      t.ok(text.length > 0, language);
      for (const line of text.trim().split('\n')) await checkLine(t, line, folder);
    }
  });
}

t.test('the lines of the README run one after the other', async (t) => {
  const folder = t.testdir({});
  const [shown] = blocksIn(pageText('README.md')).filter(({ text }) => text.startsWith('BASE='));
  // The clock of this test stands still while bash sleeps; no more than a moment of it is needed.
  const script = here(shown?.text ?? '')
    .replaceAll('sim-1', 'roof')
    .replace('sleep 3', 'sleep 0.3');
  await world.post('/roof/start');
  const { code, out, err } = await run('bash', ['-e', '-c', script], folder);
  t.equal(code, 0, err);
  t.equal(out.split('"status":"ok"').length - 1, script.match(/curl /g)?.length, out);
});

t.test('the programs in JavaScript print what their comments say', async (t) => {
  const folder = t.testdir({});
  const blocks = blocksIn(pageText('docs/programming.md')).filter(({ language }) => language === 'js');
  t.ok(blocks.length >= 3);
  for (const [index, { text }] of blocks.entries()) {
    const file = join(folder, `${index}.mjs`);
    writeFileSync(file, here(text));
    const { code, out, err } = await run(process.execPath, [file], folder);
    t.equal(code, 0, err);
    t.match(out, text.includes('nowhere') ? /^404 UNIT_NOT_FOUND There is no/ : /^\d+(\.\d)? dB\n$/m);
  }
});

t.test('the program in TypeScript runs, and stops at its first frame', async (t) => {
  const folder = t.testdir({});
  const [block] = blocksIn(pageText('docs/programming.md')).filter(({ language }) => language === 'ts');
  const file = join(folder, 'program.ts');
  writeFileSync(file, here(block?.text ?? '').replace('slm-gateway/client', join(ROOT, 'client/index.ts')));
  const { code, out, err } = await run(process.execPath, [file], folder);
  t.equal(code, 0, err);
  t.match(
    out,
    /^roof \S+ online\n(2026-11-21T\S+ null dB\n){24}404 UNIT_NOT_FOUND There is no .*\n\S+Z \d+(\.\d)? dB\n$/m,
  );
});

t.test('the programs in Python run', { skip: python ? false : 'no python3' }, async (t) => {
  await world.ftpOn();
  for (const page of ['docs/programming.md', 'docs/python.md']) {
    const folder = t.testdir({});
    for (const [index, { text }] of blocksIn(pageText(page))
      .filter(({ language }) => language === 'python')
      .entries()) {
      // The stream needs a package that is not everywhere; test/more/python-client.ts runs one.
      const program = text.includes('asyncio') ? 'import ast, sys; ast.parse(sys.argv[1])' : withBase(text);
      const { code, err } = await run('python3', ['-c', program, text], folder);
      t.equal(code, 0, `${page} ${index}: ${err}`);
    }
  }
});

t.test('the lines for PowerShell ask what there is, as it does', async (t) => {
  const blocks = blocksIn(pageText('docs/programming.md')).filter(({ language }) => language === 'powershell');
  t.ok(blocks.length >= 3);
  for (const { text } of blocks) {
    const [, url = ''] = /Invoke-RestMethod ["'](\S+?)["']/.exec(text.replaceAll('$base', BASE)) ?? [];
    const method = /-Method (\w+)/.exec(text)?.[1]?.toUpperCase() ?? 'GET';
    const body = /-Body '(.*)'/.exec(text)?.[1];
    const headers = { 'Content-Type': 'application/json' };
    const answer = await world.passing(fetch(here(url), { method, ...(body !== undefined && { body, headers }) }));
    t.equal(answer.status, 200, text);
    await answer.text();
  }
});

t.test('messages on the pages are those of the programs', async (t) => {
  const code = ['lib/http/listen.ts', 'lib/access/index.ts', 'lib/node-version.cjs', 'lib/store/problem.ts'];
  const said = code.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n');
  for (const words of ['another program listens there', 'this code makes the first admin', 'slm-gateway needs Node'])
    t.match(said, words);
});
