/** The seals of the days, by unit and local day; each later version is kept beside the earlier ones. */
import { columns, defineTable, type Host, type Table, type TableMigration } from '../../../lib/index.ts';
import type { KindRoot } from '../verify/merkle.ts';

const { integer, json, text, textOrNull } = columns;

/** One version of the seal of one day. */
export const DAY_SEALS = defineTable('evidence_seal', ['unitId', 'day', 'version'], {
  unitId: text(),
  day: text(),
  version: integer(),
  root: text(),
  rows: integer(),
  replaces: textOrNull(),
  kinds: json<readonly KindRoot[]>(),
  /** Of the levels when they were sealed: it changes with them, and costs little to ask for. */
  digest: text(),
  sealedAt: integer(),
  record: json<Awaited<ReturnType<Host['audit']['seal']>>>(),
});

/** A seal as it is kept. */
export type SealRow = typeof DAY_SEALS extends Table<infer Row> ? Row : never;

/** The steps in the life of the table. It was one of a plugin `seals`, and takes over what that has. */
export const sealMigrations: readonly TableMigration[] = [
  // Made the table of the keys, which `lib/signing` has taken over.
  { name: '0001-keys', statements: [] },
  {
    name: '0002-seals',
    statements: [
      `create table if not exists seals_day (
        unit_id text not null,
        day text not null,
        version integer not null,
        root text not null,
        rows integer not null,
        replaces text null,
        kinds text not null,
        digest text not null,
        sealed_at integer not null,
        record text not null,
        primary key (unit_id, day, version)
      )`,
      'alter table seals_day rename to evidence_seal',
    ],
  },
];
