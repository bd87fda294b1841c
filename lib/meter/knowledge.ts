/** What a session has learned about its meter. It keeps and tells; it asks nothing. */
import type { Clock } from '../clock.ts';
import { type GatewayError, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Command } from '../nl43/contract.ts';
import { observe, unknownCondition } from './condition.ts';
import { failed, noContact, reached } from './contact.ts';
import type { Condition, Contact } from './contract.ts';

export class Knowledge {
  readonly #clock: Clock;
  readonly #log: Log;
  #condition: Condition;
  #contact: Contact;
  #sleepMode = false;

  constructor(clock: Clock, log: Log, startedAt: number | null) {
    this.#clock = clock;
    this.#log = log;
    this.#condition = unknownCondition(startedAt);
    this.#contact = noContact(clock.now());
  }

  get condition(): Condition {
    return this.#condition;
  }

  get contact(): Contact {
    return this.#contact;
  }

  /** What a decoded value says about the meter. A codec that throws here costs an observation, not the answer. */
  learn<T>(command: Command<T>, value: T): void {
    try {
      const seen = command.tells?.(value);
      if (!seen) return;
      this.#condition = observe(this.#condition, seen, this.#clock.now());
      this.#sleepMode = seen.sleepMode ?? this.#sleepMode;
    } catch (error) {
      this.#log.error({ command: command.text, error: messageOf(error) }, 'observation failed');
    }
  }

  reached(): void {
    this.#become(reached(this.#contact, this.#clock.now()));
  }

  failed(error: GatewayError): void {
    this.#become(failed(this.#contact, error, this.#clock.now(), this.#sleepMode));
  }

  #become(next: Contact): void {
    const before = this.#contact.state;
    this.#contact = next;
    if (before !== next.state) this.#log.info({ from: before, to: next.state, reason: next.reason }, 'contact changed');
  }
}
