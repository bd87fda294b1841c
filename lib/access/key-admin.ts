/**
 * Makes, changes and ends keys and people: through the API, or through the command line with or without a gateway. Each
 * change is one transaction of the store: it is on the disk when its promise resolves, and not done when the promise
 * rejects. No gateway or command undoes changes of another, because each transaction reads the rows that it changes.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Rows, Tables } from '../store/contract.ts';
import { moveOver, syncFolder } from '../system.ts';
import { newKey } from './key-text.ts';
import { standingOf } from './live-keys.ts';
import { isReserved, newId, newStamp, sameName } from './people/live-people.ts';
import { CHANGES, type ChangeRow, KEYS, type KeyRecord, PEOPLE, type Person, STATE } from './tables.ts';

/** A reader sees the old content or the new, also after a power cut. Mode 0600, owned by the owner of the folder if this process may set that. */
async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await keepOwner(file, path);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await moveOver(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** A file of the administrator must stay readable for the gateway, which runs as the owner of its data folder. */
async function keepOwner(file: FileHandle, path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(dirname(path));
  await file.chown(uid, gid);
}

/** Also ended ones: all are in memory. */
export const MOST_KEYS = 5_000;
/** All are in memory. */
export const MOST_PEOPLE = 1_000;

type RightsNamed = 'name' | 'role' | 'units' | 'tags';
export type WantedPerson = Pick<Person, RightsNamed | 'password' | 'until'>;
type WantedKey = Pick<KeyRecord, RightsNamed | 'expires_at'>;

export interface MadeKey {
  readonly record: KeyRecord;
  readonly text: string;
  /** From now on everybody needs a key. */
  readonly isFirst: boolean;
}

/** Missing properties stay. */
export type PersonChange = Partial<Pick<Person, 'role' | 'units' | 'tags' | 'until' | 'password'>>;

/** Why a key or a person cannot be made: a sentence without its first capital and full stop. */
export class Refused extends Error {
  readonly about: 'name' | 'count';

  constructor(about: Refused['about'], message: string) {
    super(message);
    this.about = about;
  }
}

/** The operations that a gateway takes from the command line. */
export const ADMIN_OPERATIONS = Object.freeze([
  'keys',
  'people',
  'addKey',
  'revokeKey',
  'addPerson',
  'changePerson',
  'removePerson',
  'unlock',
] as const);
/** Keys and people for the command line. Errors: Refused; STORAGE_FULL, STORAGE_FAILED. */
export type KeyAdmin = Pick<TableKeyAdmin, (typeof ADMIN_OPERATIONS)[number]>;

interface KeyAdminParts {
  readonly tables: Tables;
  readonly dataDir: string;
  readonly clock: Clock;
  /** The audit log reads changes of the command line from a table; requests of the API record themselves. */
  readonly isNoted: boolean;
  readonly changed?: () => Promise<void>;
  readonly unlock?: (address: string) => void;
}

interface KeysAndPeople {
  readonly keys: readonly KeyRecord[];
  readonly people: readonly Person[];
  /** Number of changes; 0: no key or person was ever made. */
  readonly version: number;
}

export const readAll = (tables: Tables): Promise<KeysAndPeople> =>
  tables.read(async (rows) => ({
    keys: await rows.find(KEYS, { order: { n: 'asc' } }),
    people: await rows.find(PEOPLE, { order: { n: 'asc' } }),
    version: await versionIn(rows),
  }));

export const readVersion = (tables: Tables): Promise<number> => tables.read(versionIn);

async function versionIn(rows: Rows): Promise<number> {
  const [state] = await rows.find(STATE, { where: { name: 'version' } });
  return state?.value ?? 0;
}

/**
 * One change of keys and people, after the changes of other processes: the row of the counter is locked until its
 * transaction ends. The change leaves a sign file in the data folder: a lost database must not open the gateway. `work`
 * resolves with undefined or false if it changed nothing.
 */
export const changeIn = <T>(tables: Tables, dataDir: string, work: (rows: Rows) => Promise<T>): Promise<T> =>
  tables.write(async (rows) => {
    await rows.change(STATE, { name: 'version' }, { name: 'version' });
    const done = await work(rows);
    if (done === undefined || done === false) return done;
    await rows.change(STATE, { name: 'version' }, { value: (await versionIn(rows)) + 1 });
    await leaveSign(dataDir);
    return done;
  });

const SIGN = 'keys-made.txt';
const SIGN_TEXT =
  'API keys or people were made here. If the database has none of them, the gateway does not start as long as this file is here.\n';

export async function leaveSign(dataDir: string): Promise<void> {
  const path = join(dataDir, SIGN);
  if (!existsSync(path)) await replaceFile(path, SIGN_TEXT);
}

/** Sign files of keys or people, of this release and of earlier ones. */
export const signsOfKeys = (dataDir: string): readonly string[] =>
  [SIGN, 'people-made.txt', 'keys-used.json'].map((name) => join(dataDir, name)).filter((path) => existsSync(path));

export class TableKeyAdmin {
  readonly #parts: KeyAdminParts;

  constructor(parts: KeyAdminParts) {
    this.#parts = parts;
  }

  /** Also revoked and expired ones. */
  async keys(): Promise<readonly KeyRecord[]> {
    return (await readAll(this.#parts.tables)).keys;
  }

  async people(): Promise<readonly Person[]> {
    return (await readAll(this.#parts.tables)).people;
  }

  /** `check` may throw: it sees the present keys in the same transaction. */
  async addKey(wanted: WantedKey, check: (keys: readonly KeyRecord[]) => void = () => {}): Promise<MadeKey> {
    const { name } = wanted;
    const { id, text, hash } = newKey();
    const now = this.#parts.clock.now();
    const record: KeyRecord = { id, ...wanted, hash, created_at: timeText(now), revoked_at: null, used_at: null };
    const note = { method: 'POST', route: '/_keys', params: {}, body: { id, ...wanted } };
    const { isFirst } = await this.#change(note, async (rows) => {
      const keys = await rows.find(KEYS, { order: { n: 'asc' } });
      check(keys);
      if (keys.length >= MOST_KEYS) throw new Refused('count', `there are ${MOST_KEYS} keys, which is the limit`);
      const twin = keys.find((other) => other.name === name && standingOf(other, now) === 'good');
      if (twin) throw new Refused('name', `the key ${twin.id} has this name; revoke it first, or choose another name`);
      await rows.add(KEYS, [{ ...record, n: after(keys) }]);
      return { isFirst: keys.length === 0 };
    });
    return { record, text, isFirst };
  }

  /** The key after the change; undefined: the id is unknown. A key that was revoked earlier keeps its time. */
  revokeKey(id: string): Promise<KeyRecord | undefined> {
    const note = { method: 'DELETE', route: '/_keys/{id}', params: { id }, body: null };
    return this.#change(note, async (rows) => {
      const [found] = await rows.find(KEYS, { where: { id } });
      if (!found) return undefined;
      const revoked_at = found.revoked_at ?? timeText(this.#parts.clock.now());
      await rows.change(KEYS, { id }, { revoked_at });
      return { ...found, revoked_at };
    });
  }

  /** `check` may throw: it works in the same transaction, before the person is there. */
  addPerson(wanted: WantedPerson, check: (rows: Rows) => Promise<void> = async () => {}) {
    const { password: _, ...body } = wanted;
    const note = { method: 'POST', route: '/_people', params: {}, body };
    return this.#change(note, async (rows) => {
      await check(rows);
      const people = await rows.find(PEOPLE);
      refusePerson(people, wanted.name);
      const created_at = timeText(this.#parts.clock.now());
      const person: Person = { id: newId(), ...wanted, stamp: newStamp(), created_at };
      await rows.add(PEOPLE, [{ ...person, n: after(people) }]);
      return { person, isFirst: people.length === 0 };
    });
  }

  /** The changed person with a new stamp: earlier sessions end. Undefined: the name is unknown. */
  changePerson(name: string, change: PersonChange): Promise<Person | undefined> {
    const { password, ...rights } = change;
    const body = { ...rights, ...(password !== undefined && { password: '***' }) };
    const note = { method: 'PUT', route: '/_people/{name}', params: { name }, body };
    return this.#change(note, async (rows) => {
      const found = await personIn(rows, name);
      if (!found) return undefined;
      const changed = { ...found, ...change, stamp: newStamp() };
      await rows.put(PEOPLE, [changed]);
      return changed;
    });
  }

  removePerson(name: string): Promise<boolean> {
    const note = { method: 'DELETE', route: '/_people/{name}', params: { name }, body: null };
    return this.#change(note, async (rows) => {
      const found = await personIn(rows, name);
      return found !== undefined && (await rows.remove(PEOPLE, { id: found.id })) > 0;
    });
  }

  /** False: no gateway runs, so nothing is locked. */
  async unlock(address: string): Promise<boolean> {
    this.#parts.unlock?.(address);
    return this.#parts.unlock !== undefined;
  }

  async #change<T>(note: Omit<ChangeRow, 'n' | 'at'>, work: (rows: Rows) => Promise<T>): Promise<T> {
    const { tables, dataDir, clock, isNoted, changed } = this.#parts;
    const result = await changeIn(tables, dataDir, async (rows) => {
      const done = await work(rows);
      if (done === undefined || done === false || !isNoted) return done;
      const [last] = await rows.find(CHANGES, { order: { n: 'desc' }, limit: 1 });
      await rows.add(CHANGES, [{ ...note, n: (last?.n ?? 0) + 1, at: timeText(clock.now()) }]);
      return done;
    });
    await changed?.();
    return result;
  }
}

/** Throws Refused. */
export function refusePerson(people: readonly Person[], name: string): void {
  if (people.length >= MOST_PEOPLE) throw new Refused('count', `there are ${MOST_PEOPLE} people, which is the limit`);
  if (isReserved(name)) throw new Refused('name', 'this name is reserved for callers that need no sign-in');
  if (people.some((other) => sameName(other.name) === sameName(name)))
    throw new Refused('name', 'there is a person of this name');
}

async function personIn(rows: Rows, name: string) {
  const people = await rows.find(PEOPLE);
  return people.find((one) => sameName(one.name) === sameName(name));
}

const after = (rows: readonly { readonly n?: number }[]): number => Math.max(0, ...rows.map(({ n = 0 }) => n)) + 1;
const timeText = (at: number): string => new Date(at).toISOString();
