/** A process whose main thread stands still is ended by its own watchdog; one that says in time that it goes on is not. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';

const PLACE = JSON.stringify(new URL('../../lib/cluster/watchdog/index.ts', import.meta.url).href);
const BEGIN = `
import { startWatchdog } from ${PLACE};
const watchdog = startWatchdog({ error: console.error });
const inMs = (ms) => performance.now() + ms;
const standStill = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
`;
/** Where nobody ends it: so a test without a watchdog fails instead of waiting. */
const NEVER_MS = 20_000;

function run(t: Test, script: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', `${BEGIN}${script}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  return { said: text(child.stdout), complained: text(child.stderr), ended: once(child, 'exit') };
}

t.test('a main thread that is blocked: the process ends, and says why', async (t) => {
  const { complained, ended } = run(t, `watchdog.until(inMs(300)); standStill(${NEVER_MS});`);
  t.strictSame(await ended, [null, 'SIGKILL']);
  t.match(await complained, /^slm-gateway: the process stood still .* another instance can take over\n$/);
});

t.test('the process lives while each deadline is renewed in time, and when there is no lease', async (t) => {
  const { said, complained, ended } = run(
    t,
    `watchdog.until(inMs(2_500)); watchdog.until(inMs(${NEVER_MS})); standStill(3_000);
     watchdog.until(inMs(300)); watchdog.until(undefined); standStill(800);
     console.log('lived');`,
  );
  t.strictSame(await ended, [0, null], 'its thread keeps no process');
  t.equal(await said, 'lived\n');
  t.equal(await complained, '');
});

t.test('closed, it watches no more', async (t) => {
  const { said, ended } = run(
    t,
    `watchdog.until(inMs(300)); await watchdog.close();
     standStill(800); console.log('lived');`,
  );
  t.strictSame(await ended, [0, null]);
  t.equal(await said, 'lived\n');
});
