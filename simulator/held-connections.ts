/**
 * Connections that are accepted and not served. Most of them wait in vain (field log). A connection can come while the place
 * still belongs to a connection that its client has ended. Such a connection is served when the place is free.
 */
import type { Socket } from 'node:net';

/** A client that is not served may type this much before it is cut off. */
const HELD_BYTES = 4_096;

/** A connection that waits, with what it has sent. */
export interface HeldConnection {
  readonly socket: Socket;
  readonly connection: number;
  /** Input that came while it waited. */
  readonly typed: readonly Uint8Array[];
  /** Its client has ended its side, and reads on. */
  readonly ended: boolean;
}

/** In the order of their coming. */
export class HeldConnections {
  #waiting: Waiting[] = [];

  /** `next`: it is served when the place is free. */
  add(socket: Socket, connection: number, next: boolean): void {
    const one = new Waiting(socket, connection, next, () => {
      this.#waiting = this.#waiting.filter((other) => other !== one);
    });
    this.#waiting.push(one);
  }

  /** The place is free: who gets it. The others have waited in vain, unless `everybody` is served in turn. */
  take(everybody: boolean): HeldConnection | undefined {
    const taken = this.#waiting.find(({ next }) => next || everybody);
    if (!taken) return undefined;
    taken.release();
    this.#waiting = this.#waiting.filter((other) => other !== taken);
    for (const other of this.#waiting) other.forget();
    return taken;
  }
}

class Waiting implements HeldConnection {
  readonly socket: Socket;
  readonly connection: number;
  readonly typed: Uint8Array[] = [];
  next: boolean;
  ended = false;
  readonly #gone: () => void;
  #size = 0;

  constructor(socket: Socket, connection: number, next: boolean, gone: () => void) {
    this.socket = socket;
    this.connection = connection;
    this.next = next;
    this.#gone = gone;
    socket.on('data', this.#heard);
    socket.once('end', this.#clientEnded);
    socket.once('close', gone);
  }

  /** Somebody else listens to the socket from now on. */
  release(): void {
    this.socket.off('data', this.#heard);
    this.socket.off('end', this.#clientEnded);
    this.socket.off('close', this.#gone);
  }

  /** It is no longer served. */
  forget(): void {
    this.next = false;
    if (this.ended) this.socket.destroy();
  }

  #heard = (bytes: Buffer) => {
    this.#size += bytes.length;
    if (this.#size > HELD_BYTES) this.socket.destroy();
    else this.typed.push(bytes);
  };

  /** A client that has asked nothing has left. */
  #clientEnded = () => {
    this.ended = true;
    if (!this.next || this.#size === 0) this.socket.destroy();
  };
}
