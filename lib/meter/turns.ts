/**
 * Whose turn it is at one meter: what is known of queue, stream and questions in, the next step out (`steps.ts`). While somebody
 * watches, what changes something goes at once, and questions go as far as the budget of the stream reaches (`stream-budget.ts`):
 * all that wait in one interruption, a rest apart.
 */
import type { Broadcast } from './broadcast.ts';
import type { Connector } from './connector.ts';
import type { Priority, QueuedRequest } from './queue.ts';
import type { SharedParts } from './shared-parts.ts';
import { nextStep, type SessionStep, type Want } from './steps.ts';

/** The questions of the session itself that can wait: they interrupt no stream, and ride along where others do. */
const OWN_QUESTION = { key: 'session', isBackground: false };

interface TurnParts extends Pick<SharedParts, 'queue' | 'state' | 'clock' | 'signal'> {
  readonly broadcast: Broadcast;
  readonly connector: Connector;
}

/** Of one session. */
export class Turns {
  readonly #parts: TurnParts;

  constructor(parts: TurnParts) {
    this.#parts = parts;
  }

  /** What the session does now. */
  next(): SessionStep {
    const { queue, broadcast, connector, state } = this.#parts;
    const head = queue.next(this.mayGo);
    const question: Want = { kind: 'question', inMs: connector.isOpen ? this.questionInMs : undefined };
    const request: Want = { kind: 'request', inMs: head && (head.job.offline ? 0 : this.dialInMs(head.priority)) };
    const stream: Want = { kind: 'stream', inMs: broadcast.dueInMs };
    const wants =
      head?.priority === 'operator' || (broadcast.isKept && state.questionInMs(true) === undefined)
        ? [request, question, stream]
        : [question, request, stream];
    return nextStep(wants, connector.port.gapMs);
  }

  /** The stream that runs, or is about to, gives way to something. */
  get mustYield(): boolean {
    const { queue, signal, connector } = this.#parts;
    return signal.aborted || connector.isPortWanted || queue.next(this.mayGo) !== undefined;
  }

  /** Whether the request may be sent now, as far as the stream is concerned. */
  readonly mayGo = (request: QueuedRequest): boolean => this.#inMs(request) === 0;

  /** ms until the next question of the session; one that a viewer does not wait for goes as background questions do. */
  get questionInMs(): number | undefined {
    return this.#parts.state.questionInMs(this.#parts.broadcast.questionInMs(OWN_QUESTION) > 0);
  }

  /** ms until a connection that failed may be tried again. */
  dialInMs(priority: Priority): number {
    const { connector, state } = this.#parts;
    return connector.isOpen ? 0 : state.retry.remainingMs(priority);
  }

  /** Calls back when a question that waits may interrupt the stream. The function cancels it. */
  whenOneMayGo(then: () => void): () => void {
    const soonest = Math.min(...this.#parts.queue.waiting.map((request) => this.#inMs(request)));
    return soonest > 0 && Number.isFinite(soonest) ? this.#parts.clock.after(soonest, then) : () => {};
  }

  #inMs(request: QueuedRequest): number {
    return request.isBudgeted ? this.#parts.broadcast.questionInMs(request.question) : 0;
  }
}
