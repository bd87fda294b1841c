/** One meter, as everybody above the wire sees it. */
import type { ErrorCode } from '../errors.ts';
import type { Feed } from '../live/contract.ts';
import type { Command, Frame, StreamCommand } from '../nl43/contract.ts';

/** Who asks, and how long they wait for their turn. */
export interface Caller {
  /** Aborts when the caller has gone: a waiting command is taken out, a running one is finished and logged. */
  readonly signal: AbortSignal;
  /** Longest wait in the queue, ms. Default: the setting `request_deadline_ms`. */
  readonly deadlineMs?: number;
  /** Operators go before background reads; within a class first come, first served. Default `operator`. */
  readonly priority?: 'operator' | 'background';
}

/** The line to the meter while it is held. Keeps the rest between commands by itself. */
export interface Line {
  /** Errors: DEVICE_WRONG_STATE, DEVICE_REFUSED_*, DEVICE_GARBLED, DEVICE_UNREACHABLE, DEVICE_WEDGED, OUTCOME_UNKNOWN, DEVICE_TIMEOUT. */
  send<T>(command: Command<T>): Promise<T>;
  /** One frame of a stream that is ended right after it (for `DRD?status`). Errors as `send`. */
  peek<F>(command: StreamCommand<F>): Promise<F>;
}

export interface Meter {
  readonly unitId: string;
  /** Sends one command when its turn comes. Equal requests that have not started are joined. Errors: as `Line.send`, DEVICE_BUSY, QUEUE_TIMEOUT, STOPPING. */
  run<T>(command: Command<T>, caller: Caller): Promise<T>;
  /**
   * Holds the line for several commands in a row: nobody else's command comes between them. Once begun it is finished.
   * Calls with the same `join` that have not started share one run.
   */
  hold<T>(label: string, work: (line: Line) => Promise<T>, caller: Caller, options?: { join?: string }): Promise<T>;
  /** The fast stream (DRD), shared by everybody who watches it. The first watcher starts it, the last one ends it. */
  readonly feed: Feed<LiveFrame>;
  readonly condition: Condition;
  readonly contact: Contact;
  /** For a neighbour on the same meter (FTP): waits until the meter has rested, and makes the next command rest again. */
  rest(signal: AbortSignal): Promise<void>;
  /** The neighbour is done: the next command rests from now. */
  rested(): void;
}

export interface LiveFrame {
  /** When the gateway had the whole frame, ms since 1970 UTC. */
  readonly at: number;
  readonly frame: Frame;
}

/** What the gateway last saw or set. Null: it does not know. An unreadable answer changes nothing here. */
export interface Condition {
  readonly measuring: boolean | null;
  readonly paused: boolean | null;
  /** Start of the present measurement: the start that was sent, or the first time it was seen running. ms UTC. */
  readonly startedAt: number | null;
}

export interface Contact {
  /** Null before the first attempt. */
  readonly reachable: boolean | null;
  /** Last valid reply, ms UTC. */
  readonly lastSuccess: number | null;
  readonly consecutiveFailures: number;
  readonly lastError: { readonly code: ErrorCode; readonly detail: string; readonly at: number } | null;
}
