/** Parses the command line of `npm run keys`. */
import type { Clock } from '../clock.ts';
import { isRole, isUnitId, ROLES, type Role } from '../domain/ids.ts';
import type { KeyAdmin } from './key-admin.ts';
import { NAME } from './live-keys.ts';

/** Words of the command line, unchecked. */
export interface Words {
  readonly name?: string | undefined;
  readonly role?: string | undefined;
  readonly units?: string | undefined;
  readonly expires?: string | undefined;
  /** The words after the command. */
  readonly rest: readonly string[];
}

/** Input and output of a command. */
export interface CommandIo {
  readonly admin: KeyAdmin;
  readonly clock: Clock;
  /** The result, on standard output. */
  say(line: string): void;
  /** Remarks for people, on standard error. */
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

/** The role of a word; a missing role is wrong, too. */
export function roleIn(word = ''): Role {
  if (isRole(word)) return word;
  throw new WrongWords(`--role: one of ${ROLES.join(', ')}`);
}

/** Null: all units. */
export function unitsIn(word: string | undefined): readonly string[] | null {
  if (word === undefined) return null;
  const units = word.split(',').map((unit) => unit.trim());
  const wrong = units.find((unit) => !isUnitId(unit));
  if (wrong !== undefined) throw new WrongWords(`--units: ${JSON.stringify(wrong)} is no unit_id`);
  return [...new Set(units)];
}

/** Throws if words are left. */
export function nothingMore(rest: readonly string[]): void {
  if (rest.length > 0) throw new WrongWords(`${JSON.stringify(rest[0])} is one word too many`);
}

/** `all units`, or their names. */
export const reach = ({ units }: { readonly units: readonly string[] | null }): string =>
  units === null ? 'all units' : `units ${units.join(', ')}`;

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
