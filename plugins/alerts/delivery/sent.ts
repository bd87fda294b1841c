/** The end of one try to send. Types only. */

/** What came of one try. */
export interface Sent {
  readonly ok: boolean;
  /** One sentence for a person. */
  readonly outcome: string;
  /** Not to be tried again, although it failed. */
  readonly isFinal?: boolean;
}
