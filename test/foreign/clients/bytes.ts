/** A bare TCP connection as small tools use it: bytes out, text in, no idea of the protocol. */
import { connect, type Socket } from 'node:net';

export class Bytes {
  readonly #socket: Socket;
  #arrived = () => {};
  #closed = false;
  /** Bytes that have come and were not taken yet. */
  text = '';
  /** Settles when the connection is closed on both sides. */
  readonly over: Promise<void>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.over = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.setEncoding('latin1');
    socket.on('error', () => {});
    socket.on('data', (piece: string) => {
      this.text += piece;
      this.#arrived();
    });
    socket.on('close', () => {
      this.#closed = true;
      this.#arrived();
    });
  }

  static open(port: number): Promise<Bytes> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.removeListener('error', reject);
        resolve(new Bytes(socket));
      });
    });
  }

  get localPort(): number {
    return this.#socket.localPort ?? 0;
  }

  write(text: string): void {
    this.#socket.write(text, 'latin1');
  }

  /** Waits for text that matches, and takes everything up to its end. Empty when the connection ends before. */
  async until(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(this.text);
      if (found) {
        const end = found.index + found[0].length;
        const taken = this.text.slice(0, end);
        this.text = this.text.slice(end);
        return taken;
      }
      if (this.#closed) return '';
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
    }
  }

  /** Reads nothing from now on. */
  stopReading(): void {
    this.#socket.pause();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Closes the own side: resolves when the end was sent. */
  end(): Promise<void> {
    return new Promise((resolve) => this.#socket.end(resolve));
  }
}
