/** The end of one try to send. Types only. */
import type { MailReach } from '../../../lib/index.ts';

/** What came of one try. */
export interface Sent {
  readonly ok: boolean;
  /** One sentence for a person. */
  readonly outcome: string;
  /** Not to be tried again, although it failed. */
  readonly isFinal?: boolean;
  /** Of a mail that some of its addresses have, or that the server refused for some; null: nobody has it, and all are tried again. */
  readonly reach?: MailReach | null;
}
