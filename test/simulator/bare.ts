/** A bare connection to a meter: what came, and how it ended. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Longest wait, ms: one that went on behind the end of its test would keep its process for ever. */
const EVENTUALLY_MS = 60_000;

export async function eventually(holds: () => boolean): Promise<void> {
  const late = performance.now() + EVENTUALLY_MS;
  while (!holds()) {
    if (performance.now() > late) throw new Error(`within a minute this did not hold: ${holds}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export class Bare {
  readonly socket: Socket;
  heard = '';
  ended: 'open' | 'half' | 'closed' | 'reset' = 'open';

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      this.heard += text;
    });
    socket.on('end', () => {
      this.ended = 'half';
    });
    socket.on('error', () => {
      this.ended = 'reset';
    });
    socket.on('close', () => {
      if (this.ended !== 'reset') this.ended = 'closed';
    });
  }

  static async open(port: number): Promise<Bare> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    const bare = new Bare(socket);
    await once(socket, 'connect').catch((error: NodeJS.ErrnoException) => {
      // A reset may be there before anybody looked; then it was a connection all the same.
      if (error.code !== 'ECONNRESET') throw error;
    });
    return bare;
  }

  get isOver(): boolean {
    return this.ended === 'closed' || this.ended === 'reset';
  }

  type(text: string): void {
    this.socket.write(text, 'latin1');
  }

  async take(end: string): Promise<string> {
    await eventually(() => this.heard.endsWith(end) || this.isOver);
    const text = this.heard;
    this.heard = '';
    return text;
  }
}
