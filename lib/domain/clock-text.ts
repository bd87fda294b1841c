/** Date and time as clocks without a zone show them, in the form of the API and of the NL-43: `2025/12/24 02:10:55`, one space. */
const CLOCK = /^(?!0000)\d{4}\/\d{2}\/\d{2} \d{2}:\d{2}:\d{2}$/;

/**
 * Ms since 1970 of the shown time, read as UTC; NaN for a text that is not an existing moment. Parsed without new
 * texts, because each frame of a stream has one.
 */
export function clockMs(text: string): number {
  if (!CLOCK.test(text)) return Number.NaN;
  const part = (from: number, to: number) => Number(text.slice(from, to));
  const [hours, minutes, seconds] = [part(11, 13), part(14, 16), part(17, 19)];
  const month = part(5, 7) - 1;
  const day = new Date(0);
  day.setUTCFullYear(part(0, 4), month, part(8, 10));
  // A 30th of February has become the 2nd of March here.
  const exists = day.getUTCMonth() === month && hours < 24 && minutes < 60 && seconds < 60;
  return exists ? day.getTime() + ((hours * 60 + minutes) * 60 + seconds) * 1_000 : Number.NaN;
}

/** `2026/11/21 06:00:00`, from a shown time read as UTC, ms. */
export const clockText = (local: number): string =>
  new Date(local).toISOString().slice(0, 19).replaceAll('-', '/').replace('T', ' ');

/** Whether the text is an existing moment in this form. The range of years depends on the meter. */
export const isClockText = (text: string): boolean => !Number.isNaN(clockMs(text));
