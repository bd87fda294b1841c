/** A message to publish at the broker. */
export interface Message {
  readonly topic: string;
  readonly payload: string;
  /** Whether the broker keeps it for later subscribers. */
  readonly retain: boolean;
}

const MOST_BYTES = 32_000_000;
/** No message of the gateway is nearly as large. */
const MOST_BYTES_EACH = 64_000;

/**
 * Messages on their way to the broker, in order. A message stays until the broker has confirmed it; after a broken
 * connection, unconfirmed messages are sent again. If there are too many, the oldest are lost, and counted.
 */
export class OutgoingQueue {
  readonly #most: number;
  readonly #messages = new Map<number, Message>();
  #next = 0;
  #send = 0;
  #bytes = 0;
  #lost = 0;

  /** Keeps at most `most` messages, and at most 32 MB. */
  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#messages.size;
  }

  get lost(): number {
    return this.#lost;
  }

  add(message: Message): void {
    const bytes = sizeOf(message);
    if (bytes > MOST_BYTES_EACH) {
      this.#lost += 1;
      return;
    }
    this.#messages.set(this.#next++, message);
    this.#bytes += bytes;
    for (const [number] of this.#messages) {
      if (this.#messages.size <= this.#most && this.#bytes <= MOST_BYTES) return;
      this.#remove(number);
      this.#lost += 1;
    }
  }

  /** The next message to send, with its number for the confirmation; undefined: all are sent. */
  take(): { readonly number: number; readonly message: Message } | undefined {
    while (this.#send < this.#next) {
      const number = this.#send++;
      const message = this.#messages.get(number);
      if (message) return { number, message };
    }
    return undefined;
  }

  confirm(number: number): void {
    this.#remove(number);
  }

  /** The connection is gone: unconfirmed messages are sent again, in the same order. */
  rewind(): void {
    const [oldest = this.#next] = this.#messages.keys();
    this.#send = oldest;
  }

  #remove(number: number): void {
    const message = this.#messages.get(number);
    if (!message || !this.#messages.delete(number)) return;
    this.#bytes -= sizeOf(message);
  }
}

const sizeOf = ({ topic, payload }: Message): number => topic.length + Buffer.byteLength(payload);
