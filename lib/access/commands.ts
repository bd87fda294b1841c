/**
 * `npm run keys -- create|list|revoke|unlock`: changes the key file of a data folder. A gateway
 * may run on that folder: it notices the change within a second.
 */
import { addressPrefix, plainAddress } from '../http/networks.ts';
import { addKey, KeyRefused, revokeKey } from './change-keys.ts';
import {
  type CommandIo,
  columns,
  nameIn,
  nothingMore,
  reach,
  roleIn,
  unitsIn,
  type Words,
  WrongWords,
} from './command-words.ts';
import { type KeyRecord, keyFileIn, readKeyFile } from './key-file.ts';
import { readUse, useFileIn } from './last-use.ts';
import { standingOf } from './live-keys.ts';
import { addUnlock, unlockFileIn } from './unlocks.ts';

/** Makes a key and prints it, once. Throws WrongWords. */
export async function create(words: Words, { dataDir, clock, say, note }: CommandIo): Promise<void> {
  const name = nameIn(words.name);
  const expiresAt = expiryIn(words.expires, clock.now());
  const wanted = { name, role: roleIn(words.role), units: unitsIn(words.units), expiresAt };
  nothingMore(words.rest);
  const made = await addKey(keyFileIn(dataDir), clock, wanted).catch((error: unknown) => {
    if (error instanceof KeyRefused) throw new WrongWords(`--name: ${error.message}`);
    throw error;
  });
  const { record: key, text, isFirst } = made;
  const { id } = key;
  say(text);
  note(`The API key ${id} "${name}" is made: ${key.role}, ${reach(key)}, ${until(key)}.`);
  note('It is shown only this once and is not stored. Callers send it as Authorization: Bearer KEY.');
  if (!isFirst) return;
  const rest = key.role === 'admin' && key.units === null ? '' : ' Make one with the role admin for yourself, too.';
  note(`It is the first one: from now on the gateway asks everybody for a key, also on this computer.${rest}`);
}

/** Prints a table of the keys, without their texts. */
export async function list({ rest }: Words, { dataDir, clock, say, note }: CommandIo): Promise<void> {
  nothingMore(rest);
  const keys = readKeyFile(keyFileIn(dataDir));
  if (keys.length === 0) return note(`There is no API key in ${keyFileIn(dataDir)}.`);
  const used = readUse(useFileIn(dataDir));
  const rows = keys.map((key) => [
    ...[key.id, key.name, key.role, key.units?.join(',') ?? 'all', standingOf(key, clock.now())],
    ...[key.created_at, key.expires_at ?? 'never', used[key.id] ?? 'never'],
  ]);
  const head = ['ID', 'NAME', 'ROLE', 'UNITS', 'STANDING', 'CREATED', 'EXPIRES', 'LAST USED'];
  for (const line of columns([head, ...rows])) say(line);
}

/** Ends a key at once, also in a gateway that runs. Throws WrongWords where there is none of this id. */
export async function revoke({ rest: [id, ...rest] }: Words, { dataDir, clock, note }: CommandIo): Promise<void> {
  nothingMore(rest);
  if (id === undefined) throw new WrongWords('revoke needs the ID of a key; list shows them');
  const path = keyFileIn(dataDir);
  if (!(await revokeKey(path, clock, id))) throw new Error(`there is no key ${id} in ${path}`);
  note(`The API key ${id} is revoked. A running gateway refuses it within a second.`);
}

/** Unlocks an address that was locked out for wrong keys or tickets. */
export async function unlock({ rest: [word, ...rest] }: Words, { dataDir, clock, note }: CommandIo): Promise<void> {
  nothingMore(rest);
  const address = plainAddress((word ?? '').replace(/\/64$/, ''));
  if (address === undefined) throw new WrongWords('unlock needs an IP address, as the log names it');
  await addUnlock(unlockFileIn(dataDir), addressPrefix(address), clock);
  note(`${addressPrefix(address)} can call again within a second.`);
}

const HOURS: Readonly<Record<string, number>> = { h: 1, d: 24, w: 168 };
const HOUR_MS = 3_600_000;

/** A span (`12h`, `90d`, `4w`) or the day on which it ends (`2027-01-31`, at 00:00 UTC). */
function expiryIn(word: string | undefined, now: number): string | null {
  if (word === undefined) return null;
  const [, count, unit = ''] = /^([1-9]\d{0,4})([hdw])$/.exec(word) ?? [];
  const day = /^\d{4}-\d{2}-\d{2}$/.test(word) ? Date.parse(word) : Number.NaN;
  const at = count === undefined ? day : now + Number(count) * (HOURS[unit] ?? 0) * HOUR_MS;
  if (!(at > now)) throw new WrongWords('--expires: a span such as 12h, 90d or 4w, or a future day such as 2027-01-31');
  return timeText(at);
}

const timeText = (at: number): string => new Date(at).toISOString();
const until = ({ expires_at }: KeyRecord): string => (expires_at === null ? 'never expires' : `until ${expires_at}`);
