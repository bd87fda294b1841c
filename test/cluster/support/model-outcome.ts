/** What became of a schedule. */
export interface Outcome {
  /** What the referee saw; undefined if all was well. */
  readonly wrong: string | undefined;
  readonly takeovers: number;
  readonly lateWrites: number;
  readonly removals: number;
  /** How often a standby became the database, and without the last changes. */
  readonly failovers: number;
  readonly lossy: number;
  /** How often a member went on because all others had promised. */
  readonly promises: number;
  /** How often a process was refused because a joining of its own, or of one that had ended, came late. */
  readonly lateJoinings: number;
  /** How often units were added or removed, and given away one by one. */
  readonly changes: number;
  readonly moved: number;
  /** Beats of members that the gateway did not reach. */
  readonly unreached: number;
  /** Longest time without an owner after the last fault, and while a member leaves. ms */
  readonly unownedMs: number;
  readonly drainMs: number;
}
