/** What the parts of a session that work with its meter share. Types only. */
import type { MeterState } from './meter-state.ts';
import type { SessionParts } from './parts.ts';
import type { Queue } from './queue.ts';

/** What the parts of one session share. */
export interface SharedParts extends SessionParts {
  readonly queue: Queue;
  readonly state: MeterState;
  /** Aborts when the session ends: nothing further is begun. */
  readonly signal: AbortSignal;
  /** Something changed that the session should look at. */
  readonly onChange: () => void;
}
