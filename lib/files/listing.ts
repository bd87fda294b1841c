/**
 * Reads a folder listing in the form of `ls -l`, as the meter's FTP server gives it (9 columns, name last):
 *
 *   -rw-rw-rw-   1 root  root      1482 Dec 24 02:13 NL_0001_SLM_Lp _0019_0001.rnd
 *
 * A name may contain spaces, leading ones too. The text comes from a device and cards carry foreign files. So an
 * unusual line, or a name that could mislead, is dropped and counted, never repaired.
 */
import type { FileEntry } from './contract.ts';
import { inside } from './names.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAY_MS = 86_400_000;
/** 29 February may be eight years back (around 2100). */
const YEARS_BACK = 8;

interface ListedTime {
  readonly date: string;
  /** `2025-12-24T02:13:00`, where the listing had a time of day. */
  readonly at: string | undefined;
}

/** `Dec 24 02:13` for younger files, `Dec 24 2025` for older ones. Undefined for a date that does not exist. */
function listedTime(month: string, day: string, rest: string, now: number): ListedTime | undefined {
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

interface Listing {
  readonly entries: readonly FileEntry[];
  /** Lines that were left out because they could not be read or trusted. */
  readonly dropped: number;
}

/**
 * A longer listing is refused: a cut listing would look complete. A folder of the meter has about 1,000 files at most.
 */
export const MOST_ENTRIES = 20_000;
const LONGEST_LINE = 1_024;
const LONGEST_NAME = 255;

// type and mode, links, owner and group (0-2 columns), size, month, day, time or year, one space, name
const LINE =
  /^([a-z-])\S{9,}\s+\d+\s+(?:\S+\s+){0,2}?(\d{1,15})\s+([A-Za-z]{3})\s+(\d{1,2})\s+(\d{1,2}:\d{2}|\d{4}) (.+)$/;

/** `now`: ms since 1970; the listing has no year for younger files. Throws RangeError above MOST_ENTRIES lines. */
export function readListing(text: string, folder: string, now: number): Listing {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '' && !/^total \d+\s*$/.test(line));
  if (lines.length > MOST_ENTRIES) throw new RangeError(`The folder has more than ${MOST_ENTRIES} entries.`);
  const entries: FileEntry[] = [];
  let dropped = 0;
  for (const line of lines) {
    const entry = readLine(line, folder, now);
    if (entry === undefined) dropped += 1;
    else if (entry.name !== '.' && entry.name !== '..') entries.push(entry);
  }
  return { entries, dropped };
}

function readLine(line: string, folder: string, now: number): FileEntry | undefined {
  const columns = line.length <= LONGEST_LINE ? LINE.exec(line) : null;
  if (!columns) return undefined;
  const [, type = '', size = '', month = '', day = '', rest = '', name = ''] = columns;
  const time = listedTime(month, day, rest, now);
  if ((type !== '-' && type !== 'd') || !time || !trusted(name)) return undefined;
  return {
    name,
    path: inside(folder, name),
    size: type === 'd' ? 0 : Number(size),
    modified: time.date,
    modifiedAt: time.at,
    isDir: type === 'd',
  };
}

/**
 * No separator, no control character, no bytes that are not UTF-8. Nothing invisible: marks that turn the writing
 * direction make `gnp.exe` look like `exe.png`. Such a file could not be requested by this name.
 */
const trusted = (name: string): boolean =>
  name.length <= LONGEST_NAME && name.isWellFormed() && !/[/\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}\uFFFD]/u.test(name);
