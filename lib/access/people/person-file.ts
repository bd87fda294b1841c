/**
 * `people.json` in the data folder: who may sign in with a name and a password. Only the command line changes it; a running gateway
 * notices within a second. It has no password, only what one is checked with.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../../clock.ts';
import { ROLES, type Role, UNIT_ID } from '../../domain/ids.ts';
import { ANYBODY } from '../../http/access.ts';
import { compileBody } from '../../http/checks.ts';
import { NAME } from '../key-file.ts';
import { changeRecords, type RecordFile, readRecords } from '../record-file.ts';
import { replaceFile } from '../replace-file.ts';
import { STORED } from './passwords.ts';

/** Somebody who may sign in. */
export interface Person {
  /** Eight hexadecimal digits, never used again. */
  readonly id: string;
  /** As the person wrote it; sign-in does not mind capitals. */
  readonly name: string;
  readonly role: Role;
  /** Null: all units. */
  readonly units: readonly string[] | null;
  /** See `passwords.ts`. Null: the person has none, and is signed in by a proxy in front of the gateway. */
  readonly password: string | null;
  /** Another one after each change of role, units or password: sessions from before end. */
  readonly stamp: string;
  /** UTC, ISO 8601. */
  readonly created_at: string;
}

/** Most people of a gateway: the file is read whole. */
export const MOST_PEOPLE = 1_000;

const PERSON = {
  id: { type: 'string', pattern: '^[0-9a-f]{8}$' },
  name: { type: 'string', pattern: NAME },
  role: { enum: ROLES },
  units: { type: ['array', 'null'], items: { type: 'string', pattern: UNIT_ID } },
  password: { type: ['string', 'null'], pattern: STORED },
  stamp: { type: 'string', pattern: '^[0-9a-f]{16}$' },
  created_at: { type: 'string', format: 'date-time' },
};

interface Content {
  readonly version: number;
  readonly people: readonly Person[];
}

const FILE: RecordFile<Content> = {
  what: 'people',
  none: { version: 1, people: [] },
  check: compileBody({
    type: 'object',
    properties: {
      version: { const: 1 },
      people: { type: 'array', items: { type: 'object', properties: PERSON, required: Object.keys(PERSON) } },
    },
    required: ['version', 'people'],
  }),
};

/** The file with all people of a data folder. */
export const personFileIn = (dataDir: string): string => join(dataDir, 'people.json');

/** Everybody; nobody where there is no file. Throws an error whose one line says what to do. */
export const readPeople = (path: string): readonly Person[] => readRecords(path, FILE).people;

/** Replaces the people by the result of `change`. Two changes at the same time run one after the other. */
export const changePeople = (
  path: string,
  clock: Clock,
  change: (people: readonly Person[]) => readonly Person[],
): Promise<void> =>
  changeRecords(
    path,
    FILE,
    clock,
    ({ people }) => ({ version: 1, people: change(people) }),
    async () => {
      if (!existsSync(tokenOf(path))) await replaceFile(tokenOf(path), TOKEN);
    },
  );

/** In the folder of the people; it stays when their file is deleted. */
const tokenOf = (path: string): string => join(dirname(path), 'people-made.txt');

const TOKEN =
  'People were made in this folder. If people.json is gone, the gateway does not start without it as long as this file is here.\n';

/** The file that shows that people were made here, although there is no file of them now. */
export const signsOfLostPeople = (path: string): string[] =>
  existsSync(path) ? [] : [tokenOf(path)].filter((sign) => existsSync(sign));

/** Names that are the same for a person are the same here: `ANNA` is `Anna`. */
export const sameName = (name: string): string => name.normalize('NFKC').toLowerCase();

/** What the gateway calls a caller who needs no sign-in: nobody else is called so. */
export const isReserved = (name: string): boolean => sameName(name) === ANYBODY;

/** Random, 64 bit. */
export const newStamp = (): string => randomBytes(8).toString('hex');
/** Random, 32 bit. */
export const newId = (): string => randomBytes(4).toString('hex');
