/**
 * The delay of a frame of a meter at 1,000 viewers, from its socket to theirs. Measured with and without two more viewers
 * that read nothing. The meter, the gateway and the viewers are a process each. Both kinds of windows alternate after a
 * window to warm up. Exits with 1 when the p99 of either is beyond the bound. `node bench/viewers.ts [viewers]`, about two
 * minutes.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '../lib/app/gateway.ts';
import { createLog } from '../lib/log.ts';
import { deviceConfig } from '../test/support/config.ts';
import { pause, quantile } from './setting/index.ts';
import { frameText, reply, SUB } from './setting/plain-meter.ts';

const FRAME_MS = 100;
const WINDOW_MS = 10_000;
const ROUNDS = 3;
const SLOW = 2;
/** So much text is more than the system holds for one that reads nothing. */
const FILL_FRAMES = 20_000;
const FRAMES_AT_ONCE = 20;
const PATIENCE_MS = 10_000;
const BOUND_MS = 20;

const [, , role = '1000', given = ''] = process.argv;
if (role === 'gateway') await gateway(Number(given));
else if (role === 'viewers') viewers(given);
else await compare(Number(role));

/** The same clock in all processes, ms. */
function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** A meter that streams on DRD, and when it sent the frame of each counter. */
async function startMeter() {
  const sent = new Map<number, number>();
  let stream: Socket | undefined;
  let counter = 0;
  const send = (frames: number) => {
    let text = '';
    for (let frame = 0; frame < frames; frame++) {
      counter = (counter % 600) + 1;
      text += frameText(counter);
      sent.set(counter, now());
    }
    stream?.write(text);
  };
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      const text = String(chunk);
      if (text.includes(SUB)) {
        stream = undefined;
        socket.write('$');
      }
      for (const command of text.replaceAll(SUB, '').split('\r\n').slice(0, -1)) {
        const isStream = command.startsWith('DRD');
        socket.write(isStream ? 'R+0000\r\n' : reply(command, performance.now()));
        if (isStream) stream = socket;
      }
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const timer = setInterval(() => send(1), FRAME_MS);
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    sent,
    async fill() {
      for (let frames = 0; frames < FILL_FRAMES; frames += FRAMES_AT_ONCE) {
        send(FRAMES_AT_ONCE);
        await pause(2);
      }
    },
    stop: () => clearInterval(timer),
  };
}

async function gateway(tcpPort: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
  const most = 11_000;
  const running = await startGateway(
    {
      port: 0,
      data_dir: join(folder, 'data'),
      key_file: join(folder, 'key'),
      allow_loopback_meters: true,
      connection_limit: most,
      connections_per_address: most,
      ws_dead_ms: 3_600_000,
      plugins: ['live'],
      plugin_settings: { live: { streams: most, streams_per_unit: 10_000, patience_ms: 600_000 } },
    },
    { log: createLog('error') },
  );
  await running.store.configs.change('roof', () => deviceConfig({ unitId: 'roof', host: '127.0.0.1', tcpPort }));
  process.on(
    'message',
    () => void running.stop().then(() => rm(folder, { recursive: true }).then(() => process.exit())),
  );
  process.send?.(running.baseUrl);
}

/** On `open` or `slow` it opens viewers that read or do not read; on `end` it sends the counter and time of each frame that came. */
function viewers(base: string): void {
  const { hostname, port, pathname } = new URL(base);
  const counters: number[] = [];
  const times: number[] = [];
  const asleep: Socket[] = [];
  const open = async (reads: boolean) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.write(
      `GET ${pathname}/roof/live HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
    );
    const [head] = await once(socket, 'data');
    if (!String(head).startsWith('HTTP/1.1 101')) throw new Error(`no WebSocket: ${head}`);
    if (!reads) return void asleep.push(socket.pause());
    socket.on('data', (chunk) => {
      const time = now();
      for (const [, counter] of chunk.toString('latin1').matchAll(/"counter":(\d+)/g)) {
        counters.push(Number(counter));
        times.push(time);
      }
    });
  };
  process.on('message', async ({ word, count = 0 }: { word: string; count?: number }) => {
    if (word === 'begin') counters.length = times.length = 0;
    if (word === 'open' || word === 'slow') for (let each = 0; each < count; each++) await open(word === 'open');
    if (word === 'end')
      return void process.send?.({ counters, times, missed: await missed(asleep) }, () => process.exit());
    process.send?.(word);
  });
}

/** Frames that each viewer has missed, as the gateway reports when there is room again. 0: none reported. */
function missed(asleep: readonly Socket[]): Promise<number[]> {
  const told = (socket: Socket) => {
    const first = Promise.withResolvers<number>();
    socket.on('data', (chunk) => {
      const count = /"missed":([1-9]\d*)/.exec(chunk.toString('latin1'))?.[1];
      if (count !== undefined) first.resolve(Number(count));
    });
    // Listening does not wake one that was paused.
    socket.resume();
    return Promise.race([first.promise, pause(PATIENCE_MS).then(() => 0)]);
  };
  return Promise.all(asleep.map(told));
}

async function started(word: string, value: string | number): Promise<{ child: ChildProcess; said: string }> {
  const child = fork(import.meta.filename, [word, String(value)], { execArgv: ['--max-semi-space-size=4'] });
  return { child, said: word === 'gateway' ? String((await once(child, 'message'))[0]) : '' };
}

async function ask(child: ChildProcess, word: string, count?: number) {
  const answer = once(child, 'message');
  child.send({ word, count });
  return (await answer)[0];
}

type Meter = Awaited<ReturnType<typeof startMeter>>;

/** How late each frame was at each viewer, ms. */
async function window(meter: Meter, base: string, count: number, slow: number): Promise<number[]> {
  const { child } = await started('viewers', base);
  await ask(child, 'slow', slow);
  if (slow > 0) await meter.fill();
  await ask(child, 'open', count);
  await pause(1_000);
  meter.sent.clear();
  await ask(child, 'begin');
  await pause(WINDOW_MS);
  const { counters, times, missed } = await ask(child, 'end');
  if (missed.includes(0)) throw new Error(`a viewer that reads nothing missed nothing: ${missed}`);
  return (counters as number[]).flatMap((counter, index) => {
    const sent = meter.sent.get(counter);
    return sent === undefined ? [] : [times[index] - sent];
  });
}

async function compare(count: number): Promise<void> {
  const meter = await startMeter();
  const own = await started('gateway', meter.port);
  const found: Record<number, number[]> = { 0: [], [SLOW]: [] };
  await window(meter, own.said, count, 0);
  for (let round = 0; round < ROUNDS; round++) {
    for (const slow of [0, SLOW]) {
      const late = await window(meter, own.said, count, slow);
      const [middle = Number.NaN, most = Number.NaN, worst = Number.NaN] = [0.5, 0.99, 1].map((part) =>
        quantile(late, part),
      );
      found[slow]?.push(most);
      console.log(
        `${count} viewers and ${slow} that read nothing: late by ${middle.toFixed(1)} ms (p50), ${most.toFixed(1)} ms (p99), ${worst.toFixed(1)} ms (worst) of ${late.length} frames`,
      );
    }
  }
  own.child.send('stop');
  meter.stop();
  const p99 = [0, SLOW].map((slow) => quantile(found[slow] ?? [], 0.5));
  console.log(
    `p99, middle of ${ROUNDS} windows: ${p99[0]?.toFixed(1)} ms without, ${p99[1]?.toFixed(1)} ms with (bound ${BOUND_MS})`,
  );
  process.exit(p99.every((late) => late <= BOUND_MS) ? 0 : 1);
}
