/**
 * Reads a folder listing in the form of `ls -l`, as the meter's FTP server gives it (9 columns, name last):
 *
 *   -rw-rw-rw-   1 root  root      1482 Dec 24 02:13 NL_0001_SLM_Lp _0019_0001.rnd
 *
 * A name may contain spaces, leading ones too. The text comes from a device and cards carry foreign files. So an
 * unusual line, or a name that could mislead, is dropped and counted, never repaired.
 */
import type { FileEntry } from './contract.ts';
import { listedTime } from './listed-time.ts';
import { inside } from './paths.ts';

/** A listed folder. */
export interface Listing {
  /** In the order of the device, without `.` and `..`. */
  readonly entries: readonly FileEntry[];
  /** Lines that were left out because they could not be read or trusted. */
  readonly dropped: number;
}

/**
 * A longer listing is refused completely: a cut listing would look complete. A folder of the meter has about 1,000
 * files at most.
 */
export const MOST_ENTRIES = 20_000;
const LONGEST_LINE = 1_024;
const LONGEST_NAME = 255;

// type and mode, links, owner and group (0-2 columns), size, month, day, time or year, one space, name
const LINE =
  /^([a-z-])\S{9,}\s+\d+\s+(?:\S+\s+){0,2}?(\d{1,15})\s+([A-Za-z]{3})\s+(\d{1,2})\s+(\d{1,2}:\d{2}|\d{4}) (.+)$/;

/**
 * `now` is the time of the gateway, ms since 1970: the listing has no year for younger files. Throws RangeError when
 * there are more than MOST_ENTRIES lines.
 */
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
