/**
 * The cost of hostile peers: a webhook receiver that sends preliminary answers without an end, and a broker that floods the
 * gateway with confirmations or messages. CPU of the gateway for each, and the wait for `/livez` meanwhile. The peers have
 * their own process. Exits with 1 beyond a bound.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause, quantile } from './setting/index.ts';
import { BUILD, cpuSeconds, type Program, startProgram } from './setting/program.ts';

/** `cpuS`: for ten calls of the receiver, and for ten seconds beside the broker. `livezMs`: p99. */
const BOUND = { cpuS: 2, livezMs: 50 };
const TEN_S = 10_000;
const CONNACK = Buffer.from([0x20, 2, 0, 0]);
const FLOODS: Readonly<Record<string, { readonly piece: Buffer; readonly first?: Buffer }>> = {
  receiver: { piece: Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(2_000)) },
  confirmations: { first: CONNACK, piece: Buffer.concat(Array<Buffer>(16_000).fill(Buffer.from([0x40, 2, 0, 9]))) },
  messages: {
    first: CONNACK,
    piece: Buffer.concat(Array<Buffer>(8_000).fill(Buffer.from([0x30, 4, 0, 1, 0x61, 0x78]))),
  },
};

const [, , kind] = process.argv;
if (kind === undefined) await measure();
else flood(FLOODS[kind] ?? { piece: Buffer.alloc(1) });

/** Answers each connection with as much as it takes. */
function flood({ first, piece }: { readonly piece: Buffer; readonly first?: Buffer }): Server {
  const server = createServer((socket: Socket) => {
    const more = () => void (socket.destroyed || socket.write(piece));
    socket.on('error', () => {});
    socket.on('drain', more);
    socket.once('data', () => {
      if (first) socket.write(first);
      more();
    });
  });
  return server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${Object(server.address()).port}/`));
}

async function measure(): Promise<void> {
  for (const kind of Object.keys(FLOODS)) {
    const peer = await startProgram([import.meta.filename, kind]);
    const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
    const mqtt = kind === 'receiver' ? {} : { plugin_settings: { mqtt: { url: peer.base.replace('http', 'mqtt') } } };
    const config = join(folder, 'config.json');
    await writeFile(config, JSON.stringify({ outbound_allow_networks: ['127.0.0.0/8'], ...mqtt }));
    const places = ['--config', config, '--data-dir', join(folder, 'data'), '--key-file', join(folder, 'key')];
    const gateway = await startProgram([BUILD, '--port', '0', '--log-level', 'silent', ...places]);
    try {
      if (kind === 'receiver') await addTarget(gateway, peer.base);
      await pause(1_000);
      const found = await during(gateway, kind === 'receiver' ? () => test(gateway) : () => pause(TEN_S));
      if (found.cpuS > BOUND.cpuS || found.p99 > BOUND.livezMs) process.exitCode = 1;
      console.log(
        `${kind.padEnd(14)} ${found.cpuS.toFixed(2)} s of CPU within ${found.seconds.toFixed(1)} s (at most ${BOUND.cpuS}); /livez ${found.p99.toFixed(0)} ms (p99, at most ${BOUND.livezMs}), ${found.most.toFixed(0)} ms at most`,
      );
    } finally {
      await Promise.all([gateway.stop(), peer.stop()]);
      await rm(folder, { recursive: true, force: true });
    }
  }
}

async function addTarget({ base }: Program, url: string): Promise<void> {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const body = JSON.stringify({ name: 'Hostile', kind: 'webhook', url, secret });
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(`${base}/_alerts/targets`, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(await answer.text());
}

async function test({ base }: Program): Promise<void> {
  for (let call = 0; call < 10; call++) {
    const answer = await fetch(`${base}/_alerts/targets/1/test`, { method: 'POST' });
    const said = await answer.text();
    if (!said.includes('preliminary')) throw new Error(said);
  }
}

async function during(gateway: Program, work: () => Promise<void>) {
  const waits: number[] = [];
  let over = false;
  const [before, began] = [cpuSeconds(gateway.pid), performance.now()];
  const watching = (async () => {
    while (!over) {
      const asked = performance.now();
      await (await fetch(new URL('/livez', gateway.base))).arrayBuffer();
      waits.push(performance.now() - asked);
      await pause(20);
    }
  })();
  await work();
  over = true;
  await watching;
  const [p99 = 0, most = 0] = [0.99, 1].map((part) => quantile(waits, part));
  return { cpuS: cpuSeconds(gateway.pid) - before, seconds: (performance.now() - began) / 1_000, p99, most };
}
