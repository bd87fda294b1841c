/**
 * Compares the listed times of a file. A listing has the time of day of a young file, and the year of an older file. The
 * clock of the meter decides which. The year beside a time of day is a guess of the gateway.
 */

/**
 * `same day`: one listing has the time of day, the other the year, and they fit: the file became older. `other year`: only a
 * guessed year differs: the clock of the meter was set, or is years off. The bytes show whether it is another file.
 */
export type TimeMatch = 'same' | 'same day' | 'other year' | 'other';

/** Both as `listedText` gives them: `2025-12-24T02:13:00`, or `Dec 24 2025`. */
export function matchOfTimes(known: string, listed: string): TimeMatch {
  if (known === listed) return 'same';
  const [one, other] = [partsOf(known), partsOf(listed)];
  if (one.day !== other.day) return 'other';
  const isOfOneForm = (one.time === undefined) === (other.time === undefined);
  if (isOfOneForm && (one.time === undefined || one.time !== other.time)) return 'other';
  return one.year === other.year ? 'same day' : 'other year';
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function partsOf(text: string): { readonly day: string; readonly year: string; readonly time: string | undefined } {
  const [date = '', time] = text.split('T');
  const [year = '', month = '', day = ''] = date.split('-');
  if (time !== undefined) return { day: `${MONTHS[Number(month) - 1]} ${day}`, year, time };
  return { day: text.slice(0, -5), year: text.slice(-4), time: undefined };
}
