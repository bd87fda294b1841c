/** Making and ending API keys, from the command line and from the API. */
import type { Clock } from '../clock.ts';
import type { Role } from '../domain/ids.ts';
import { changeKeyFile, type KeyRecord } from './key-file.ts';
import { newKey } from './key-text.ts';
import { standingOf } from './live-keys.ts';

/** Most keys of a gateway, also ended ones: the file is read whole. */
export const MOST_KEYS = 5_000;

/** What a person says of a new key. */
export interface WantedKey {
  /** As `NAME` of the key file. */
  readonly name: string;
  readonly role: Role;
  /** Null: all units. */
  readonly units: readonly string[] | null;
  /** ISO 8601, UTC; null: never. */
  readonly expiresAt: string | null;
}

/** A key that exists from now on. */
export interface MadeKey {
  readonly record: KeyRecord;
  /** Exists only here: it is shown once. */
  readonly text: string;
  /** From now on everybody needs a key. */
  readonly isFirst: boolean;
}

/** Why a key cannot be made: a sentence without its first capital and full stop. */
export class KeyRefused extends Error {
  readonly about: 'name' | 'count';

  constructor(about: 'name' | 'count', message: string) {
    super(message);
    this.about = about;
  }
}

/** `check` may throw: it sees the present keys in the same turn. Throws KeyRefused for a name that a valid key has. */
export async function addKey(
  path: string,
  clock: Clock,
  { name, role, units, expiresAt }: WantedKey,
  check: (keys: readonly KeyRecord[]) => void = () => {},
): Promise<MadeKey> {
  const { id, text, hash } = newKey();
  const times = { created_at: timeText(clock), expires_at: expiresAt, revoked_at: null };
  const record: KeyRecord = { id, name, role, units, hash, ...times };
  let isFirst = false;
  await changeKeyFile(path, clock, (keys) => {
    check(keys);
    isFirst = keys.length === 0;
    if (keys.length >= MOST_KEYS) throw new KeyRefused('count', `there are ${MOST_KEYS} keys, which is the limit`);
    const twin = keys.find((other) => other.name === name && standingOf(other, clock.now()) === 'good');
    if (twin) throw new KeyRefused('name', `the key ${twin.id} has this name; revoke it first, or choose another name`);
    return [...keys, record];
  });
  return { record, text, isFirst };
}

/** The key as it is then; undefined: there is none of this id. One that was revoked before keeps its time. */
export async function revokeKey(path: string, clock: Clock, id: string): Promise<KeyRecord | undefined> {
  let found: KeyRecord | undefined;
  await changeKeyFile(path, clock, (keys) =>
    keys.map((key) => {
      if (key.id !== id) return key;
      found = { ...key, revoked_at: key.revoked_at ?? timeText(clock) };
      return found;
    }),
  );
  return found;
}

const timeText = (clock: Clock): string => new Date(clock.now()).toISOString();
