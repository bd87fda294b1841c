/** The end of one try to send. Types only. */
import type { MailReach } from '../../../lib/index.ts';

/** The result of one try. */
export interface Sent {
  readonly ok: boolean;
  /** One sentence for a person. */
  readonly outcome: string;
  /** The message is not tried again, although it failed. */
  readonly isFinal?: boolean;
  /** For a mail that only some of its addresses have got. Null: nobody has got it, and all are tried again. */
  readonly reach?: MailReach | null;
}
