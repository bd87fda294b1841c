/** A target of alerts, of any kind. Its words are those of the API; secrets are kept elsewhere. Data only. */
import type { MailReach } from '../../../lib/built-in.ts';
import type { Numbered, WeeklyHours } from '../rules/rule.ts';

export interface TargetBody {
  readonly kind: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly resolved: boolean;
  readonly quiet?: readonly WeeklyHours[] | undefined;
  readonly zone?: string | undefined;
  readonly language?: string | undefined;
}

export type Target = TargetBody & Numbered;

/** The result of one try to send. */
export interface Sent {
  readonly ok: boolean;
  readonly outcome: string;
  /** The message is not tried again, although it failed. */
  readonly isFinal?: boolean;
  /** For a mail that only some of its addresses have got. Null: nobody has got it, and all are tried again. */
  readonly reach?: MailReach | null;
}
