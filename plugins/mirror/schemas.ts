import { iso, type Schema } from '../../lib/index.ts';
import type { FileRow } from './tables.ts';

export const SETTINGS: Schema = {
  type: 'object',
  properties: {
    min_free_mb: {
      type: 'integer',
      title: 'Space that the mirror leaves free on the disk, MB',
      minimum: 0,
      maximum: 10_000_000,
      default: 1_000,
    },
  },
};

const PATH: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 1_024,
  description: 'The path of the file on the card, as GET files shows it.',
};

const CARD: Schema = {
  type: 'integer',
  minimum: 1,
  maximum: 1_000_000,
  description: 'Number of the card, from 1. Default: the one that was in the meter last.',
};

export const CONTENT_QUERY = { path: PATH, card: CARD };
export const ARCHIVE_QUERY = { path: { ...PATH, default: '/', description: 'A folder of the card.' }, card: CARD };
export const LIST_QUERY = {
  card: CARD,
  limit: { type: 'integer', minimum: 1, maximum: 1_000, default: 100 },
  cursor: { type: 'string', maxLength: 1_024, description: 'The `next` of the answer before.' },
};

export interface CardQuery {
  readonly card?: number;
}
export interface ListQuery extends CardQuery {
  readonly limit: number;
  readonly cursor?: string;
}
export interface PathQuery extends CardQuery {
  readonly path: string;
}

export const FILE: Schema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    card: { type: 'integer', minimum: 1 },
    size: { type: 'integer', minimum: 0, description: 'Bytes on the card, as listed last.' },
    modified: { type: 'string', description: 'As the meter lists it: its own time, without a zone.' },
    sha256: { type: ['string', 'null'], pattern: '^[0-9a-f]{64}$', description: 'Null while it was never whole here.' },
    fetched_at: { type: ['string', 'null'] },
    state: { type: 'string', enum: ['complete', 'growing', 'gone_from_card'] },
  },
  required: ['path', 'card', 'size', 'modified', 'sha256', 'fetched_at', 'state'],
  additionalProperties: false,
};

export const shown = ({ path, card, size, modified, sha256, fetchedAt, state }: FileRow) => ({
  path,
  card,
  size,
  modified,
  sha256,
  fetched_at: fetchedAt === null ? null : iso(fetchedAt),
  state,
});
