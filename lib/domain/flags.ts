/**
 * Reasons to doubt a level, once: `over` and `under` the range of the meter, `frozen` (the same values again and again although
 * the meter measures), `implausible` (no meter can show it), `weighting` (it may have been measured with another weighting than the
 * one it is stored with). The order is that of the bits on the disk: a new one comes last.
 */
export const FLAGS = Object.freeze(['over', 'under', 'frozen', 'implausible', 'weighting'] as const);

/** One reason to doubt a level. */
export type Flag = (typeof FLAGS)[number];

/** Of a second or a reading; absent: false. */
export type Flags = { readonly [Name in Flag]?: boolean };

/** How many seconds have each flag. */
export type FlaggedSeconds = { readonly [Name in Flag]: number };

/** Seconds with doubt. One that has several flags counts several times: it is better to count it twice than not at all. */
export const doubtfulSeconds = (flagged: FlaggedSeconds): number => FLAGS.reduce((sum, name) => sum + flagged[name], 0);
