/**
 * How much of the line a watched stream keeps. Reads interrupt it one command at a time, and then it goes on for a while, so that
 * 70 % of its frames come in any ten seconds, however many programs ask. Settings of operators do not wait.
 *
 *   frames ... 7.2 s or more | SUB, rest, one command, rest: 2.3 s | frames ... 7.2 s or more | ...
 *
 * Ten seconds hold at most ten minus 7.2 seconds without frames, if one interruption takes less than 2.8 s. After a longer one (a
 * slow link) the stream goes on longer, in proportion. Sets no timer.
 */
import type { Clock } from '../clock.ts';

/** After an interruption, ms. */
const SHARE_MS = 7_200;
/** So many times as long as the interruption took. */
const SHARE_OF_INTERRUPTION = 2.5;
const LONGEST_SHARE_MS = 15_000;
/** From the first frame of a stream that was not interrupted, and after a viewer has come: 25 frames, and some that are late. */
const FIRST_SHARE_MS = 3_000;
/** A stream that was asked for and brings no frame does not keep reads away longer than this, ms. */
const FIRST_FRAME_MS = 5_000;

/** Of one session: when reads may interrupt its stream. */
export class StreamShare {
  readonly #clock: Pick<Clock, 'elapsed'>;
  #isAsked = false;
  /** All on the monotonic clock. Of the stream that runs: when a read may interrupt it. */
  #readAt = 0;
  #shareEndsAt = 0;
  #flowing = false;
  #lastFrameAt: number | undefined;
  /** The stream was interrupted when its share was over, and nothing was sent since: one read may go. */
  #isReadDue = false;

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock;
  }

  /** Whole ms until a read may be sent; Infinity: only after the stream has had its share. */
  get readInMs(): number {
    if (this.#isAsked) return Math.max(0, Math.ceil(this.#readAt - this.#clock.elapsed()));
    return this.#isReadDue ? 0 : Number.POSITIVE_INFINITY;
  }

  /** The stream is asked for. */
  asked(): void {
    this.#isAsked = true;
    this.#isReadDue = false;
    this.#flowing = false;
    this.#readAt = this.#clock.elapsed() + FIRST_FRAME_MS;
  }

  /** True for the first frame since the stream was asked for. */
  frame(): boolean {
    const now = this.#clock.elapsed();
    const isFirst = !this.#flowing;
    if (isFirst) {
      this.#shareEndsAt = now + shareMs(this.#lastFrameAt === undefined ? undefined : now - this.#lastFrameAt);
      this.#readAt = this.#shareEndsAt;
    }
    this.#flowing = true;
    this.#lastFrameAt = now;
    return isFirst;
  }

  /** Another viewer has come: it sees some seconds without a break. Viewers that come again and again keep reads away no longer. */
  joined(): void {
    if (!this.#flowing) return;
    const until = Math.min(this.#clock.elapsed(), this.#shareEndsAt) + FIRST_SHARE_MS;
    this.#readAt = Math.max(this.#readAt, until);
  }

  /** It is being ended, so that something else can be sent. May be called twice. */
  interrupted(): void {
    if (!this.#isAsked) return;
    this.#isReadDue = this.readInMs === 0;
    this.#isAsked = false;
  }

  /** A command was sent: the stream is next. */
  used(): void {
    this.#isReadDue = false;
  }

  /** It brought nothing on a connection that works: before the next try one read may go. */
  failed(): void {
    this.over();
    this.#isReadDue = true;
  }

  /** Nobody watches, or the stream was lost: what comes next is a new one. */
  over(): void {
    this.#isAsked = false;
    this.#isReadDue = false;
    this.#lastFrameAt = undefined;
  }
}

/** How long the stream goes on after its first frame. `breakMs`: what it was away for; undefined: it is a new one. */
const shareMs = (breakMs: number | undefined): number =>
  breakMs === undefined
    ? FIRST_SHARE_MS
    : Math.min(LONGEST_SHARE_MS, Math.max(SHARE_MS, SHARE_OF_INTERRUPTION * breakMs));
