/**
 * `keys.json` in the data folder: the API keys, without the keys themselves. It is replaced whole, so that the command
 * line can change it while a gateway reads it (docs/adr). This file does not decide who may do what.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../clock.ts';
import { ROLES, type Role, UNIT_ID } from '../domain/ids.ts';
import { compileBody } from '../http/checks.ts';
import { changeRecords, type RecordFile, readRecords } from './record-file.ts';
import { replaceFile } from './replace-file.ts';

/** A key as the file has it: never its text. */
export interface KeyRecord {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** Null: all units. */
  readonly units: readonly string[] | null;
  /** SHA-256 of the text of the key, hex. */
  readonly hash: string;
  /** UTC, ISO 8601, like the two below. */
  readonly created_at: string;
  /** Null: never. */
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

/** Of a key, as a regular expression with the flag `u`. */
export const NAME = '^[\\p{L}\\p{N}][\\p{L}\\p{N} ._@-]{0,63}$';
const TIME = { type: 'string', format: 'date-time' };
const KEY = {
  id: { type: 'string', pattern: '^[0-9a-f]{8}$' },
  name: { type: 'string', pattern: NAME },
  role: { enum: ROLES },
  units: { type: ['array', 'null'], items: { type: 'string', pattern: UNIT_ID } },
  hash: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  created_at: TIME,
  expires_at: { ...TIME, type: ['string', 'null'] },
  revoked_at: { ...TIME, type: ['string', 'null'] },
};
const check = compileBody({
  type: 'object',
  properties: {
    version: { const: 1 },
    keys: { type: 'array', items: { type: 'object', properties: KEY, required: Object.keys(KEY) } },
  },
  required: ['version', 'keys'],
});

/** The file with the last use of each key. */
export const USE_FILE = 'keys-used.json';

/** The file with all keys of a data folder. */
export const keyFileIn = (dataDir: string): string => join(dataDir, 'keys.json');

interface Content {
  readonly version: number;
  readonly keys: readonly KeyRecord[];
}

const FILE: RecordFile<Content> = { what: 'API keys', check, none: { version: 1, keys: [] } };

/** All keys, revoked and expired ones too; none where there is no file. Throws an error whose one line says what to do. */
export const readKeyFile = (path: string): readonly KeyRecord[] => readRecords(path, FILE).keys;

/** Replaces the keys by the result of `change`. Two changes at the same time run one after the other. */
export const changeKeyFile = (
  path: string,
  clock: Clock,
  change: (keys: readonly KeyRecord[]) => readonly KeyRecord[],
): Promise<void> =>
  changeRecords(
    path,
    FILE,
    clock,
    ({ keys }) => ({ version: 1, keys: change(keys) }),
    async () => {
      if (!existsSync(tokenOf(path))) await replaceFile(tokenOf(path), TOKEN);
    },
  );

/** In the folder of the keys; it stays when they are deleted. */
const tokenOf = (path: string): string => join(dirname(path), 'keys-made.txt');

const TOKEN =
  'API keys were made in this folder. If keys.json is gone, the gateway does not start without keys as long as this file is here.\n';

/** Files that show that keys were made here, although there are none now. Empty if there never was a key, or if there are keys. */
export function signsOfLostKeys(path: string): string[] {
  if (existsSync(path)) return [];
  return [tokenOf(path), join(dirname(path), USE_FILE)].filter((sign) => existsSync(sign));
}
