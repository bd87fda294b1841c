import { CARD_PATH, iso, listQuery, type PageQuery, type Schema, SPAN, tables } from '../../lib/index.ts';
import type { FileRow, HourRow } from './tables.ts';

export const MIRROR_SETTINGS: Schema = {
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

const CARD: Schema = {
  type: 'integer',
  minimum: 1,
  maximum: 1_000_000,
  description: 'Number of the card, from 1. Default: the one that was in the meter last.',
};

export const CONTENT_QUERY = { path: { ...CARD_PATH, required: true }, card: CARD };
export const ARCHIVE_QUERY = { path: { ...CARD_PATH, default: '/' }, card: CARD };
export const COPY_LIST_QUERY = listQuery({ card: CARD }, { type: 'string', pattern: '^/', maxLength: 1_024 });
export const HOURS_QUERY = { ...SPAN, ...listQuery() };

export interface CardQuery {
  readonly card?: number;
}
export type CopyListQuery = CardQuery & PageQuery;
export interface HoursQuery extends PageQuery {
  readonly from: string;
  readonly to: string;
}
export interface PathQuery extends CardQuery {
  readonly path: string;
}

export const FILE: Schema = {
  title: 'KeptFile',
  type: 'object',
  properties: {
    path: { type: 'string' },
    card: { type: 'integer', minimum: 1 },
    size: { type: 'integer', minimum: 0, description: 'Bytes on the card, as listed last.' },
    modified: {
      type: 'string',
      description:
        'As the meter lists it: the time of its own clock, without a zone; only a date where it lists no time.',
    },
    sha256: {
      type: ['string', 'null'],
      pattern: '^[0-9a-f]{64}$',
      description: 'Null until the copy was complete once.',
    },
    fetched_at: { type: ['string', 'null'] },
    state: { type: 'string', enum: ['complete', 'growing', 'gone_from_card'] },
    rows: { type: 'integer', minimum: 0, description: 'Rows of the history made from its levels.' },
    problems: {
      type: 'array',
      items: { type: 'string' },
      description: 'What could not be read in the file, with the line.',
    },
  },
  required: ['path', 'card', 'size', 'modified', 'sha256', 'fetched_at', 'state', 'rows', 'problems'],
  additionalProperties: false,
};

export const shown = ({ path, card, size, modified, sha256, fetchedAt, state, rows, problems }: FileRow) => ({
  path,
  card,
  size,
  modified,
  sha256,
  fetched_at: fetchedAt === null ? null : iso(fetchedAt),
  state,
  rows,
  problems,
});

const DIFFERENCE = { type: ['number', 'null'] };

export const HOUR: Schema = {
  title: 'ReconciledHour',
  type: 'object',
  properties: {
    hour: { type: 'string', description: 'When it begins, UTC.' },
    compared_minutes: {
      type: 'integer',
      minimum: 0,
      description: 'Minutes that are complete in both card and stream.',
    },
    mean_difference_db: { ...DIFFERENCE, description: 'Card minus stream.' },
    largest_difference_db: DIFFERENCE,
    filled_s: { type: 'number', minimum: 0, description: 'Seconds that only the card has.' },
    other_weighting: {
      type: ['string', 'null'],
      description: 'The weighting of the stream, if it differs from that of the card.',
    },
  },
  required: ['hour', 'compared_minutes', 'mean_difference_db', 'largest_difference_db', 'filled_s', 'other_weighting'],
  additionalProperties: false,
};

const rounded = (value: number | null) => (value === null ? null : Math.round(value * 100) / 100);

export const shownHour = (row: HourRow) => ({
  hour: tables.utc(row.hour),
  compared_minutes: row.compared,
  mean_difference_db: rounded(row.meanDifference),
  largest_difference_db: rounded(row.largestDifference),
  filled_s: row.filled,
  other_weighting: row.otherWeighting,
});
