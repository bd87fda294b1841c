/** The seals of the days, by unit and local day; each later version stands beside the earlier ones. */
import { columns, defineTable, type Host, type merkle, type Table, type TableMigration } from '../../lib/index.ts';

const { integer, json, text, textOrNull } = columns;

/** One version of the seal of one day. */
export const DAY_SEALS = defineTable('seals_day', ['unitId', 'day', 'version'], {
  unitId: text(),
  day: text(),
  version: integer(),
  root: text(),
  rows: integer(),
  replaces: textOrNull(),
  kinds: json<readonly merkle.KindRoot[]>(),
  /** Of the levels when they were sealed: it changes with them, and costs little to ask for. */
  digest: text(),
  sealedAt: integer(),
  record: json<Awaited<ReturnType<Host['audit']['seal']>>>(),
});

/** A seal as it is kept. */
export type SealRow = typeof DAY_SEALS extends Table<infer Row> ? Row : never;

/** The steps in the life of the table. */
export const sealMigrations: readonly TableMigration[] = [
  {
    name: '0001-seals',
    statements: [
      `create table seals_day (
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
    ],
  },
];
