/**
 * Reasons to doubt a level. `over` and `under`: outside the range of the meter. `frozen`: the same values again and
 * again although the meter measures. `implausible`: no meter can show it. `weighting`: perhaps measured with another
 * weighting than stored. The order is that of the bits on the disk: a new flag must be the last.
 */
export const FLAGS = Object.freeze(['over', 'under', 'frozen', 'implausible', 'weighting'] as const);

export type Flag = (typeof FLAGS)[number];

/** Flags of a second or a reading; absent: false. */
export type Flags = { readonly [Name in Flag]?: boolean };

export type FlaggedSeconds = { readonly [Name in Flag]: number };

/** Seconds with doubt. A second with several flags counts several times: better twice than not at all. */
export const doubtfulSeconds = (flagged: FlaggedSeconds): number => FLAGS.reduce((sum, name) => sum + flagged[name], 0);
