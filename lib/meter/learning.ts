/**
 * Asks the meter what trouble with the line has put in doubt: one question at a time, so that an operator can come between.
 * What the answers mean is known elsewhere.
 */
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Line, MeterReport } from './contract.ts';
import type { Knowledge } from './knowledge.ts';

interface Parts {
  readonly clock: Clock;
  readonly log: Log;
  readonly knowledge: Knowledge;
  readonly line: () => Line;
}

export class Learning {
  readonly #parts: Parts;
  #present: NonNullable<MeterReport['holder']> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get due(): boolean {
    return this.#parts.knowledge.question !== undefined;
  }

  /** The question that is being asked; it has no caller. */
  get present(): MeterReport['holder'] | undefined {
    return this.#present;
  }

  /** Never rejects. A question that the meter refuses is given up; one that fails with the line waits for the next line. */
  async run(): Promise<void> {
    const { clock, log, knowledge, line } = this.#parts;
    const { question } = knowledge;
    if (!question) return;
    this.#present = { label: question.text, since: clock.now(), callers: 0 };
    try {
      await line().send(question);
    } catch (error) {
      if (knowledge.contact.reachable) knowledge.waive(question);
      log.info({ command: question.text, error: messageOf(error) }, 'a question was not answered');
    }
    this.#present = undefined;
  }
}
