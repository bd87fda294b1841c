/** The timeline of a database: PostgreSQL begins another one when a standby becomes the primary, and the last changes may be lost then. */

/** True where both are known, and the database has failed over between them. */
export const isOtherTimeline = (before: string | undefined, now: string | undefined): boolean =>
  before !== undefined && now !== undefined && before !== now;
