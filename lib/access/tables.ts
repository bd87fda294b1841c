/** Keys, people and sessions as tables of the store. Only this folder reads and writes them. */
import { integer, json, jsonOrNull, text, textOrNull } from '../domain/fields/columns.ts';
import { defineTable, type RecordOf } from '../domain/fields/field.ts';
import type { Role } from '../domain/ids.ts';
import type { TableMigration } from '../store/contract.ts';

export const SIGN_IN_KINDS = Object.freeze(['person', 'key', 'issuer'] as const);

export interface Holder {
  readonly kind: (typeof SIGN_IN_KINDS)[number];
  /** Id of the person or key; for a person of an issuer (OpenID Connect) 16 hexadecimal digits. */
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly units: readonly string[] | null;
  /** Null: not by tag. Absent in sessions from before there were tags. */
  readonly tags?: readonly string[] | null;
  /** Must still match: the stamp of the person, the hash of the key, the settings of the issuer. */
  readonly stamp: string;
}

/** Role and units of a key, a person or an invitation, see `UnitChoice`. */
const RIGHTS = {
  role: text<Role>(),
  units: jsonOrNull<readonly string[]>(),
  tags: jsonOrNull<readonly string[]>(),
} as const;

const KEY_FIELDS = {
  ...RIGHTS,
  id: text(),
  name: text(),
  /** SHA-256 of the text of the key, hex. */
  hash: text(),
  created_at: text(),
  /** Null: never. */
  expires_at: textOrNull(),
  revoked_at: textOrNull(),
  /** At most a minute late; null: never. */
  used_at: textOrNull(),
} as const;

const PERSON_FIELDS = {
  ...RIGHTS,
  /** Eight hexadecimal digits, never used again. */
  id: text(),
  /** As the person wrote it; sign-in ignores capitals. */
  name: text(),
  /** Null: without an end. */
  until: textOrNull(),
  /** As `hashPassword` makes it. Null: a proxy or an issuer signs the person in. */
  password: textOrNull(),
  /** Changes with role, units, end or password: earlier sessions then end. */
  stamp: text(),
  created_at: text(),
} as const;

const INVITATION_FIELDS = {
  ...RIGHTS,
  hash: text(),
  /** Eight hexadecimal digits; empty for the code of the first admin. */
  id: text(),
  /** See `Person.until`. */
  until: textOrNull(),
  made_by: text(),
  created_at: text(),
  expires_at: text(),
} as const;

const SESSION_FIELDS = {
  /** SHA-256 of the cookie, hex. */
  hash: text(),
  id: text(),
  holder: json<Holder>(),
  address: text(),
  agent: text(),
  created: integer(),
  used: integer(),
} as const;

const CHANGE_FIELDS = {
  n: integer(),
  at: text(),
  method: text(),
  route: text(),
  params: json<Readonly<Record<string, string>>>(),
  body: jsonOrNull<Readonly<Record<string, unknown>>>(),
} as const;

const STATE_FIELDS = { name: text(), value: integer() } as const;

/** From the command line; the audit log does not have it yet. */
export type ChangeRow = RecordOf<typeof CHANGE_FIELDS>;
/** Times are texts in UTC, ISO 8601, as of the two below. */
export type KeyRecord = RecordOf<typeof KEY_FIELDS>;
export type Person = RecordOf<typeof PERSON_FIELDS>;
export type Invitation = RecordOf<typeof INVITATION_FIELDS>;
/** Times are ms since 1970 UTC. */
export type SessionRecord = RecordOf<typeof SESSION_FIELDS>;

/** Order of making. */
const n = integer();
export const KEYS = defineTable('access_key', ['id'], { ...KEY_FIELDS, n });
export const PEOPLE = defineTable('access_person', ['id'], { ...PERSON_FIELDS, n });
export const INVITATIONS = defineTable('access_invitation', ['hash'], INVITATION_FIELDS);
export const SESSIONS = defineTable('access_session', ['hash'], SESSION_FIELDS);
export const CHANGES = defineTable('access_change', ['n'], CHANGE_FIELDS);
/** One row, `version`: it counts changes of keys and people. */
export const STATE = defineTable('access_state', ['name'], STATE_FIELDS);

export const ACCESS_TABLES = [KEYS, PEOPLE, INVITATIONS, SESSIONS, CHANGES, STATE];

export const accessMigrations: readonly TableMigration[] = [
  {
    name: '0001-access',
    statements: [
      `create table access_key (
        id text not null primary key, n integer not null, name text not null, role text not null, units json null,
        hash text not null, created_at text not null, expires_at text null, revoked_at text null, used_at text null
      )`,
      `create table access_person (
        id text not null primary key, n integer not null, name text not null, role text not null, units json null,
        password text null, stamp text not null, created_at text not null
      )`,
      `create table access_session (
        hash text not null primary key, id text not null, holder json not null, address text not null, agent text not null,
        created integer not null, used integer not null
      )`,
      `create table access_change (
        n integer not null primary key, at text not null, method text not null, route text not null, params json not null, body json null
      )`,
      'create table access_state (name text not null primary key, value integer not null)',
      "insert into access_state (name, value) values ('version', 0)",
    ],
  },
  {
    name: '0002-tags-and-invitations',
    statements: [
      'alter table access_key add column tags json null',
      'alter table access_person add column tags json null',
      'alter table access_person add column until text null',
      `create table access_invitation (
        hash text not null primary key, id text not null, role text not null, units json null, tags json null, until text null,
        made_by text not null, created_at text not null, expires_at text not null
      )`,
    ],
  },
];
