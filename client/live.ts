/**
 * WS /_live as something to loop over. It reconnects by itself, with growing pauses, until the loop is left or the signal aborts;
 * `connection` is called at each change. A new connection begins with a `hello` that has the present status, so no further request
 * is needed.
 *
 * At most 10,000 messages wait for a slow loop. Then the oldest frame or reading is left out, and `missed` of the next message
 * counts it. If only messages wait that must not be lost, the connection is closed: the loop gets them, and then a new connection.
 */
import type { LiveEvent } from './types.ts';

/** Events that a client can listen to. */
export type EventName = 'reading' | 'frame' | 'state' | 'setting' | 'reachability' | 'config' | 'alert' | 'job';

/** Choice of events and meters. */
export interface LiveOptions {
  /** Default: all units that the key may see. Frames come only for named units. */
  readonly units?: readonly string[];
  /** Default: all but `frame`. */
  readonly events?: readonly EventName[];
  /** Most frames of one meter in a second, 1 to 10. */
  readonly hz?: number;
  readonly signal?: AbortSignal;
  /** `lost` with the seconds until the next try. */
  readonly connection?: (state: 'open' | 'lost', retryInS: number) => void;
}

/** Pauses between two tries, ms: doubled each time, and a little by chance, so that many pages do not come at once. */
const FIRST_MS = 500;
const LONGEST_MS = 15_000;
/** As many as the gateway keeps for a client that is slow. */
const MOST_WAITING = 10_000;
/** The gateway pings every 25 s, which a page does not see; a socket without messages is only looked at by its readyState. */
const OPEN_LIMIT_MS = 10_000;

/** `address` is asked before each try, with how many tries there were before it since the last open connection. */
export async function* liveEvents(
  address: (tries: number) => Promise<URL>,
  options: LiveOptions = {},
): AsyncGenerator<LiveEvent, void> {
  const { signal, connection } = options;
  let pause = FIRST_MS;
  let tries = 0;
  while (!signal?.aborted) {
    const inbox = new Inbox(signal);
    try {
      const url = await address(tries++);
      for (const [name, value] of Object.entries(queryOf(options))) url.searchParams.set(name, value);
      const close = connect(url, inbox);
      try {
        for await (const event of inbox) {
          if (event.event === 'hello') connection?.('open', 0);
          pause = FIRST_MS;
          tries = 0;
          yield event;
        }
      } finally {
        close();
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (isFinal(error)) throw error;
    }
    if (signal?.aborted) return;
    const wait = pause * (0.75 + Math.random() / 2);
    connection?.('lost', Math.ceil(wait / 1_000));
    await rest(wait, signal);
    pause = Math.min(pause * 2, LONGEST_MS);
  }
}

/** If the key is refused, trying again would not help. */
const isFinal = (error: unknown): boolean =>
  error instanceof Error && 'status' in error && (error.status === 401 || error.status === 403);

const queryOf = ({ units, events, hz }: LiveOptions): Record<string, string> => ({
  ...(units && { units: units.join(',') }),
  ...(events && { events: events.join(',') }),
  ...(hz !== undefined && { hz: String(hz) }),
});

function connect(url: URL, inbox: Inbox): () => void {
  const socket = new WebSocket(url);
  const end = () => {
    clearTimeout(late);
    // While it is not open, `close` of Node 22 calls `onerror` at once.
    socket.onerror = null;
    socket.close();
    inbox.end();
  };
  const late = setTimeout(end, OPEN_LIMIT_MS);
  socket.onopen = () => clearTimeout(late);
  socket.onmessage = ({ data }) => {
    if (!inbox.put(JSON.parse(String(data)) as LiveEvent)) socket.close();
  };
  socket.onclose = end;
  // Node 22 tells a handshake that failed by `error` alone: no `close` follows.
  socket.onerror = end;
  return () => {
    socket.onmessage = null;
    end();
  };
}

/** Events that have arrived and were not taken yet. */
class Inbox implements AsyncIterable<LiveEvent> {
  readonly #events: LiveEvent[] = [];
  readonly #signal: AbortSignal | undefined;
  #ended = false;
  #wake = () => {};

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  /** False if too many messages wait that must not be lost. */
  put(event: LiveEvent): boolean {
    this.#events.push(event);
    this.#wake();
    return this.#events.length <= MOST_WAITING || this.#leaveOutOldest();
  }

  #leaveOutOldest(): boolean {
    const at = this.#events.findIndex(({ event }) => event === 'reading' || event === 'frame');
    const [left, next] = [this.#events[at], this.#events[at + 1]];
    if (!left || !next) return false;
    this.#events.splice(at, 2, { ...next, missed: next.missed + left.missed + 1 });
    return true;
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<LiveEvent, void> {
    const stop = () => this.end();
    this.#signal?.addEventListener('abort', stop, { once: true });
    try {
      while (!this.#signal?.aborted) {
        const event = this.#events.shift();
        if (event) yield event;
        else if (this.#ended) return;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.#signal?.removeEventListener('abort', stop);
    }
  }
}

function rest(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });
}
