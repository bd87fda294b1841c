/** The command line of `slm`: words, help, exit codes, address and key, completion. Needs no gateway. */
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { readCommandLine } from '../../cli/command-line.ts';
import { COMMANDS } from '../../cli/commands/index.ts';
import { completionFor } from '../../cli/completion.ts';
import { EXIT, exitCodeOf, MEANINGS } from '../../cli/exit-codes.ts';
import { clientFor } from '../../cli/gateway-address.ts';
import { GatewayProblem } from '../../client/index.ts';
import { ROOT } from '../../lib/root.ts';
import { selfSigned } from '../support/certificate.ts';
import { serveHttp } from '../support/serve-http.ts';
import { slm, wordsOf } from './setup.ts';

const KEY = `slm_0123abcd_${'x'.repeat(43)}`;

t.test('every command explains itself, with an example that this command line takes', async (t) => {
  for (const { name, examples } of COMMANDS) {
    const { code, out } = await slm(undefined, [...name.split(' '), '--help']);
    t.equal(code, 0);
    t.match(out, `slm ${name}`);
    t.ok(examples.length > 0, name);
    for (const example of examples) {
      const { command } = readCommandLine(wordsOf(example), COMMANDS);
      t.ok(command, example);
    }
  }
  const { out } = await slm(undefined, '--help');
  for (const { name } of COMMANDS) t.match(out, `  ${name}`);
  t.match((await slm(undefined, 'cycle --help')).out, 'cycle start');
  t.match(await slm(undefined, '--version'), { code: 0, out: /^\d+\.\d+\.\d+\n$/ });
});

t.test('help and version are commands, too', async (t) => {
  const out = async (...words: string[]) => (await slm(undefined, words)).out;
  t.equal(await out('help'), await out('--help'));
  t.equal(await out('help', 'cycle', 'start'), await out('cycle', 'start', '--help'));
  t.equal(await out('help', 'cycle'), await out('cycle', '--help'));
  t.equal(await out('version'), await out('--version'));
  t.match(await slm(undefined, 'help fly'), { code: 2, err: /"fly" is not a command/ });
});

t.test('gateways have names, and each its own key', async (t) => {
  const home = t.testdir({ 'quarry.key': `${KEY}\n`, '.config': { slm: { key: `${KEY}\n` } } });
  const asked: string[] = [];
  const gateway = (name: string) =>
    serveHttp(t, ({ headers }, response) => {
      asked.push(`${name} ${headers.authorization ? 'with' : 'without'} a key`);
      response.end('{"status":"ok","data":[]}');
    });
  const ran = (words: string, env = {}) => slm(undefined, words.split(' '), { home, env });
  t.match(await ran('context list'), { code: 0, out: 'No contexts. slm context add adds one.\n' });
  const roof = await gateway('roof');
  const quarry = await gateway('quarry');
  t.match(await ran(`context add roof ${roof}`), { code: 0 });
  t.match(await ran(`context add quarry ${quarry} --key-file ${home}/quarry.key`), { code: 0 });
  t.match((await ran('context list')).out, /^quarry +- .*quarry\.key\nroof +yes |^roof +yes .*\nquarry +- /m);
  await ran('units');
  await ran('units --context quarry');
  await ran('units', { SLM_CONTEXT: 'quarry' });
  await ran(`units --url ${roof}`);
  await ran('units', { SLM_URL: quarry });
  t.match(await ran('context use quarry'), { code: 0 });
  await ran('units');
  t.strictSame(asked, [
    'roof without a key',
    'quarry with a key',
    'quarry with a key',
    'roof with a key',
    'quarry with a key',
    'quarry with a key',
  ]);
  t.equal(statSync(join(home, '.config/slm/contexts.json')).mode & 0o777, 0o600);
  t.match(await ran('context use sea'), { code: 2, err: /no context "sea"/ });
  t.match(await ran(`units --context roof --url ${roof}`), { code: 2, err: /one of them/ });
  t.match(await ran('context add sea ftp://192.0.2.1'), { code: 2 });
  t.match(await ran('context remove quarry'), { code: 0 });
  t.match(await ran('context list --json'), { json: [{ name: 'roof', current: false, url: roof }] });
});

