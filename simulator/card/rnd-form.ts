/** How a meter writes `.rnd` files. Types only. */

/** Meters differ in how they write `.rnd` files. */
export interface RndForm {
  /** LIeq, Leq,mov and Ltm5 have values; otherwise they are missing, as on the display. */
  readonly additional: boolean;
  /**
   * A public reader of NL-53 files looks for a column by the beginning of its name. It takes the last match. `by prefix`: no
   * column name begins with an earlier name. `Leqmov last`: Leq,mov is called `Leqmov` and hides Leq, Lpeak hides Lp.
   */
  readonly columns: 'by prefix' | 'Leqmov last';
  /** One row an interval, as public readers of NL-43 files want it; or one block of lines, as an NL-52 with its RT option writes. */
  readonly layout: 'rows' | 'blocks';
  /** Each line ends with a comma. */
  readonly lastComma: boolean;
  /** A memo of the user in Shift-JIS in addition to the levels. */
  readonly memo: boolean;
  /** A file that is being written ends at a full sector, in the middle of a row. */
  readonly cut: boolean;
}
