import type { MeterState } from './meter-state.ts';
import type { SessionParts } from './parts.ts';
import type { Queue } from './queue.ts';

/** Shared by the parts of one session. */
export interface SharedParts extends SessionParts {
  readonly queue: Queue;
  readonly state: MeterState;
  /** Aborts when the session ends: no new work is begun. */
  readonly signal: AbortSignal;
  /** A change that the session should check. */
  readonly onChange: () => void;
}