t.test('every line with slm in the documents is a right command line', async (t) => {
  const folder = new URL('../../docs/', import.meta.url);
  const pages = readdirSync(folder).filter((name) => name.endsWith('.md'));
  let lines = 0;
  for (const page of [...pages.map((name) => new URL(name, folder)), new URL('../../README.md', import.meta.url)]) {
    for (const [, block = ''] of readFileSync(page, 'utf8').matchAll(/^```\w*\n([\s\S]*?)^```/gm)) {
      for (const line of block
        .split('\n')
        .filter((text) => /^(\$ )?(sudo |npx |docker compose exec .* )*slm [a-z-]/.test(text))) {
        lines += 1;
        t.doesNotThrow(() => readCommandLine(wordsOf(line), COMMANDS), line);
      }
    }
  }
  t.ok(lines > 10);
});

t.test('wrong words are one clear line and exit code 2', async (t) => {
  const wrong: readonly [readonly string[], RegExp][] = [
    [['fly'], /"fly" is not a command/],
    [['config'], /UNIT is missing: slm config UNIT/],
    [['config', 'a', 'b'], /"b" is one word too many/],
    [['units', '--colour'], /Unknown option '--colour'/],
    [['cycle'], /name a command of cycle/],
    [['--json'], /name a command/],
    [['completion', 'tcsh'], /"tcsh" is none of bash, zsh, fish/],
    [['units', '--url', 'ftp://192.0.2.1'], /is not an address of a gateway/],
  ];
  for (const [words, line] of wrong) {
    const { code, err, out } = await slm(undefined, words);
    t.match({ code, err }, { code: 2, err: line });
    t.equal(out, '');
  }
});

t.test('the exit code says what kind of trouble it is, and docs/cli.md has them all', async (t) => {
  const codes: readonly [string, number, number][] = [
    ['NO_GATEWAY', 0, EXIT.noGateway],
    ['UNAUTHENTICATED', 401, EXIT.notAllowed],
    ['UNIT_NOT_FOUND', 404, EXIT.notFound],
    ['DEVICE_TIMEOUT', 504, EXIT.noMeter],
    ['DEVICE_WRONG_STATE', 409, EXIT.meterRefused],
    ['INVALID', 422, EXIT.wrongWords],
    ['INTERNAL', 500, EXIT.failed],
  ];
  for (const [code, status, exit] of codes) t.equal(exitCodeOf(new GatewayProblem(code, '', { status })), exit, code);
  for (const command of ['units', 'watch'])
    t.match(await slm(undefined, `${command} --url http://127.0.0.1:1`), {
      code: 3,
      err: /does not answer.*NO_GATEWAY.*SLM_URL/s,
    });
  const text = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8');
  for (const [name, code] of Object.entries(EXIT))
    t.match(text, `| ${code} | ${MEANINGS[name as keyof typeof EXIT]} |`);
});

