import { CARD_PATH, listQuery, type PageQuery, tables } from '../../lib/built-in.ts';
import { iso, named, type Schema, SPAN, TIME } from '../../lib/index.ts';
import type { ClockRow, FileRow, HourRow, VersionRow } from './tables.ts';

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
  description: 'Number of the card, from 1. Default: the last card in the meter.',
};

const SHA256: Schema = { type: 'string', pattern: '^[0-9a-f]{64}$', description: '64 digits of SHA-256.' };

export const CONTENT_QUERY = { path: { ...CARD_PATH, required: true }, card: CARD, sha256: SHA256 };
export const ARCHIVE_QUERY = { path: { ...CARD_PATH, default: '/' }, card: CARD };
export const COPY_LIST_QUERY = listQuery({ card: CARD }, { type: 'string', pattern: '^/', maxLength: 1_024 });
export const HOURS_QUERY = { ...SPAN, ...listQuery() };

/** A card other than the present card. */
interface CardQuery {
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

/** The last copy, or the copy with these bytes. */
export interface ContentQuery extends PathQuery {
  readonly sha256?: string;
}

export const FILE: Schema = named('KeptFile', {
  path: { type: 'string' },
  card: { type: 'integer', minimum: 1 },
  size: { type: 'integer', minimum: 0, description: 'Bytes on the card, as listed last.' },
  modified: {
    type: 'string',
    description: 'As the meter lists it: the time of its own clock, without a zone; only a date if it lists no time.',
  },
  sha256: { ...SHA256, type: ['string', 'null'], description: 'Null until the copy was complete once.' },
  fetched_at: { type: ['string', 'null'] },
  state: { type: 'string', enum: ['complete', 'growing', 'gone_from_card'] },
  rows: { type: 'integer', minimum: 0, description: 'Rows of the history made from its levels.' },
  problems: {
    type: 'array',
    items: { type: 'string' },
    description: 'Problems of the file, each with its line.',
  },
  versions: {
    type: 'integer',
    minimum: 0,
    description: 'Stored copies with other bytes of this path and card; GET files/versions lists them.',
  },
});

/** A copied file, as answers and the manifest of a ZIP give it. */
export const shown = ({ path, card, size, modified, sha256, fetchedAt, state, rows, problems }: FileRow) => ({
  path,
  card,
  size,
  modified,
  sha256,
  fetched_at: iso(fetchedAt),
  state,
  rows,
  problems,
});

/** `replaced`: the number of older copies that are kept beside it. */
export const shownFile = (row: FileRow, replaced: number) => ({
  ...shown(row),
  versions: replaced + (row.sha256 === null ? 0 : 1),
});

export const KEPT_VERSION: Schema = named('KeptVersion', {
  path: { type: 'string' },
  card: { type: 'integer', minimum: 1, description: 'Number of the card that it is from.' },
  sha256: SHA256,
  size: { type: 'integer', minimum: 0, description: 'Bytes of this copy.' },
  modified: {
    type: ['string', 'null'],
    description: 'As the meter listed it when it was fetched; null for copies of older releases without this time.',
  },
  fetched_at: { type: ['string', 'null'] },
  replaced_at: {
    type: ['string', 'null'],
    description: 'When other bytes came under this path of this card; null: it is the last copy.',
  },
  state: {
    type: 'string',
    enum: ['complete', 'growing', 'gone_from_card', 'replaced'],
    description: 'The state of the file on the card; `replaced` if the card has other bytes under this path.',
  },
});

/** The last copy of a file of one card. */
export const presentVersion = ({ path, card, sha256, kept, wholeModified, fetchedAt, state }: FileRow) => ({
  path,
  card,
  sha256,
  size: kept,
  modified: wholeModified,
  fetched_at: iso(fetchedAt),
  replaced_at: null,
  state,
});

/** A copy that was replaced by other bytes. */
export const oldVersion = ({ path, card, sha256, size, modified, fetchedAt, replacedAt }: VersionRow) => ({
  path,
  card,
  sha256,
  size,
  modified,
  fetched_at: iso(fetchedAt),
  replaced_at: iso(replacedAt),
  state: 'replaced',
});

const DIFFERENCE = { type: ['number', 'null'] };

export const HOUR: Schema = named('ReconciledHour', {
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
});

const rounded = (value: number | null) => (value === null ? null : Math.round(value * 100) / 100);

/** With RFC 3339 times; differences in dB. */
export const shownHour = (row: HourRow) => ({
  hour: tables.utc(row.hour),
  compared_minutes: row.compared,
  mean_difference_db: rounded(row.meanDifference),
  largest_difference_db: rounded(row.largestDifference),
  filled_s: row.filled,
  other_weighting: row.otherWeighting,
});

export const CLOCK_READING: Schema = named('ClockReading', {
  at: { ...TIME, description: 'By the clock of the gateway.' },
  ahead_s: { type: 'number', description: 'How far the clock of the meter was ahead; negative: behind.' },
  uncertainty_s: { type: 'number', description: 'It may have been so much more or less.' },
});

export const shownClock = ({ at, offset, uncertainty }: ClockRow) => ({
  at: iso(at),
  ahead_s: offset / 1_000,
  uncertainty_s: uncertainty / 1_000,
});
