/**
 * Whose turn it is at one meter: what is known of queue, stream and questions in, the next step out (`steps.ts`). While somebody
 * watches, what changes something goes at once, and what reads goes when the stream has had its share (`stream-share.ts`).
 */
import type { Broadcast } from './broadcast.ts';
import type { Connector } from './connector.ts';
import type { Priority } from './queue.ts';
import type { SharedParts } from './shared-parts.ts';
import { nextStep, type SessionStep, type Want } from './steps.ts';

interface TurnParts extends Pick<SharedParts, 'queue' | 'state' | 'clock' | 'signal'> {
  readonly broadcast: Broadcast;
  readonly connector: Connector;
}

/** Of one session. */
export class Turns {
  readonly #parts: TurnParts;
  /** Questions that nobody waits for do not interrupt a watched stream by themselves: they take turns with those who do. */
  #isQuestionNext = false;

  constructor(parts: TurnParts) {
    this.#parts = parts;
  }

  /** A request was served, or a question asked: a watched stream is next. */
  done(step: 'request' | 'question'): void {
    this.#isQuestionNext = step === 'request';
    this.#parts.broadcast.used();
  }

  /** What the session does now. */
  next(): SessionStep {
    const { queue, broadcast, connector, state } = this.#parts;
    const head = queue.next(this.areReadsHeld);
    const question: Want = { kind: 'question', inMs: connector.isOpen ? this.questionInMs : undefined };
    const request: Want = { kind: 'request', inMs: head && (head.job.offline ? 0 : this.dialInMs(head.priority)) };
    const stream: Want = { kind: 'stream', inMs: broadcast.dueInMs };
    const isUrgent = this.#isWatched ? head?.isRead === false : queue.isOperatorWaiting;
    const mayQuestionWait = this.#isWatched && !this.#isQuestionNext && state.questionInMs(true) === undefined;
    const wants = isUrgent || mayQuestionWait ? [request, question, stream] : [question, request, stream];
    return nextStep(wants, connector.port.gapMs);
  }

  /** The stream that runs, or is about to, gives way to something. */
  get mustYield(): boolean {
    const { queue, signal, connector } = this.#parts;
    return signal.aborted || connector.isPortWanted || queue.next(this.areReadsHeld) !== undefined;
  }

  /** Somebody watches, and the stream has not had its share. */
  get areReadsHeld(): boolean {
    return this.#parts.broadcast.readInMs > 0;
  }

  /** ms until the next question of the session; what a viewer does not wait for is asked in turn with other reads. */
  get questionInMs(): number | undefined {
    return this.#parts.state.questionInMs(this.areReadsHeld);
  }

  /** ms until a connection that failed may be tried again. */
  dialInMs(priority: Priority): number {
    const { connector, state } = this.#parts;
    return connector.isOpen ? 0 : state.retry.remainingMs(priority);
  }

  /** Calls back when a read that waits may interrupt the stream. The function cancels it. */
  whenReadMayGo(then: () => void): () => void {
    const { readInMs } = this.#parts.broadcast;
    if (readInMs === 0 || !Number.isFinite(readInMs) || this.#parts.queue.length === 0) return () => {};
    return this.#parts.clock.after(readInMs, then);
  }

  get #isWatched(): boolean {
    return this.#parts.broadcast.hub.watchers > 0;
  }
}
