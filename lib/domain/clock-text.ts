/** Date and time as clocks without a zone show them, in the form of the API and of the NL-43: `2025/12/24 02:10:55`, one space. */
const CLOCK = /^(?!0000)\d{4}\/\d{2}\/\d{2} \d{2}:\d{2}:\d{2}$/;

/** What such a clock shows, as if it showed UTC, ms; NaN for a text that is no moment that exists. */
export function clockMs(text: string): number {
  const iso = `${text.replaceAll('/', '-').replace(' ', 'T')}.000Z`;
  const at = CLOCK.test(text) ? Date.parse(iso) : Number.NaN;
  // A 30th of February would become the 2nd of March.
  return !Number.isNaN(at) && new Date(at).toISOString() === iso ? at : Number.NaN;
}

/** `2026/11/21 06:00:00`, of what a clock shows as if it showed UTC, ms. */
export const clockText = (local: number): string =>
  new Date(local).toISOString().slice(0, 19).replaceAll('-', '/').replace('T', ' ');

/** Whether the text is a moment that exists, in this form. Which years a meter takes is for the meter to say. */
export const isClockText = (text: string): boolean => !Number.isNaN(clockMs(text));
