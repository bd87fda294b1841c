/** A target of alerts, of any kind. Its words are those of the API; secrets are kept elsewhere. Data only. */
import type { WeeklyHours } from '../rules/rule.ts';

/** Fields of every target. */
export interface TargetBody {
  /** A name of `target-kinds.ts`; the other fields depend on the kind. */
  readonly kind: string;
  readonly name: string;
  readonly enabled: boolean;
  /** Whether the end of an event is sent, too. */
  readonly resolved: boolean;
  /** Times at which only critical events are sent; the others wait for the end of these times. */
  readonly quiet?: readonly WeeklyHours[] | undefined;
  /** IANA name of the clock of `quiet`. */
  readonly zone?: string | undefined;
}

/** A target that is kept. */
export interface Target extends TargetBody {
  readonly id: string;
  /** ms since 1970 UTC. */
  readonly createdAt: number;
  readonly changedAt: number;
}
