/** Numbers as English sentences write them: one form for one thing and another for several, no sign before a zero, spans in seconds. */

/** `1 file`, `3 files`; with a second form also `1 row was`, `3 rows were`. */
export const countOf = (count: number, one: string, several = `${one}s`): string =>
  `${count} ${count === 1 ? one : several}`;

/** With so many decimals. A number that is rounded to zero has no sign. */
export function fixed(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? text.replace('-', '') : text;
}

/** `30 s` or `0.1 s`, of ms; below a tenth `0.05 s`. */
export const inSeconds = (ms: number): string => `${ms < 100 ? Math.round(ms) / 1_000 : Math.round(ms / 100) / 10} s`;
