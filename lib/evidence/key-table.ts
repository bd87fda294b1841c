/** Public keys of evidence as rows; private ones are secrets of the store. */
import { integer, integerOrNull, text, textOrNull } from '../domain/fields/columns.ts';
import { defineTable } from '../domain/fields/table.ts';
import type { TableMigration } from '../store/contract.ts';

/** Every key that ever signed. */
export const EVIDENCE_KEYS = defineTable('evidence_key', ['fingerprint'], {
  fingerprint: text(),
  pem: text(),
  since: integer(),
  retiredAt: integerOrNull(),
  reason: textOrNull<'rotated' | 'lost'>(),
});

/** The steps in the life of the table. */
export const evidenceKeyMigrations: readonly TableMigration[] = [
  {
    name: '0001-keys',
    statements: [
      `create table evidence_key (
        fingerprint text not null primary key,
        pem text not null,
        since integer not null,
        retired_at integer null,
        reason text null
      )`,
    ],
  },
];
