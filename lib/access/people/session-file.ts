/**
 * `sessions.json` in the data folder: who is signed in, so that a restart signs nobody out. It has hashes of cookies and no cookie. Only
 * the gateway writes it.
 */
import { join } from 'node:path';
import { ROLES, type Role, UNIT_ID } from '../../domain/ids.ts';
import { compileBody } from '../../http/checks.ts';
import { type RecordFile, readRecords } from '../record-file.ts';

/** By what somebody signed in. */
export const SIGN_IN_KINDS = Object.freeze(['person', 'key', 'issuer'] as const);

/** Whom a session is of: looked up with each request. */
export interface Holder {
  readonly kind: (typeof SIGN_IN_KINDS)[number];
  /** Of the person or of the key; of somebody of an issuer (OpenID Connect) 16 hexadecimal digits. */
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** Null: all units. */
  readonly units: readonly string[] | null;
  /** What must still be so: the stamp of the person, the hash of the key, the settings of the issuer. */
  readonly stamp: string;
}

/** A session as the file has it; times in ms UTC. */
export interface SessionRecord {
  /** 16 hexadecimal digits, no secret. */
  readonly id: string;
  /** SHA-256 of the cookie, hex. */
  readonly hash: string;
  readonly holder: Holder;
  readonly address: string;
  /** What the browser calls itself. */
  readonly agent: string;
  readonly created: number;
  readonly used: number;
}

const text = (pattern: string) => ({ type: 'string', pattern });
const time = { type: 'integer', minimum: 0 };
const HOLDER = {
  kind: { enum: SIGN_IN_KINDS },
  id: { type: 'string', maxLength: 600 },
  name: { type: 'string', maxLength: 200 },
  role: { enum: ROLES },
  units: { type: ['array', 'null'], items: text(UNIT_ID) },
  stamp: { type: 'string' },
};
const SESSION = {
  id: text('^[0-9a-f]{16}$'),
  hash: text('^[0-9a-f]{64}$'),
  holder: { type: 'object', properties: HOLDER, required: Object.keys(HOLDER) },
  address: { type: 'string' },
  agent: { type: 'string' },
  created: time,
  used: time,
};

interface Content {
  readonly version: number;
  readonly sessions: readonly SessionRecord[];
}

const FILE: RecordFile<Content> = {
  what: 'sessions',
  none: { version: 1, sessions: [] },
  check: compileBody({
    type: 'object',
    properties: {
      version: { const: 1 },
      sessions: { type: 'array', items: { type: 'object', properties: SESSION, required: Object.keys(SESSION) } },
    },
    required: ['version', 'sessions'],
  }),
};

/** The file with all sessions of a data folder. */
export const sessionFileIn = (dataDir: string): string => join(dataDir, 'sessions.json');

/** Throws an error whose one line says what is wrong. */
export const readSessions = (path: string): readonly SessionRecord[] => readRecords(path, FILE).sessions;
