/**
 * Share of the line for a watched stream: a budget of time without frames. It gains 0.2 s each second up to 6 s. Each
 * interruption costs its real time, from the end of the stream to its next frame.
 *
 *    6 s ──────────  a stream without a recent interruption
 *    3 s ──────────  below this line a question must not repeat one of the same caller within a minute
 *    0 s
 *   -6 s ──────────  lowest value, for first questions of a caller and for work of many commands that has begun
 *
 * A program that asks without a pause leaves 75 % of the frames of any minute. It may use 3 s, and 0.2 s each second.
 * The first question of a person beside it is sent at once.
 *
 * Background questions have a small budget of their own: nobody waits longer because of the gateway's own readings. It
 * is enough for all readings after a new connection, in one interruption. A job, or a command that changes the meter,
 * waits for no budget, and no budget pays for it: it was ordered once, and must be done. After a change the next
 * question of each caller is a first one, because the answers before it are out of date. Each question pays until the
 * next one is sent; the first question also pays for the end of the stream. Sets no timer.
 */
import type { Clock } from '../clock.ts';

const GAIN = 0.2;
const BACKGROUND_GAIN = 0.05;
const MOST_MS = 6_000;
const KEPT_MS = 3_000;
const DEBT_MS = 6_000;
/**
 * A question is the first of its caller if it was not asked for this time. Background questions interrupt no more
 * often.
 */
const MINUTE_MS = 60_000;
/**
 * Usual time of the end of the stream with its rest, and of one command with its rest. Until real times are known. ms
 */
const USUAL_END_MS = 1_100;
const USUAL_COMMAND_MS = 1_100;
const LONGEST_STEP_MS = 5_000;
/** After an interruption the stream continues at least this long: each one costs two rests. ms */
const SETTLE_MS = 500;
/** A requested stream without a frame does not hold questions back longer than this, ms. */
const FIRST_FRAME_MS = 5_000;

export interface BudgetedQuestion {
  readonly key: string;
  readonly isBackground: boolean;
  /** Number of such questions in a minute that count as first questions of their caller. Default: one. */
  readonly firsts?: number;
  readonly isChange?: boolean;
  readonly job?: string | undefined;
}

type Payer = 'callers' | 'background' | 'nobody';

