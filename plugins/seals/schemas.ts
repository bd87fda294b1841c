/** The forms of seals in requests and answers. */
import { named, type Schema } from '../../lib/index.ts';
import type { SealRow } from './table.ts';

/** SHA-256. */
export const HASH: Schema = { type: 'string', pattern: '^[0-9a-f]{64}$' };
/** A local day. */
export const DAY: Schema = { type: 'string', format: 'date', description: 'A local day of the unit, `YYYY-MM-DD`.' };

/** A seal in answers. */
export const SEAL: Schema = named('DaySeal', {
  day: DAY,
  version: {
    type: 'integer',
    description: '1, and one more each time the levels of the day changed after it was sealed.',
  },
  root: { ...HASH, description: 'The tree over the tables of the day, see docs/evidence.md.' },
  rows: { type: 'integer', description: 'Stored rows of the day.' },
  replaces: { type: ['string', 'null'], description: 'The root of the version before.' },
  kinds: {
    type: 'array',
    items: named('SealedTable', {
      kind: { type: 'string', enum: ['intervals', 'minutes', 'seconds'] },
      root: HASH,
      rows: { type: 'integer' },
    }),
    description: 'With their roots one table proves itself, also where another is no longer kept.',
  },
  sealed_at: { type: 'string', format: 'date-time' },
  audit: { type: 'object', additionalProperties: true, description: 'The record of the audit log that has the seal.' },
});

/** A seal as answers have it. */
export const shownSeal = ({ unitId: _, digest: __, sealedAt, record, ...seal }: SealRow) => ({
  ...seal,
  sealed_at: new Date(sealedAt).toISOString(),
  audit: record,
});
