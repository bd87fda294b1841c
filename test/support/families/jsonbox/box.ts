/** The box itself: a TCP server that measures without end, and keeps every byte that ever reached it, in any connection. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { Clock } from '../../../../lib/clock.ts';

export class Box {
  readonly host = '127.0.0.1';
  port = 0;
  received = '';
  connects = 0;
  /** Its answer in place of its values. */
  says: string | undefined;
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #began: number;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((socket) => this.#serve(socket));
  #lp = 61.2;
  /** Of the time before the level that it hears now, relative to 1 s of 0 dB. */
  #exposure = 0;
  #since: number;

  private constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock;
    this.#began = clock.elapsed() - 1_000;
    this.#since = this.#began;
  }

  static async open(clock: Pick<Clock, 'elapsed'>): Promise<Box> {
    const box = new Box(clock);
    box.#server.listen(0, box.host);
    await once(box.#server, 'listening');
    const address = box.#server.address();
    if (typeof address === 'object' && address) box.port = address.port;
    return box;
  }

  /** The level that it hears from now on, dB. */
  hear(lp: number): void {
    this.#exposure = this.#exposureNow;
    this.#since = this.#clock.elapsed();
    this.#lp = lp;
  }

  /** Different commands that came, each once. */
  get heard(): readonly string[] {
    return [...new Set(this.received.split('\n').filter((line) => line !== ''))];
  }

  get asked(): number {
    return this.received.split('\n').length - 1;
  }

  /** Ends the connections that there are. */
  hangUp(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.hangUp();
    this.#server.close();
    await once(this.#server, 'close');
  }

  get #exposureNow(): number {
    return this.#exposure + 10 ** (this.#lp / 10) * ((this.#clock.elapsed() - this.#since) / 1_000);
  }

  get #values(): object {
    const exposure = this.#exposureNow;
    const seconds = (this.#clock.elapsed() - this.#began) / 1_000;
    const db = (energy: number) => Math.round(100 * Math.log10(energy)) / 10;
    return { lp: this.#lp, leq: db(exposure / seconds), le: db(exposure), lmax: this.#lp + 4, over: false, runs: true };
  }

  #serve(socket: Socket): void {
    this.connects += 1;
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('data', (bytes) => {
      this.received += bytes.toString('latin1');
      if (bytes.includes('\n')) socket.write(`${this.says ?? JSON.stringify(this.#values)}\n`);
    });
  }
}
