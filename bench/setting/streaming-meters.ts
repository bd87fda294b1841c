/** Meters of a few lines on loopback. They send a frame each 100 ms, or less often, and know when they sent it. */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { frameText, reply, SUB } from './plain-meter.ts';

/**
 * Meters send in so many groups, one after the other. Frames that come at once cost less: with ten groups the figures of one
 * instance differed by half.
 */
const GROUPS = 100;

export interface StreamingMeter {
  readonly port: number;
  /** Of the connection that streams; undefined: none does. */
  readonly far: number | undefined;
  /** When the frame of each counter was sent last, on performance.now(). */
  readonly sentAt: ReadonlyMap<number, number>;
  /** Frames so far. */
  readonly sent: number;
}

class Meter implements StreamingMeter {
  readonly server: Server;
  readonly sentAt = new Map<number, number>();
  port = 0;
  sent = 0;
  #stream: Socket | undefined;
  /** Frames before the present request: the counter begins at 1 with each request. */
  #before = 0;
  #tail = '';
  readonly #serial: string;
  readonly #step: number;

  /** @param step Of the counter, from a frame to the next. */
  constructor(serial: string, step: number) {
    this.#serial = serial;
    this.#step = step;
    this.server = createServer({ noDelay: true }, (socket) => this.#serve(socket));
  }

  get far(): number | undefined {
    return this.#stream?.remotePort;
  }

  frame(): void {
    if (!this.#stream) return;
    const counter = (((this.sent - this.#before) * this.#step) % 600) + 1;
    this.sent += 1;
    this.sentAt.set(counter, performance.now());
    this.#stream.write(frameText(counter, this.#tail));
  }

  #serve(socket: Socket): void {
    socket.on('error', () => {});
    socket.on('close', () => {
      if (this.#stream === socket) this.#stream = undefined;
    });
    socket.on('data', (chunk) => {
      const text = String(chunk);
      if (text.includes(SUB)) {
        this.#stream = undefined;
        socket.write('$');
      }
      for (const command of text.replaceAll(SUB, '').split('\r\n').slice(0, -1)) this.#answer(socket, command);
    });
  }

  #answer(socket: Socket, command: string): void {
    if (command.startsWith('DRD')) {
      socket.write('R+0000\r\n');
      this.#tail = command.endsWith('status') ? ',2025/12/24 02:00:00,E,F,15218,M' : '';
      this.#before = this.sent;
      this.#stream = socket;
    } else if (command === 'Serial Number?') socket.write(`R+0000\r\n${this.#serial}\r\n$`);
    else socket.write(reply(command, performance.now()));
  }
}

/** They listen until `stop`. A frame comes each `frameMs`, a multiple of 100; its counter goes on as if those between were lost. */
export async function streamingMeters(
  count: number,
  frameMs = 100,
): Promise<{ readonly meters: readonly StreamingMeter[]; stop(): void }> {
  const meters = Array.from(
    { length: count },
    (_, index) => new Meter(String(100_000 + index).padStart(8, '0'), frameMs / 100),
  );
  for (const meter of meters) {
    await once(meter.server.listen(0, '127.0.0.1'), 'listening');
    const address = meter.server.address();
    meter.port = typeof address === 'object' && address ? address.port : 0;
  }
  let turn = 0;
  const began = performance.now();
  // A timer is late; the next one makes up for it.
  const timer = setInterval(() => {
    for (; began + (turn * frameMs) / GROUPS <= performance.now(); turn += 1) {
      for (let index = turn % GROUPS; index < count; index += GROUPS) meters[index]?.frame();
    }
  }, frameMs / GROUPS);
  const stop = () => {
    clearInterval(timer);
    for (const { server } of meters) server.close();
  };
  return { meters, stop };
}
