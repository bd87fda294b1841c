/** A time that a person chose in a chart, a table or a calendar: from the first chosen row to the last one. Pure. */

/** ms since 1970 UTC. */
export interface ChosenTime {
  readonly from: number;
  readonly to: number;
}

/** In the form of the API. */
export const isoSpan = ({ from, to }: ChosenTime) => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
});

export const isChosen = ({ from }: ChosenTime, chosen: ChosenTime | undefined): boolean =>
  chosen !== undefined && from >= chosen.from && from < chosen.to;

/**
 * After a click on a row: the chosen time reaches as far as this row. A click on a chosen row takes it away: the first
 * one alone, any other one with all rows after it.
 */
export function toggled(row: ChosenTime, chosen: ChosenTime | undefined): ChosenTime | undefined {
  if (!chosen) return row;
  if (!isChosen(row, chosen)) return { from: Math.min(row.from, chosen.from), to: Math.max(row.to, chosen.to) };
  const rest = row.from === chosen.from ? { from: row.to, to: chosen.to } : { from: chosen.from, to: row.from };
  return rest.from < rest.to ? rest : undefined;
}

const MINUTE_MS = 60_000;
/** In a longer chart a pixel is more than some seconds, ms. */
const BY_MINUTES_MS = 60 * MINUTE_MS;

/** A span that was drawn with the mouse, to the full minute or second. It is within what is shown, and not in the future. */
export function drawnTime({ from, to }: ChosenTime, shown: ChosenTime, now: number): ChosenTime | undefined {
  const step = shown.to - shown.from > BY_MINUTES_MS ? MINUTE_MS : 1_000;
  const end = Math.min(Math.ceil(to / step) * step, Math.floor(now / 1_000) * 1_000);
  const begin = Math.max(Math.floor(from / step) * step, Math.floor(shown.from / 1_000) * 1_000);
  return begin < end ? { from: begin, to: end } : undefined;
}
