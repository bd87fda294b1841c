/**
 * Asks the meter what trouble with the connection has made unknown: one question at a time, so that an operator can come
 * between. After trouble nothing is claimed until the meter has said it again: it may have been switched off, or somebody may
 * have pressed its keys.
 *
 * A connection that breaks again before all is answered makes the next round wait, longer each time: a connection that lives
 * for one reply only would otherwise carry nothing but questions.
 */
import type { Clock } from '../clock.ts';
import type { StateQuestions } from '../driver/contract.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { ClockOffset, MeterReport, Reservation } from './contract.ts';
import type { MeterState } from './meter-state.ts';
import { Retry } from './retry.ts';
import type { MeterSettings } from './settings.ts';

interface Parts {
  readonly clock: Clock;
  readonly log: Log;
  readonly state: MeterState;
  readonly settings: MeterSettings;
  readonly random: () => number;
  readonly questions: StateQuestions;
  readonly reserve: () => Reservation;
}

const NAMES = ['measuring', 'paused', 'storeName', 'clock'] as const;
/** A viewer sees no frames beside a state that is not known; the rest can wait while somebody watches. */
const URGENT: readonly (keyof StateQuestions)[] = ['measuring', 'paused'];

export class StateProbe {
  readonly #parts: Parts;
  readonly #retry: Retry;
  /** Questions that are open since the last trouble; empty before the first. */
  readonly #open = new Set<keyof StateQuestions>();
  /** The clock's offset as it was measured before the last trouble. */
  #clockBefore: ClockOffset | null = null;
  #asking: NonNullable<MeterReport['reservation']> | undefined;
  /** Something was asked, and not everything is answered. */
  #isHalfway = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#retry = new Retry(parts.clock, parts.settings, parts.random);
  }

  /** ms until the next question; undefined: there is none. `urgentOnly`: of those that a viewer waits for. */
  dueInMs(urgentOnly: boolean): number | undefined {
    return this.#next(urgentOnly) && this.#retry.remainingMs('background');
  }

  /** The question that is being asked; it has no caller. */
  get asking(): MeterReport['reservation'] | undefined {
    return this.#asking;
  }

  /** The connection was lost, or could not be had: what was known of the meter may not hold any more. */
  invalidate(): void {
    if (this.#isHalfway) this.#retry.failed();
    this.#isHalfway = false;
    this.#parts.state.invalidate();
    this.#clockBefore = this.#parts.state.reachability.clock;
    for (const name of NAMES) if (this.#parts.questions[name]) this.#open.add(name);
  }

  /** Never rejects. A question that the meter refuses is skipped; one that fails with the connection waits for the next one. */
  async ask(): Promise<void> {
    const { clock, log, state, questions, reserve } = this.#parts;
    const name = this.#next(false);
    const question = name && questions[name];
    if (!question) return;
    this.#isHalfway = true;
    this.#asking = { label: question.text, since: clock.now(), heldMs: 0, callers: 0 };
    try {
      await reserve().send(question);
      this.#open.delete(name);
    } catch (error) {
      if (state.reachability.reachable) this.#open.delete(name);
      log.info({ command: question.text, error: messageOf(error) }, 'a question was not answered');
    }
    this.#asking = undefined;
    if (this.#next(false)) return;
    this.#isHalfway = false;
    this.#retry.worked();
  }

  /** An answer to somebody else's question counts too. */
  #next(urgentOnly: boolean): keyof StateQuestions | undefined {
    const { state, questions } = this.#parts;
    for (const name of NAMES.filter((each) => this.#open.has(each))) {
      const known =
        name === 'clock' ? state.reachability.clock !== this.#clockBefore : state.deviceState[name] !== null;
      if (known || !state.unreadable.isWorthAsking(questions[name]?.text ?? '')) this.#open.delete(name);
      else if (!urgentOnly || URGENT.includes(name)) return name;
    }
    return undefined;
  }
}
