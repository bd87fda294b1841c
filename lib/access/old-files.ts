/** Key files of releases before 0.3, in the data folder: copied into the store once, and kept under another name. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { TIME, TIME_OR_NULL, whole } from '../domain/fields/field.ts';
import { ROLES, UNIT_ID } from '../domain/ids.ts';
import { messageOf } from '../errors.ts';
import { compileBody } from '../http/checks.ts';
import type { Log } from '../log.ts';
import type { Tables } from '../store/contract.ts';
import { othersMay } from '../system.ts';
import { changeIn } from './key-admin.ts';
import { NAME } from './live-keys.ts';
import { STORED } from './people/sign-in.ts';
import { KEYS, type KeyRecord, PEOPLE, type Person, SESSIONS, type SessionRecord, SIGN_IN_KINDS } from './tables.ts';

const NUMBER = { type: 'integer', minimum: 0 };
const TEXT = { type: 'string' };
const pattern = (text: string) => ({ type: 'string', pattern: text });
const UNITS = { type: ['array', 'null'], items: pattern(UNIT_ID) };

const CALLER = {
  id: pattern('^[0-9a-f]{8}$'),
  name: pattern(NAME),
  role: { enum: ROLES },
  units: UNITS,
  created_at: TIME,
};
const KEY = whole({
  ...CALLER,
  hash: pattern('^[0-9a-f]{64}$'),
  expires_at: TIME_OR_NULL,
  revoked_at: TIME_OR_NULL,
});
const PERSON = whole({
  ...CALLER,
  password: { type: ['string', 'null'], pattern: STORED },
  stamp: pattern('^[0-9a-f]{16}$'),
});
const HOLDER = whole({
  kind: { enum: SIGN_IN_KINDS },
  id: pattern('^([0-9a-f]{8}|[0-9a-f]{16})$'),
  name: TEXT,
  role: { enum: ROLES },
  units: UNITS,
  stamp: TEXT,
});
const SESSION = whole({
  id: pattern('^[0-9a-f]{16}$'),
  hash: pattern('^[0-9a-f]{64}$'),
  holder: HOLDER,
  address: TEXT,
  agent: TEXT,
  created: NUMBER,
  used: NUMBER,
});

interface Kind {
  readonly file: string;
  readonly list: string;
  readonly what: string;
  readonly row: object;
}
const KEY_FILE: Kind = { file: 'keys.json', list: 'keys', what: 'API keys', row: KEY };
const PERSON_FILE: Kind = { file: 'people.json', list: 'people', what: 'people', row: PERSON };
const SESSION_FILE: Kind = { file: 'sessions.json', list: 'sessions', what: 'sessions', row: SESSION };
const USE_FILE = 'keys-used.json';
const LEFT_OVER = ['keys.json.lock', 'people.json.lock', 'unlocked.json', 'unlocked.json.lock'];

const TAKEN_OVER = '.taken-over';

/** In one transaction; then the files are renamed. If a file cannot be used, throws an error whose single line says what to do. */
export async function takeOverFiles(dataDir: string, tables: Tables, log: Log): Promise<void> {
  const found = [KEY_FILE, PERSON_FILE, SESSION_FILE].filter(({ file }) => existsSync(join(dataDir, file)));
  if (found.length === 0) return;
  const keys = rowsOf<KeyRecord>(dataDir, KEY_FILE);
  const people = rowsOf<Person>(dataDir, PERSON_FILE);
  const sessions = readSessions(dataDir, log);
  const used = usesOf(join(dataDir, USE_FILE));
  await changeIn(tables, dataDir, async (rows) => {
    const [oldKeys, oldPeople] = [await rows.find(KEYS), await rows.find(PEOPLE)];
    const newKeys = keys.filter(({ id }) => !oldKeys.some((old) => old.id === id));
    const newPeople = people.filter(({ id }) => !oldPeople.some((old) => old.id === id));
    await rows.put(
      KEYS,
      newKeys.map((key, at) => ({ ...key, tags: null, used_at: used[key.id] ?? null, n: oldKeys.length + at + 1 })),
    );
    // A key that was revoked in the file stays revoked, even if the store has the key as valid.
    for (const { id, revoked_at } of keys)
      if (revoked_at !== null) await rows.change(KEYS, { id, revoked_at: null }, { revoked_at });
    await rows.put(
      PEOPLE,
      newPeople.map((person, at) => ({ ...person, tags: null, until: null, n: oldPeople.length + at + 1 })),
    );
    await rows.put(SESSIONS, sessions);
    return true;
  });
  for (const name of [...found.map(({ file }) => file), USE_FILE]) {
    const path = join(dataDir, name);
    if (existsSync(path)) await rename(path, `${path}${TAKEN_OVER}`);
  }
  for (const name of LEFT_OVER) await rm(join(dataDir, name), { force: true });
  const counts = { keys: keys.length, people: people.length, sessions: sessions.length };
  log.info(counts, `the key files of the release before are in the database now; they are kept as *${TAKEN_OVER}`);
}

function rowsOf<Row>(dataDir: string, { file, list, what, row }: Kind): readonly Row[] {
  const path = join(dataDir, file);
  try {
    const about = statSync(path, { throwIfNoEntry: false });
    if (!about) return [];
    if (othersMay(0o077, about.mode)) throw new Error(`other users can read or change them: run chmod 600 ${path}`);
    const content = JSON.parse(readFileSync(path, 'utf8'));
    const properties = { version: { const: 1 }, [list]: { type: 'array', items: row } };
    compileBody(whole(properties))(content);
    return content[list];
  } catch (error) {
    throw new Error(`the ${what} in ${path} cannot be used: ${messageOf(error)}`, { cause: error });
  }
}

/** Unreadable sessions do not stop the start: everybody signs in again. */
function readSessions(dataDir: string, log: Log): readonly SessionRecord[] {
  try {
    return rowsOf(dataDir, SESSION_FILE);
  } catch (error) {
    log.error({ reason: messageOf(error) }, 'the sessions cannot be read: everybody has to sign in again');
    return [];
  }
}

/** Key id to time (UTC, ISO 8601). An unreadable entry counts as never used. */
function usesOf(path: string): Readonly<Record<string, string>> {
  try {
    const { used } = JSON.parse(readFileSync(path, 'utf8')) as { used: Record<string, string> };
    return Object.fromEntries(Object.entries(used).filter(([, at]) => !Number.isNaN(Date.parse(at))));
  } catch {
    return {};
  }
}
