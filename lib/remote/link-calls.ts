/** Calls of the gateway that wait for an answer over the link, each until its deadline. */
import type { Clock } from '../clock.ts';
import type { Caller } from '../meter/contract.ts';
import { errorFromLink, linkLost, notServed } from './link-errors.ts';
import type { CallerOnLink, GatewayMessage, OutcomeOnLink } from './messages.ts';

/** What the calls of a link need. */
export interface LinkCallsParts {
  readonly clock: Clock;
  readonly send: (message: GatewayMessage) => void;
  /** Of a caller that says none, ms. */
  readonly deadlineMs: number;
}

/** Who asks, and what a lost link means for it. */
export interface LinkCall {
  readonly unitId: string;
  readonly changes: boolean;
  /** For messages: `start`. */
  readonly label: string;
  /** Default: it waits as long as the link lasts. */
  readonly caller?: Caller;
}

interface WaitingCall {
  settle(outcome: OutcomeOnLink, ageMs: number | undefined): void;
  lose(): void;
}

/** What came of a call: its value, or as the work of a reservation did. */
export type DoneOnLink = Exclude<OutcomeOnLink, { readonly error: unknown } | { readonly cancelled: true }>;

/** The other side keeps the deadline, too, and its answer says more: it gets so much more time. ms */
const WAY_MS = 1_000;

/** Those of one link. */
export class LinkCalls {
  readonly #parts: LinkCallsParts;
  readonly #waiting = new Map<number, WaitingCall>();
  #last = 0;
  #isOver = false;

  constructor(parts: LinkCallsParts) {
    this.#parts = parts;
  }

  nextId(): number {
    this.#last += 1;
    return this.#last;
  }

  /** Errors: as the other side says; the reason of the caller's signal; DEVICE_TIMEOUT where it says nothing; OWNER_CHANGING, OUTCOME_UNKNOWN after the loss of the link. */
  ask(message: GatewayMessage & { readonly id: number }, call: LinkCall): Promise<DoneOnLink> {
    const { clock, send, deadlineMs } = this.#parts;
    const { unitId, changes, caller } = call;
    if (this.#isOver) return Promise.reject(notServed(unitId));
    if (caller?.signal.aborted) return Promise.reject(caller.signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<DoneOnLink>();
    const leave = () => send({ kind: 'cancel', id: message.id });
    const limitMs = (caller?.deadlineMs ?? deadlineMs) + WAY_MS;
    const disarm = caller
      ? clock.after(limitMs, () => {
          leave();
          this.#take(message.id)?.settle({ error: late(call, limitMs) }, undefined);
        })
      : () => {};
    const over = () => {
      disarm();
      caller?.signal.removeEventListener('abort', leave);
    };
    caller?.signal.addEventListener('abort', leave, { once: true });
    this.#waiting.set(message.id, {
      settle(outcome, ageMs) {
        over();
        if (ageMs !== undefined) caller?.onAge?.(ageMs);
        if ('error' in outcome) reject(errorFromLink(outcome.error));
        else if ('cancelled' in outcome) reject(caller?.signal.reason ?? linkLost(unitId, changes));
        else resolve(outcome);
      },
      lose() {
        over();
        reject(linkLost(unitId, changes));
      },
    });
    send(message);
    return promise;
  }

  /** Nothing waits for an answer that comes late. */
  answer(id: number, outcome: OutcomeOnLink, ageMs: number | undefined): void {
    this.#take(id)?.settle(outcome, ageMs);
  }

  /** The link is over. */
  end(): void {
    this.#isOver = true;
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const each of all) each.lose();
  }

  #take(id: number): WaitingCall | undefined {
    const call = this.#waiting.get(id);
    this.#waiting.delete(id);
    return call;
  }
}

const late = ({ unitId, changes, label }: LinkCall, ms: number): { readonly code: string; readonly detail: string } => {
  const what = `The instance that serves the meter ${unitId} did not answer to "${label}" within ${ms} ms.`;
  const unsure = ' What was sent is finished; whether it took effect is not known here.';
  return { code: 'DEVICE_TIMEOUT', detail: changes ? what + unsure : what };
};

/** As the other side needs it. */
export const callerToLink = ({ deadlineMs, priority }: Caller): CallerOnLink => ({
  ...(deadlineMs !== undefined && { deadlineMs: Math.max(0, deadlineMs) }),
  ...(priority && { priority }),
});
