/** The shares that are kept. */
import { columns, defineTable, type Table, type TableMigration } from '../../lib/index.ts';

const { integer, integerOrNull, json, real, text } = columns;

/** The parts that a share can show of its units. */
export const SHOWN_PARTS = ['live', 'levels', 'indices', 'limits'] as const;
export type ShownPart = (typeof SHOWN_PARTS)[number];

/** A share; times in ms since 1970 UTC. */
export interface ShareRow {
  readonly id: number;
  /** SHA-256 of the token, hex. The token is not stored. */
  readonly hash: string;
  /** For administrators; the page does not show it. */
  readonly name: string;
  readonly units: readonly string[];
  readonly parts: readonly ShownPart[];
  readonly delayS: number;
  readonly roundDb: number;
  /** Earlier levels are not shown. */
  readonly fromAt: number | null;
  readonly expiresAt: number;
  readonly title: string;
  readonly words: string;
  /** Origins of pages that may show it in a frame. */
  readonly embed: readonly string[];
  readonly createdAt: number;
  readonly createdBy: string;
  /** How often the page was opened. */
  readonly views: number;
  readonly viewedAt: number | null;
  /** The row stays, so that its link is not counted as a guess. */
  readonly revokedAt: number | null;
}

/** All shares, also revoked shares. */
export const SHARES: Table<ShareRow> = defineTable('shares', ['id'], {
  id: integer(),
  hash: text(),
  name: text(),
  units: json<readonly string[]>(),
  parts: json<readonly ShownPart[]>(),
  delayS: integer(),
  roundDb: real(),
  fromAt: integerOrNull(),
  expiresAt: integer(),
  title: text(),
  words: text(),
  embed: json<readonly string[]>(),
  createdAt: integer(),
  createdBy: text(),
  views: integer(),
  viewedAt: integerOrNull(),
  revokedAt: integerOrNull(),
});

/** The migrations of the table. */
export const SHARE_MIGRATIONS: readonly TableMigration[] = [
  {
    name: '0001-shares',
    statements: [
      `create table shares (
        id integer not null primary key, hash text not null, name text not null, units text not null, parts text not null,
        delay_s integer not null, round_db real not null, from_at integer, expires_at integer not null,
        title text not null, words text not null, embed text not null, created_at integer not null, created_by text not null,
        views integer not null, viewed_at integer, revoked_at integer
      )`,
    ],
  },
];
