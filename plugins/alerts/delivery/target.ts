/** A target of alerts, of any kind. Its words are those of the API; secrets are kept elsewhere. Data only. */
import type { MailReach } from '../../../lib/index.ts';
import type { Numbered } from '../numbered-store.ts';
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
  /** Of the words in mails and notifications. */
  readonly language?: string | undefined;
}

/** A target that is kept. */
export type Target = TargetBody & Numbered;

/** The result of one try to send. */
export interface Sent {
  readonly ok: boolean;
  /** One sentence for a person. */
  readonly outcome: string;
  /** The message is not tried again, although it failed. */
  readonly isFinal?: boolean;
  /** For a mail that only some of its addresses have got. Null: nobody has got it, and all are tried again. */
  readonly reach?: MailReach | null;
}
