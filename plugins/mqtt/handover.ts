/** Sends messages to the broker over one connection, in order; some are sent before earlier messages are confirmed. */
import type { MqttClient } from 'mqtt';
import { type Clock, inSeconds } from '../../lib/index.ts';
import { type Message, OutgoingQueue } from './outgoing-queue.ts';

interface HandoverParts {
  readonly client: MqttClient;
  readonly queue: OutgoingQueue;
  readonly clock: Clock;
  /** Sent first. */
  greeting(): Iterable<Message>;
  /** Sent when the queue is empty for the first time. */
  current(): Iterable<Message>;
}

/** The most messages that the broker has not confirmed yet. */
const WINDOW = 64;
/** Longest wait for a confirmation, ms. */
const CONFIRM_MS = 30_000;

export class Handover {
  readonly #parts: HandoverParts;
  /** Sent before the messages in the queue. */
  #first: OutgoingQueue;
  #isCurrent = false;
  #unconfirmed = 0;
  #ended = false;
  #cancelLimit: (() => void) | undefined;
  #fail: (reason: string) => void = () => {};
  readonly #end = Promise.withResolvers<void>();
  /** Resolves with the reason when the broker does not confirm messages in time. */
  readonly failed = new Promise<string>((resolve) => {
    this.#fail = resolve;
  });

  constructor(parts: HandoverParts) {
    this.#parts = parts;
    this.#first = filled(parts.greeting());
  }

  /** Sends waiting messages, as far as the broker confirms them. */
  go(): void {
    while (!this.#ended && this.#unconfirmed < WINDOW) {
      const next = this.#next();
      if (!next) return;
      const { message, number, from } = next;
      this.#unconfirmed += 1;
      this.#limit();
      this.#publish(message, (error) => {
        if (this.#ended) return;
        this.#unconfirmed -= 1;
        this.#limit();
        if (error) return this.#fail(error.message);
        from.confirm(number);
        this.go();
      });
    }
  }

  /** Sent without the queue. Resolves when the broker has it or the connection is gone. */
  sendNow(message: Message): Promise<void> {
    const said = new Promise<void>((resolve) => this.#publish(message, () => resolve()));
    return Promise.race([said, this.#end.promise]);
  }

  end(): void {
    this.#ended = true;
    this.#cancelLimit?.();
    this.#end.resolve();
  }

  #next() {
    for (const from of [this.#first, this.#parts.queue]) {
      const taken = from.take();
      if (taken) return { ...taken, from };
    }
    if (this.#isCurrent) return undefined;
    this.#isCurrent = true;
    this.#first = filled(this.#parts.current());
    const taken = this.#first.take();
    return taken && { ...taken, from: this.#first };
  }

  #publish({ topic, payload, retain }: Message, done: (error?: Error) => void): void {
    this.#parts.client.publish(topic, payload, { qos: 1, retain }, (error) => done(error ?? undefined));
  }

  #limit(): void {
    this.#cancelLimit?.();
    this.#cancelLimit =
      this.#unconfirmed === 0
        ? undefined
        : this.#parts.clock.after(CONFIRM_MS, () => this.#fail(`no confirmation within ${inSeconds(CONFIRM_MS)}`));
  }
}

function filled(messages: Iterable<Message>): OutgoingQueue {
  const queue = new OutgoingQueue(Number.POSITIVE_INFINITY);
  for (const message of messages) queue.add(message);
  return queue;
}
