/**
 * Answers from a transcript, byte for byte and in its time, with no idea of what the bytes mean. A message of the client is
 * looked up from the present place of the transcript on, and round to its beginning; what is not in it gets no answer.
 *
 * A client that is quicker than the recorded one: what was still to come is said at once. Only SUB ends a stream early: what
 * was still to come of that stream is left out.
 */
import { createServer, type Socket } from 'node:net';
import type { Clock } from '../contract.ts';
import { type Deed, Messages, type Script } from './script.ts';

interface ReplayOptions {
  readonly script: Script;
  readonly clock: Clock;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** A message that the transcript does not have. */
  readonly unknown?: (message: Uint8Array) => void;
}

/** A port that plays until it is closed. */
interface Replay {
  readonly port: number;
  close(): Promise<void>;
}

/** The nth connection begins with the nth session of the recording. Rejects where the port is taken. */
export async function startReplay(options: ReplayOptions): Promise<Replay> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    new Player(socket, options, connections++);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host ?? '127.0.0.1', () => resolve());
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : options.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

const SUB = 0x1a;

class Player {
  readonly #socket: Socket;
  readonly #options: ReplayOptions;
  readonly #messages = new Messages();
  #place: number;
  #pending: readonly Deed[] = [];
  #since = 0;
  #cancel = () => {};

  constructor(socket: Socket, options: ReplayOptions, connection: number) {
    this.#socket = socket;
    this.#options = options;
    const { sessions } = options.script;
    const session = sessions[connection % sessions.length];
    this.#place = session?.first ?? 0;
    socket.on('data', (bytes: Buffer) => {
      for (const message of this.#messages.take(bytes)) this.#answer(message);
    });
    socket.once('close', () => this.#cancel());
    this.#play(session?.greeting ?? []);
  }

  #answer(message: Uint8Array): void {
    if (message[0] === SUB) this.#pending = [];
    else this.#flush();
    const deeds = this.#find(message);
    if (deeds) this.#play(deeds);
    else this.#options.unknown?.(message);
  }

  #find(message: Uint8Array): readonly Deed[] | null {
    const { exchanges } = this.#options.script;
    for (let step = 0; step < exchanges.length; step++) {
      const place = (this.#place + step) % exchanges.length;
      const exchange = exchanges[place];
      if (!exchange || Buffer.compare(exchange.ask, message) !== 0) continue;
      this.#place = place + 1;
      return exchange.deeds;
    }
    return null;
  }

  #play(deeds: readonly Deed[]): void {
    this.#pending = deeds;
    this.#since = this.#options.clock.elapsed();
    this.#work();
  }

  #work(): void {
    const { clock } = this.#options;
    this.#cancel();
    const gone = clock.elapsed() - this.#since;
    for (let deed = this.#pending[0]; deed && deed.afterMs <= gone; deed = this.#pending[0]) this.#next(deed);
    const [next] = this.#pending;
    if (next) this.#cancel = clock.after(next.afterMs - gone, () => this.#work());
  }

  #flush(): void {
    this.#cancel();
    for (let deed = this.#pending[0]; deed; deed = this.#pending[0]) this.#next(deed);
  }

  #next(deed: Deed): void {
    this.#pending = this.#pending.slice(1);
    if (!this.#socket.writable) return;
    if ('bytes' in deed) this.#socket.write(deed.bytes);
    else if (deed.ends === 'end') this.#socket.end();
    else this.#socket.resetAndDestroy();
  }
}
