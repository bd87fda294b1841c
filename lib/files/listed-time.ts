/**
 * The dates of `ls -l`: `Dec 24 02:13` for younger files, `Dec 24  2025` for older ones. Device time without a zone.
 */

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAY_MS = 86_400_000;
/** 29 February may be eight years back (around 2100). */
const YEARS_BACK = 8;

/** Time of the meter's clock, which knows no zone. */
export interface ListedTime {
  /** `Dec 24 2025`. */
  readonly date: string;
  /** `2025-12-24T02:13:00`, where the listing had a time of day. */
  readonly at: string | undefined;
}

/** `rest` is `HH:MM` or `YYYY`. Undefined for a date that does not exist. */
export function listedTime(month: string, day: string, rest: string, now: number): ListedTime | undefined {
  const index = MONTHS.findIndex((word) => word.toLowerCase() === month.toLowerCase());
  if (index < 0) return undefined;
  if (!rest.includes(':')) {
    const time = moment(Number(rest), index, Number(day), 0, 0);
    return time === undefined ? undefined : { date: dateOf(time), at: undefined };
  }
  const [hours = 0, minutes = 0] = rest.split(':').map(Number);
  const time = latest(now + DAY_MS, (year) => moment(year, index, Number(day), hours, minutes));
  return time === undefined ? undefined : { date: dateOf(time), at: new Date(time).toISOString().slice(0, 19) };
}

/**
 * The newest year that does not put the file into the future. One day of grace: the zone of the device is not known,
 * and its clock may be a little ahead.
 */
function latest(limit: number, inYear: (year: number) => number | undefined): number | undefined {
  const newest = new Date(limit).getUTCFullYear();
  for (let year = newest; year >= newest - YEARS_BACK; year -= 1) {
    const time = inYear(year);
    if (time !== undefined && time <= limit) return time;
  }
  return undefined;
}

/** Device time read as UTC; undefined if the moment does not exist. */
function moment(year: number, month: number, day: number, hours: number, minutes: number): number | undefined {
  if (hours > 23 || minutes > 59 || year < 1970) return undefined;
  const time = Date.UTC(year, month, day, hours, minutes);
  return new Date(time).getUTCDate() === day ? time : undefined;
}

function dateOf(time: number): string {
  const date = new Date(time);
  return `${MONTHS[date.getUTCMonth()]} ${String(date.getUTCDate()).padStart(2, '0')} ${date.getUTCFullYear()}`;
}
