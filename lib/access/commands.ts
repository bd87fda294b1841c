/** `npm run keys -- create|list|revoke|unlock`: the API keys, in a running gateway or in its database. */
import type { Clock } from '../clock.ts';
import { isRole, isTag, isUnitId, ROLES, type Role } from '../domain/ids.ts';
import { plainAddress } from '../http/arrival.ts';
import { addressPrefix } from '../http/callers.ts';
import { type KeyAdmin, Refused } from './key-admin.ts';
import { NAME, standingOf } from './live-keys.ts';
import type { KeyRecord } from './tables.ts';
import type { UnitChoice } from './unit-choice.ts';

/** Unchecked. */
export interface Words {
  readonly name?: string | undefined;
  readonly role?: string | undefined;
  readonly units?: string | undefined;
  readonly tags?: string | undefined;
  readonly expires?: string | undefined;
  readonly rest: readonly string[];
}

export interface CommandIo {
  readonly admin: KeyAdmin;
  readonly clock: Clock;
  say(line: string): void;
  note(line: string): void;
}

/** The command line is wrong; the message is for the person who typed it. */
export class WrongWords extends Error {
  override readonly name = 'WrongWords';
}

/** Throws WrongWords, like the functions below. */
export function nameIn(word: string | undefined): string {
  if (word !== undefined && new RegExp(NAME, 'u').test(word)) return word;
  throw new WrongWords('--name: up to 64 letters, digits, spaces and . _ - @, beginning with a letter or digit');
}

export function roleIn(word = ''): Role {
  if (isRole(word)) return word;
  throw new WrongWords(`--role: one of ${ROLES.join(', ')}`);
}

/** `*` and no word mean all units. */
export function choiceOf({ units, tags }: Pick<Words, 'units' | 'tags'>): UnitChoice {
  if (units !== undefined && tags !== undefined) throw new WrongWords('--tags: give either --units or --tags');
  if (tags !== undefined) return { units: [], tags: listIn(tags, '--tags', isTag, 'tag') };
  if (units === undefined || units === '*') return { units: null, tags: null };
  return { units: listIn(units, '--units', isUnitId, 'unit_id'), tags: null };
}

function listIn(word: string, option: string, isRight: (text: string) => boolean, what: string): readonly string[] {
  const texts = word.split(',').map((text) => text.trim());
  const wrong = texts.find((text) => !isRight(text));
  if (wrong !== undefined) throw new WrongWords(`${option}: ${JSON.stringify(wrong)} is no ${what}`);
  return [...new Set(texts)];
}

export function nothingMore(rest: readonly string[]): void {
  if (rest.length > 0) throw new WrongWords(`${JSON.stringify(rest[0])} is one word too many`);
}

export function reach({ units, tags }: UnitChoice): string {
  if (tags) return `units with the tag ${tags.join(' or ')}`;
  return units === null ? 'all units' : `units ${units.join(', ')}`;
}

/** The same in a table. */
export const shortReach = ({ units, tags }: UnitChoice): string =>
  tags ? tags.map((tag) => `#${tag}`).join(',') : (units?.join(',') ?? 'all');

/** Rows of cells as lines, each column as wide as its widest cell. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Throws WrongWords. */
export async function create(words: Words, { admin, clock, say, note }: CommandIo): Promise<void> {
  const name = nameIn(words.name);
  const expires_at = expiryIn(words.expires, clock.now());
  const wanted = { name, role: roleIn(words.role), ...choiceOf(words), expires_at };
  nothingMore(words.rest);
  const made = await admin.addKey(wanted).catch((error: unknown) => {
    if (error instanceof Refused) throw new WrongWords(`--name: ${error.message}`);
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

export async function list({ rest }: Words, { admin, clock, say, note }: CommandIo): Promise<void> {
  nothingMore(rest);
  const keys = await admin.keys();
  if (keys.length === 0) return note('There is no API key.');
  const rows = keys.map((key) => [
    ...[key.id, key.name, key.role, shortReach(key), standingOf(key, clock.now())],
    ...[key.created_at, key.expires_at ?? 'never', key.used_at ?? 'never'],
  ]);
  const head = ['ID', 'NAME', 'ROLE', 'UNITS', 'STANDING', 'CREATED', 'EXPIRES', 'LAST USED'];
  for (const line of columns([head, ...rows])) say(line);
}

/** At once, also in a running gateway. Throws WrongWords without an id, and an error for an unknown id. */
export async function revoke({ rest: [id, ...rest] }: Words, { admin, note }: CommandIo): Promise<void> {
  nothingMore(rest);
  if (id === undefined) throw new WrongWords('revoke needs the ID of a key; list shows them');
  if (!(await admin.revokeKey(id))) throw new Error(`there is no key ${id}`);
  note(`The API key ${id} is revoked. A running gateway refuses it within a second.`);
}

export async function unlock({ rest: [word, ...rest] }: Words, { admin, note }: CommandIo): Promise<void> {
  nothingMore(rest);
  const address = plainAddress((word ?? '').replace(/\/64$/, ''));
  if (address === undefined) throw new WrongWords('unlock needs an IP address, as the log names it');
  const isUnlocked = await admin.unlock(address);
  if (isUnlocked) return note(`${addressPrefix(address)} can call again.`);
  note('No gateway runs on this data folder, so no address is locked out here.');
}

const HOURS: Readonly<Record<string, number>> = { h: 1, d: 24, w: 168 };
const HOUR_MS = 3_600_000;

/** A span (`12h`, `90d`, `4w`) or an end day (`2027-01-31`, at 00:00 UTC). */
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
