/**
 * A meter that serves one connection, and a computer that loses its power while that connection is open. Both are in network
 * namespaces. The next process is served from the kept local port, and without it never. Needs the rights to make namespaces
 * (Linux, root).
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import t from 'tap';

const [METER, CLIENT] = [`slm-m-${process.pid}`, `slm-c-${process.pid}`];
const [METER_IP, CLIENT_IP] = ['192.0.2.2', '192.0.2.1'];
const PORT = 2255;
const NEVER_MS = 6_000;

const ip = (...words: string[]) => spawnSync('ip', words).status === 0;

/** A new line between both, and on the client's side a new computer. */
function connectComputers(client: string): void {
  const [at, there] = [`c${process.pid}`, `m${process.pid}`];
  ip('netns', 'add', client);
  ip('link', 'add', at, 'netns', client, 'type', 'veth', 'peer', 'name', there, 'netns', METER);
  ip('-n', client, 'addr', 'add', `${CLIENT_IP}/24`, 'dev', at);
  ip('-n', METER, 'addr', 'add', `${METER_IP}/24`, 'dev', there);
  ip('-n', client, 'link', 'set', at, 'up');
  ip('-n', METER, 'link', 'set', there, 'up');
}

/** Runs a script in a namespace; its lines as they come. */
function run(namespace: string, script: string) {
  const child = spawn('ip', ['netns', 'exec', namespace, process.execPath, '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}

const meterScript = `
import { startMeter } from ${JSON.stringify(new URL('../../simulator/index.ts', import.meta.url).href)};
const meter = await startMeter({ host: '${METER_IP}', tcpPort: ${PORT} });
meter.faults.on('half-open');
console.log('ready');
`;

const clientScript = (folder: string) => `
import { OpenPlaces } from ${JSON.stringify(new URL('../../lib/transport/open-places.ts', import.meta.url).href)};
import { tcpTransport } from ${JSON.stringify(new URL('../../lib/transport/tcp.ts', import.meta.url).href)};
const places = new OpenPlaces(${JSON.stringify(folder)});
const from = performance.now();
const stream = await tcpTransport({ places }).dial({ host: '${METER_IP}', port: ${PORT} }, AbortSignal.timeout(${NEVER_MS}));
stream.receive(async () => { await places.settled(); console.log(Math.round(performance.now() - from)); });
stream.send(Buffer.from('Type?\\r\\n'));
setTimeout(() => console.log('never'), ${NEVER_MS});
`;

const canMake = process.platform === 'linux' && ip('netns', 'add', METER);
const skip = canMake ? false : 'This computer does not let this user make network namespaces.';

t.test('after a power loss the kept local port is served at once, another one never', { skip }, async (t) => {
  const children: ReturnType<typeof run>[] = [];
  const started = (namespace: string, script: string) => {
    const one = run(namespace, script);
    children.push(one);
    return one;
  };
  t.teardown(() => {
    for (const { child } of children) child.kill('SIGKILL');
    for (const name of [METER, CLIENT, `${CLIENT}-2`]) ip('netns', 'del', name);
  });
  const [kept, empty] = [t.testdir(), 'kept', 'empty'].slice(1).map((name) => `${t.testdirName}/${name}`);
  for (const folder of [kept, empty]) mkdirSync(folder ?? '', { recursive: true });
  connectComputers(CLIENT);
  const meter = started(METER, meterScript);
  t.equal((await meter.lines.next()).value, 'ready');
  const first = started(CLIENT, clientScript(kept ?? ''));
  t.match((await first.lines.next()).value, /^\d+$/, 'the first connection is served');
  // The line is gone before the process is: nobody tells the meter.
  ip('-n', METER, 'link', 'del', `m${process.pid}`);
  first.child.kill('SIGKILL');
  connectComputers(`${CLIENT}-2`);
  const without = started(`${CLIENT}-2`, clientScript(empty ?? ''));
  t.equal((await without.lines.next()).value, 'never', 'from another port nobody is served');
  without.child.kill('SIGKILL');
  const again = started(`${CLIENT}-2`, clientScript(kept ?? ''));
  const ms = Number((await again.lines.next()).value);
  t.ok(ms < 5_000, `served after ${ms} ms`);
  t.comment(`served after ${ms} ms`);
});
