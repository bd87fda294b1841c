/**
 * The cost of a thousand meters in one process, as ratios to a thousand bare TCP servers that echo. Both are started and
 * asked in the same run, so the figures mean the same on any computer. Exits with 1 when a ratio is beyond its bound.
 * `node bench/fleet.ts [meters]`
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { startFleet, stopFleet } from '../simulator/fleet.ts';
import { held } from './setting/held.ts';

const HOST = '127.0.0.1';
const METERS = Number(process.argv[2] ?? 1_000);

/** Connections opened together: each needs two descriptors in this process. */
const TOGETHER = 50;

interface Crowd {
  readonly ports: readonly number[];
  stop(): Promise<void>;
}

interface Cost {
  readonly startMs: number;
  readonly bytes: number;
  readonly exchangeMs: number;
}

async function cost(open: () => Promise<Crowd>, question: string, meanwhile = () => {}): Promise<Cost> {
  const before = await held();
  const began = performance.now();
  const crowd = await open();
  const startMs = performance.now() - began;
  meanwhile();
  const exchangeMs = await askAll(crowd.ports, question);
  const bytes = (await held()) - before;
  await crowd.stop();
  return { startMs, bytes, exchangeMs };
}

/** One connection and one exchange with each, ms for all. */
async function askAll(ports: readonly number[], question: string): Promise<number> {
  const began = performance.now();
  for (let first = 0; first < ports.length; first += TOGETHER) {
    await Promise.all(ports.slice(first, first + TOGETHER).map((port) => ask(port, question)));
  }
  return performance.now() - began;
}

async function ask(port: number, question: string): Promise<void> {
  const socket = connect({ port, host: HOST, noDelay: true });
  await once(socket, 'connect');
  socket.write(question);
  for await (const chunk of socket) {
    if (String(chunk).endsWith('$')) break;
  }
  socket.destroy();
}

async function echoServers(): Promise<Crowd> {
  const sockets = new Set<Socket>();
  const servers = await Promise.all(
    Array.from({ length: METERS }, async () => {
      const server = createServer({ noDelay: true }, (socket) => {
        sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => sockets.delete(socket));
        socket.pipe(socket);
      });
      server.listen(0, HOST);
      await once(server, 'listening');
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  const close = async (server: Server) => {
    server.close();
    await once(server, 'close');
  };
  return {
    ports,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map(close));
    },
  };
}

/** All of them measure, on the default sound model of a fleet. */
async function meters(): Promise<Crowd> {
  const fleet = await startFleet({ meters: METERS, profile: 'instant' });
  for (const { meter } of fleet) meter.set('Measure', 'Start');
  return { ports: fleet.map(({ meter }) => meter.tcpPort), stop: () => stopFleet(fleet) };
}

// Once each for nothing, so that neither pays for loading and compiling.
const one = await startFleet({ meters: 1, profile: 'instant' });
await askAll(
  one.map(({ meter }) => meter.tcpPort),
  'DOD?\r\n',
);
await stopFleet(one);
await cost(echoServers, 'DOD?$');

const bare = await cost(echoServers, 'DOD?$');
const whole = await cost(meters, 'DOD?\r\n');

const kb = (bytes: number) => `${(bytes / METERS / 1_024).toFixed(1)} KB`;
const ms = (value: number) => `${(value / METERS).toFixed(2)} ms`;
const rows: readonly (readonly [string, string, string, number, number])[] = [
  ['memory of each', kb(bare.bytes), kb(whole.bytes), whole.bytes / bare.bytes, 120],
  ['start of each', ms(bare.startMs), ms(whole.startMs), whole.startMs / bare.startMs, 60],
  ['an exchange with each', ms(bare.exchangeMs), ms(whole.exchangeMs), whole.exchangeMs / bare.exchangeMs, 5],
];
console.log(`${METERS} echo servers, ${METERS} meters that measure`);
for (const [name, before, after, ratio, bound] of rows) {
  const beyond = ratio > bound;
  if (beyond) process.exitCode = 1;
  console.log(`${name}: ${before}, ${after}: ${ratio.toFixed(1)} times${beyond ? `, beyond ${bound}` : ''}`);
}