t.test('without a key, or with an unknown certificate, the error says what to do', async (t) => {
  const refuse: RequestListener = (_request, response) => {
    const body = { code: 'UNAUTHENTICATED', detail: 'No.', errors: [{ path: '', message: 'No.' }] };
    response.writeHead(401, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  };
  const told = async (server: Server, scheme: string) => {
    t.teardown(() => server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    return (await slm(undefined, ['units', '--url', `${scheme}://127.0.0.1:${port}`])).err;
  };
  const lines = await told(createServer(refuse), 'http');
  t.match(lines, /^slm: No\. \(UNAUTHENTICATED\)\nslm: {3}slm takes the key from/, 'and the reason once');
  t.match(await told(createTlsServer(selfSigned('127.0.0.1'), refuse), 'https'), 'NODE_EXTRA_CA_CERTS');
});

t.test('output that a disk does not take is an error; a reader that has gone is no trouble', async (t) => {
  /** The text on standard error; the exit code is last. */
  const ended = (to: string) => {
    const words = `{ "$0" cli/slm.ts --help; echo $? >&2; } ${to}`;
    return spawnSync('sh', ['-c', words, process.execPath], { cwd: ROOT, encoding: 'utf8' }).stderr;
  };
  if (existsSync('/dev/full')) t.match(ended('> /dev/full'), /^slm: .*ENOSPC.*\n1\n$/);
  t.equal(ended('| true'), '0\n');
});

t.test('the key comes from a file or the environment, and nothing else is sent as one', async (t) => {
  const home = t.testdir({ '.config': { slm: { key: `${KEY}\n` } }, secret: `${'ab'.repeat(32)}\n` });
  const client = (options: object, env: Record<string, string>) =>
    clientFor({ url: 'http://192.0.2.1', ...options }, { env, home });
  t.ok(client({}, {}));
  t.ok(client({}, { SLM_API_KEY: KEY }));
  // `>` of the PowerShell that comes with Windows writes UTF-16, other programs a mark before UTF-8.
  for (const [name, bytes] of Object.entries({
    utf16: Buffer.from(`\uFEFF${KEY}\r\n`, 'utf16le'),
    utf8: Buffer.from(`\uFEFF${KEY}\r\n`),
  })) {
    writeFileSync(join(home, name), bytes);
    t.ok(client({ 'key-file': join(home, name) }, {}), name);
  }
  t.throws(
    () => client({ 'key-file': join(home, 'secret') }, {}),
    /is not an API key/,
    'such as the key of the credentials',
  );
  t.throws(() => client({}, { SLM_API_KEY_FILE: join(home, 'none') }), /cannot be read/);
  t.throws(() => client({}, { SLM_API_KEY: 'hunter2' }), /is not an API key/);
  t.throws(() => client({ url: 'http://me:secret@192.0.2.1' }, {}), /password/);
  t.notOk(COMMANDS.some(({ options }) => options?.some(({ name }) => /^(key|password)$/.test(name))));
});

t.test('bash completes commands, options, values, meters and files', async (t) => {
  const folder = t.testdir({ 'slm-units.json': '' });
  const script = join(folder, 'slm.bash');
  writeFileSync(script, completionFor('bash', COMMANDS));
  /** Words that bash offers for the last of these words. `slm units --json` is a function here. */
  const offered = (...words: readonly string[]): string[] => {
    const units = 'slm() { printf \'[\\n  {\\n    "unit_id": "roof",\\n    "name": null\\n  }\\n]\\n\'; }';
    const line = words.map((word) => `'${word}'`).join(' ');
    const code = `${units}; source '${script}'; COMP_WORDS=(slm ${line}); COMP_CWORD=${words.length}; _slm; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['--norc', '-c', code], { encoding: 'utf8', cwd: folder }).trim().split('\n');
  };
  t.strictSame(offered('sta'), ['status', 'start', 'station']);
  t.strictSame(offered('cycle', ''), ['start', 'stop']);
  t.strictSame(offered('live', ''), ['roof']);
  t.strictSame(offered('live', 'roof', '--h'), ['--hz', '--help']);
  t.strictSame(offered('set', 'roof', 'freq'), ['frequency-weighting']);
  t.strictSame(offered('set', 'roof', 'clock', '--channel', 'Sub'), ['Sub1', 'Sub2', 'Sub3']);
  t.strictSame(offered('profile', 'apply', 'night', 'roof', 'r'), ['roof'], 'a word that may come often');
  t.strictSame(offered('profile', 'put', 'night', 'slm.b'), ['slm.bash']);
  t.strictSame(offered('completion', 'f'), ['fish']);
});

t.test('the scripts for zsh and fish name every command', async (t) => {
  t.match(completionFor('zsh', COMMANDS), /^autoload -U \+X bashcompinit/);
  const fish = completionFor('fish', COMMANDS);
  for (const { name } of COMMANDS) for (const word of name.split(' ')) t.match(fish, `-a ${word}`);
});
