/**
 * Asks the meter what trouble with the line has put in doubt: one question at a time, so that an operator can come between.
 * What the answers mean is known elsewhere.
 *
 * A connection that breaks again before all is answered makes the next round wait, longer each time: a line that lives for
 * one reply only would otherwise carry nothing but questions.
 */
import type { Clock } from '../clock.ts';
import { isGatewayError, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { MeterReport, Reservation } from './contract.ts';
import type { Knowledge } from './knowledge.ts';
import { Retry } from './retry.ts';
import type { MeterSettings } from './settings.ts';

interface Parts {
  readonly clock: Clock;
  readonly log: Log;
  readonly knowledge: Knowledge;
  readonly settings: MeterSettings;
  readonly random: () => number;
  readonly line: () => Reservation;
}

export class Learning {
  readonly #parts: Parts;
  readonly #retry: Retry;
  #present: NonNullable<MeterReport['reservation']> | undefined;
  /** Something was asked, and not everything is answered. */
  #halfway = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#retry = new Retry(parts.clock, parts.settings, parts.random);
  }

  /** ms until the next question; undefined: nothing is in doubt. */
  get dueInMs(): number | undefined {
    return this.#parts.knowledge.question && this.#retry.remainingMs(false);
  }

  /** The connection was lost, or could not be had. */
  doubt(): void {
    if (this.#halfway) this.#retry.failed();
    this.#halfway = false;
    this.#parts.knowledge.doubt();
  }

  /** The question that is being asked; it has no caller. */
  get present(): MeterReport['reservation'] | undefined {
    return this.#present;
  }

  /** Never rejects. A question that the meter refuses is given up; one that fails with the line waits for the next line. */
  async run(): Promise<void> {
    const { clock, log, knowledge, line } = this.#parts;
    const { question } = knowledge;
    if (!question) return;
    this.#halfway = true;
    this.#present = { label: question.text, since: clock.now(), callers: 0 };
    try {
      await line().send(question);
    } catch (error) {
      if (knowledge.reachability.reachable) knowledge.waive(question);
      if (isGatewayError(error, 'DEVICE_GARBLED')) knowledge.unreadable(question);
      log.info({ command: question.text, error: messageOf(error) }, 'a question was not answered');
    }
    this.#present = undefined;
    if (knowledge.question) return;
    this.#halfway = false;
    this.#retry.worked();
  }
}