/** For one session: when questions may interrupt its stream. Spans in ms. */
export class StreamBudget {
  readonly #clock: Pick<Clock, 'elapsed'>;
  #settledAt: number;
  #balance = MOST_MS;
  #backgroundBalance = MOST_MS;
  #payer: Payer | undefined;
  /** Since when frames are missing; undefined: the stream flows, or is not wanted. */
  #brokenAt: number | undefined;
  #askedAt: number | undefined;
  #flowingSince: number | undefined;
  /** Number of commands and works in the present interruption, and time of the first of them. */
  #sent = 0;
  #sentAt = 0;
  #endMs = USUAL_END_MS;
  #commandMs = USUAL_COMMAND_MS;
  #isOneOwed = false;
  #backgroundAt = Number.NEGATIVE_INFINITY;
  readonly #asked = new Map<string, readonly number[]>();

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock;
    this.#settledAt = clock.elapsed();
  }

  /** No command was sent to the meter in the present interruption. */
  get isUnused(): boolean {
    return this.#brokenAt === undefined || this.#sent === 0;
  }

  /** Whole ms until the question may be sent; Infinity: not before the stream has continued. */
  inMs(question: BudgetedQuestion): number {
    const { isBackground } = question;
    const now = this.#clock.elapsed();
    if (this.#askedAt !== undefined && this.#flowingSince === undefined)
      return Math.max(0, Math.ceil(this.#askedAt + FIRST_FRAME_MS - now));
    // An interruption allows at least one question: on a slow link its end alone may use up the balance.
    const backgroundIn = isBackground ? this.#backgroundAt + MINUTE_MS - now : 0;
    if (this.#brokenAt !== undefined && this.#sent === 0 && backgroundIn <= 0) return 0;
    if (this.#brokenAt !== undefined) {
      const isFirst = !isBackground && this.#firstInMs(question) === 0;
      return this.#missingMs(question, 'present', isFirst) > 0 ? Number.POSITIVE_INFINITY : 0;
    }
    if (this.#flowingSince === undefined) return this.#isOneOwed ? 0 : Number.POSITIVE_INFINITY;
    const settledIn = this.#flowingSince + SETTLE_MS - now;
    return Math.max(this.#paidInMs(question), Math.ceil(settledIn), Math.ceil(backgroundIn));
  }

  /** The same. While the continuation of the stream is uncertain: the least time until a new interruption is paid. */
  leastMs(question: BudgetedQuestion): number {
    const inMs = this.inMs(question);
    return Number.isFinite(inMs) ? inMs : this.#paidInMs(question);
  }

  /** The stream should run and does not: it is interrupted, or has its first viewer. May be called twice. */
  interrupted(): void {
    this.#settle();
    this.#askedAt = undefined;
    this.#flowingSince = undefined;
    if (this.#brokenAt !== undefined) return;
    this.#brokenAt = this.#clock.elapsed();
    this.#sent = 0;
    this.#payer = undefined;
  }

  /** The question is sent, or work that changes the meter; undefined: a question of the session itself. */
  sent(question: BudgetedQuestion | undefined): void {
    this.#settle();
    const now = this.#clock.elapsed();
    if (question?.isBackground && this.#sent === 0) this.#backgroundAt = now;
    this.#payer = payerOf(question);
    this.#settle();
    if (this.#sent === 0) this.#sentAt = now;
    this.#sent += 1;
    this.#isOneOwed = false;
    if (!question) return;
    if (question.isChange) {
      this.#asked.clear();
      return;
    }
    for (const key of this.#asked.keys()) if (this.#askedWithinMinute(key).length === 0) this.#asked.delete(key);
    this.#asked.set(question.key, [...this.#askedWithinMinute(question.key), now]);
  }

  asked(): void {
    this.interrupted();
    this.#isOneOwed = false;
    this.#askedAt = this.#clock.elapsed();
  }

  /** True for the first frame since the stream was requested. `commands`: to the meter in this interruption. */
  frame(commands: number): boolean {
    if (this.#flowingSince !== undefined) return false;
    this.#payer ??= 'callers';
    this.#settle();
    const now = this.#clock.elapsed();
    if (this.#brokenAt !== undefined && commands > 0 && this.#sent > 0) {
      this.#endMs = Math.min(LONGEST_STEP_MS, this.#sentAt - this.#brokenAt);
      this.#commandMs = Math.min(LONGEST_STEP_MS, (now - this.#sentAt) / commands);
    }
    this.#brokenAt = undefined;
    this.#askedAt = undefined;
    this.#flowingSince = now;
    return true;
  }

  /** The stream brought nothing on a connection that works: before the next attempt one question may be sent. */
  failed(): void {
    this.over();
    this.#isOneOwed = true;
  }

  /** Nobody watches, or the stream was lost: the next stream is a new one. */
  over(): void {
    this.#payer ??= 'callers';
    this.#settle();
    this.#brokenAt = undefined;
    this.#askedAt = undefined;
    this.#flowingSince = undefined;
    this.#isOneOwed = false;
  }

  /** While it waits, a repeated question becomes a first question again. */
  #paidInMs(question: BudgetedQuestion): number {
    if (question.isBackground) return waitMs(this.#missingMs(question, 'new', false), BACKGROUND_GAIN);
    const repeatedInMs = waitMs(this.#missingMs(question, 'new', false), GAIN);
    return Math.min(
      repeatedInMs,
      Math.max(this.#firstInMs(question), waitMs(this.#missingMs(question, 'new', true), GAIN)),
    );
  }

  /** Whole ms until the question counts as a first question of its caller. */
  #firstInMs({ key, firsts = 1 }: BudgetedQuestion): number {
    const last = this.#askedWithinMinute(key).at(-firsts);
    return last === undefined ? 0 : Math.ceil(last + MINUTE_MS - this.#clock.elapsed());
  }

  /** By how much the balance is too low for the question: in the present interruption, or in a new one. */
  #missingMs({ isBackground }: BudgetedQuestion, which: 'present' | 'new', isFirst: boolean): number {
    const wholeMs = this.#commandMs + (which === 'new' ? this.#endMs : 0);
    // A slow line makes a person wait for its replies, and not for the budget as well.
    const costMs = isFirst ? Math.min(wholeMs, USUAL_END_MS + USUAL_COMMAND_MS) : wholeMs;
    const mayOwe = isFirst || (isBackground && which === 'present');
    this.#settle();
    const limit = mayOwe ? -DEBT_MS : isBackground ? 0 : this.#keptMs(which);
    return Math.min(limit + costMs, MOST_MS) - (isBackground ? this.#backgroundBalance : this.#balance);
  }

  /**
   * Share that must stay. It is smaller on a slow line, and later questions of an interruption may make debts: else
   * each interruption would serve only one question, and its end would cost most of the budget.
   */
  #keptMs(which: 'present' | 'new'): number {
    const slowMs = Math.max(0, this.#endMs + this.#commandMs - USUAL_END_MS - USUAL_COMMAND_MS);
    return Math.max(which === 'new' ? 0 : -DEBT_MS, KEPT_MS - 2 * slowMs);
  }

  #askedWithinMinute(key: string): readonly number[] {
    const now = this.#clock.elapsed();
    return (this.#asked.get(key) ?? []).filter((at) => now - at < MINUTE_MS);
  }

  /** Until it is known who pays, an interruption costs nothing. */
  #settle(): void {
    if (this.#brokenAt !== undefined && !this.#payer) return;
    const now = this.#clock.elapsed();
    const passed = now - this.#settledAt;
    this.#settledAt = now;
    const cost = this.#brokenAt === undefined ? 0 : passed;
    const isBackground = this.#payer === 'background' && this.#backgroundBalance > -DEBT_MS;
    const isCallers = !isBackground && this.#payer !== 'nobody';
    this.#balance = within(this.#balance + GAIN * passed - (isCallers ? cost : 0));
    this.#backgroundBalance = within(this.#backgroundBalance + BACKGROUND_GAIN * passed - (isBackground ? cost : 0));
  }
}

/** Questions of the session itself, too, are paid in the background. */
function payerOf(question: BudgetedQuestion | undefined): Payer {
  if (question?.job !== undefined || question?.isChange) return 'nobody';
  return !question || question.isBackground ? 'background' : 'callers';
}

const waitMs = (missingMs: number, gain: number): number => Math.max(0, Math.ceil(missingMs / gain));
const within = (ms: number): number => Math.max(-DEBT_MS, Math.min(MOST_MS, ms));
