/**
 * The build, the client and `slm` on the oldest and the newest Node that they support (`.ci/nodes`, which `npm ci` fills). All other
 * tests run on the one in between.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { childEnvironment } from '../support/child-environment.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const NODES = join(ROOT, '.ci/nodes');
const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
/** Tests of the client and of `slm`, on the gateway from the sources (`version` in `test/support/share.ts`), in one process. */
const FILES = join(ROOT, 'test/shares/version.ts');
/** How many they are. */
const COUNT = 5;

interface Program {
  readonly child: ChildProcess;
  readonly out: Interface;
  readonly err: Interface;
}

function start(t: Test, node: string, words: readonly string[]): Program {
  // Seconds for tests; each test file has its own limit.
  const env = { ...childEnvironment(), HOME: t.testdirName, TAP_TIMEOUT: '600' };
  const child = spawn(node, words, { env });
  t.teardown(() => child.kill('SIGKILL'));
  const { stdout, stderr } = child;
  return { child, out: createInterface({ input: stdout }), err: createInterface({ input: stderr }) };
}

/** The gateway of the build. Resolves with its port when it answers. */
async function startGateway(t: Test, node: string, port: string): Promise<Program & { readonly port: string }> {
  const places = ['--data-dir', join(t.testdirName, 'data'), '--key-file', join(t.testdirName, 'key')];
  const program = start(t, node, [join(ROOT, 'dist/lib/start.cjs'), ...places, '--port', port]);
  const [line] = await once(program.out, 'line');
  return { ...program, port: new URL(/http:\S+/.exec(line)?.[0] ?? '').port };
}

async function stop({ child }: Program): Promise<unknown> {
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  return code;
}

for (const name of Object.keys(read(join(NODES, 'package.json')).dependencies)) {
  const node = join(NODES, 'node_modules', name, 'bin/node');

  t.test(`${name}: the build starts, \`slm watch\` outlives its restart, and both end cleanly`, async (t) => {
    t.testdir({});
    const gateway = await startGateway(t, node, '0');
    const url = `http://127.0.0.1:${gateway.port}/api/nl43`;
    const watch = start(t, node, [join(ROOT, 'dist/cli/start.cjs'), 'watch', '--json', '--url', url]);
    const [first] = await once(watch.out, 'line');
    t.match(JSON.parse(first), { event: 'hello' });
    t.equal(await stop(gateway), 0);
    // The first line says that the connection is lost, the second one that a try has failed.
    for (let tries = 0; tries < 2; tries += 1) t.match(await once(watch.err, 'line'), [/^The connection .* is lost/]);
    const [again] = await Promise.all([startGateway(t, node, gateway.port), once(watch.out, 'line')]);
    watch.child.kill('SIGINT');
    t.strictSame(await once(watch.child, 'exit'), [130, null]);
    t.equal(await stop(again), 0);
  });

  t.test(`${name}: the tests of the client and of \`slm\` pass`, async (t) => {
    const { child, out } = start(t, node, [FILES]);
    const passed: string[] = [];
    const failed: string[] = [];
    out.on('line', (line) => /^ *not ok/.test(line) && failed.push(line));
    out.on('line', (line) => passed.push(...(/^ok \d+ - (test\S+)/.exec(line)?.slice(1) ?? [])));
    const [code] = await once(child, 'close');
    t.strictSame([code, failed], [0, []]);
    t.equal(passed.length, COUNT, `passed: ${passed.join(', ')}`);
  });
}
