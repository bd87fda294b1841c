/**
 * Decides the next step at one meter. While somebody watches, commands that change something are sent at once, and
 * questions as far as the budget of the stream allows: all waiting ones in one interruption, a rest apart.
 */
import type { Broadcast } from './broadcast.ts';
import type { Connector } from './connector.ts';
import type { Priority, QueuedRequest } from './queue.ts';
import type { SharedParts } from './shared-parts.ts';

interface Want {
  readonly kind: 'request' | 'question' | 'stream';
  readonly inMs: number | undefined;
}

export type SessionStep =
  | { readonly kind: Want['kind'] | 'idle' }
  /** Checks again after `ms`, or as soon as something changes. */
  | { readonly kind: 'wait'; readonly ms: number };

/** The session's own questions that can wait: they interrupt no stream, and use the interruptions of others. */
const OWN_QUESTION = { key: 'session', isBackground: false };

interface TurnParts extends Pick<SharedParts, 'queue' | 'state' | 'clock' | 'signal'> {
  readonly broadcast: Broadcast;
  readonly connector: Connector;
}

export class Turns {
  readonly #parts: TurnParts;

  constructor(parts: TurnParts) {
    this.#parts = parts;
  }

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
    const { restLeftMs } = connector.port;
    const soonest = Math.min(...wants.map(({ inMs }) => inMs ?? Number.POSITIVE_INFINITY));
    if (soonest === Number.POSITIVE_INFINITY) return { kind: 'idle' };
    // Nothing is taken before the end of the rest: more urgent work may come.
    const ready = wants.find(({ inMs }) => inMs === 0);
    return ready && restLeftMs === 0 ? { kind: ready.kind } : { kind: 'wait', ms: Math.max(restLeftMs, soonest) };
  }

  /** A running or starting stream gives way to other work. */
  get mustYield(): boolean {
    const { queue, signal, connector } = this.#parts;
    return signal.aborted || connector.isPortWanted || queue.next(this.mayGo) !== undefined;
  }

  /** Whether the request may be sent now, as far as the stream is concerned. */
  readonly mayGo = (request: QueuedRequest): boolean => this.#inMs(request) === 0;

  /** ms until the next question of the session; if no viewer waits for it, the rules of background questions apply. */
  get questionInMs(): number | undefined {
    return this.#parts.state.questionInMs(this.#parts.broadcast.questionInMs(OWN_QUESTION) > 0);
  }

  dialInMs(priority: Priority): number {
    const { connector, state } = this.#parts;
    return connector.isOpen ? 0 : state.retry.remainingMs(priority);
  }

  /** Calls back when a waiting question may interrupt the stream. The returned function cancels this. */
  whenOneMayGo(then: () => void): () => void {
    const soonest = Math.min(...this.#parts.queue.waiting.map((request) => this.#inMs(request)));
    return soonest > 0 && Number.isFinite(soonest) ? this.#parts.clock.after(soonest, then) : () => {};
  }

  #inMs(request: QueuedRequest): number {
    return request.isBudgeted ? this.#parts.broadcast.questionInMs(request.question) : 0;
  }
}
