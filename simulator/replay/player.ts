/**
 * Answers from a transcript, byte for byte and in its time, with no idea of what the bytes mean. A message of the client is
 * looked up from the present place of the transcript on, and round to its beginning; what is not in it gets no answer.
 *
 * A client that is quicker than the recorded one: what was still to come is said at once. Only SUB ends a stream early: what
 * was still to come of that stream is left out.
 */
import { createServer, type Socket } from 'node:net';
import type { Clock } from '../contract.ts';
import { listening } from '../sockets.ts';
import type { Entry } from './transcript.ts';

interface ReplayOptions {
  readonly script: Script;
  readonly clock: Clock;
  readonly port: number;
  /** A message that the transcript does not have. */
  readonly unknown?: (message: Uint8Array) => void;
}

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
  return {
    port: await listening(server, options.port, '127.0.0.1'),
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

/** An act of the meter, with its time in ms after the message of the client (a greeting: after the connection). */
type Deed =
  | { readonly afterMs: number; readonly bytes: Uint8Array }
  | { readonly afterMs: number; readonly ends: 'end' | 'reset' };

/** A message of the client, and the acts of the meter after it. */
interface Exchange {
  readonly ask: Uint8Array;
  readonly deeds: readonly Deed[];
}

interface Script {
  /** One for every connection of the recording, at least one. `first` is the place of its first exchange. */
  readonly sessions: readonly { readonly greeting: readonly Deed[]; readonly first: number }[];
  readonly exchanges: readonly Exchange[];
}

const LF = 0x0a;

/** Puts the messages of a client together from whatever pieces they come in. */
class Messages {
  #rest: Uint8Array = new Uint8Array();

  take(bytes: Uint8Array): Uint8Array[] {
    let all = Buffer.concat([this.#rest, bytes]);
    const whole: Uint8Array[] = [];
    for (let end = endOf(all); end >= 0; end = endOf(all)) {
      whole.push(all.subarray(0, end + 1));
      all = all.subarray(end + 1);
    }
    this.#rest = all;
    return whole;
  }
}

const endOf = (bytes: Uint8Array) => bytes.findIndex((byte) => byte === LF || byte === SUB);

interface Draft {
  readonly ask: Uint8Array;
  readonly at: number | null;
  readonly deeds: Deed[];
}

export function readScript(entries: readonly Entry[]): Script {
  const exchanges: Draft[] = [];
  const sessions: { greeting: Deed[]; first: number }[] = [];
  let messages = new Messages();
  let since: { readonly at: number | null; readonly deeds: Deed[] } | null = null;
  const open = (at: number | null) => {
    const session = { greeting: [], first: exchanges.length };
    sessions.push(session);
    messages = new Messages();
    since = { at, deeds: session.greeting };
    return since;
  };
  for (const entry of entries) {
    if (entry.kind !== 'bytes' && entry.kind !== 'event') continue;
    if (entry.kind === 'event' && entry.what === 'connects') open(entry.at);
    else if (entry.side === 'meter') {
      const { at, deeds } = since ?? open(entry.at);
      const deed = deedOf(entry, at);
      if (deed) deeds.push(deed);
    } else if (entry.kind === 'bytes') {
      if (!since) open(entry.at);
      for (const ask of messages.take(entry.bytes)) {
        since = { at: entry.at, deeds: [] };
        exchanges.push({ ask, ...since });
      }
    }
  }
  if (sessions.length === 0) open(null);
  return { sessions, exchanges: exchanges.map(({ ask, deeds }) => ({ ask, deeds })) };
}

function deedOf(entry: Extract<Entry, { kind: 'bytes' | 'event' }>, since: number | null): Deed | null {
  const afterMs = entry.at === null || since === null ? 0 : Math.max(0, entry.at - since);
  if (entry.kind === 'bytes') return { afterMs, bytes: entry.bytes };
  if (entry.what === 'connects') return null;
  return { afterMs, ends: entry.what === 'ends' ? 'end' : 'reset' };
}
