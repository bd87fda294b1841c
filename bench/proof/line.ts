/** One line of the table of promises. */
export interface Line {
  readonly what: string;
  readonly found: string;
  readonly isKept: boolean;
}
