/** Outcome of a command on a connection. Types only. */
import type { MeterReply } from '../drivers/wire/contract.ts';
import type { Ending } from '../transport/contract.ts';

/** Outcome of a command. */
export type CommandOutcome =
  | MeterReply
  /** No first byte in time (`FIRST_BYTE`), or not the rest of the reply. */
  | { readonly kind: 'silent'; readonly stage: string; readonly ms: number }
  | Ended
  /** More lines arrived than a reply has: the right answer is unknown. */
  | { readonly kind: 'doubtful' };

/** The connection ended. `heard`: bytes had arrived since the command was sent. */
export interface Ended {
  readonly kind: 'ended';
  readonly ending: Ending;
  readonly heard: boolean;
}
