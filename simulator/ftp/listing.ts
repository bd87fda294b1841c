/**
 * Listings as Unix `ls -l`: nine columns, the name last and possibly with spaces. Parsers of real listings tell the columns
 * and the two forms of the date; owner and group are inferred. Knows no sockets.
 */
import type { CardEntry } from '../contract.ts';
import type { FtpBehaviour } from './behaviour.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** Half a year: entries that are older, or from the future, show the year in place of the time of day. */
const RECENT_MS = 182 * 86_400_000;
const FUTURE_MS = 86_400_000;

/** `drwxrwxrwx   1 root  root         0 Dec 23 19:39 Screenshot`. Times are device times; no zone is shown. */
function listingLine(entry: CardEntry, deviceNow: number): string {
  const rights = entry.folder ? 'drwxrwxrwx' : '-rw-rw-rw-';
  const size = String(entry.size).padStart(9);
  return `${rights}   1 root  root ${size} ${listingDate(entry.modifiedAt, deviceNow)} ${entry.name}`;
}

/** `Mon DD HH:MM`, or `Mon DD  YYYY`. */
export function listingDate(at: number, deviceNow: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${MONTHS[date.getUTCMonth()]} ${two(date.getUTCDate())}`;
  const recent = deviceNow - at < RECENT_MS && at - deviceNow < FUTURE_MS;
  return recent ? `${day} ${two(date.getUTCHours())}:${two(date.getUTCMinutes())}` : `${day}  ${date.getUTCFullYear()}`;
}

/** The bytes of a listing; an empty folder gives none at all. */
export function* listing(
  entries: readonly CardEntry[],
  deviceNow: number,
  behaviour: Readonly<FtpBehaviour>,
): Generator<Uint8Array> {
  const folder = (name: string): CardEntry => ({ name, folder: true, size: 0, modifiedAt: deviceNow });
  const dots = behaviour.dotEntries ? ['.', '..'].map(folder) : [];
  const hostile = behaviour.hostileNames.map((name) => ({ name, folder: false, size: 64, modifiedAt: deviceNow }));
  const all = [...dots, ...entries, ...hostile];
  const lines = all.map((entry) => `${listingLine(entry, deviceNow)}\r\n`).join('');
  if (lines) yield Buffer.from(lines, 'latin1');
  for (let number = 1; behaviour.endlessListing; number += 64) yield moreLines(number, deviceNow);
}

function moreLines(from: number, deviceNow: number): Uint8Array {
  const lines = Array.from({ length: 64 }, (_, at) => {
    const name = `${String(from + at).padStart(8, '0')}.bmp`;
    return `${listingLine({ name, folder: false, size: 192_054, modifiedAt: deviceNow }, deviceNow)}\r\n`;
  });
  return Buffer.from(lines.join(''), 'latin1');
}
