/** The forms of shares in requests and answers, and their limits. */
import type { CreateShareBody } from '../../client/schemas.ts';
import { MOMENT, PLAIN_TEXT, TIME_OR_NULL } from '../../lib/built-in.ts';
import {
  columns,
  defineTable,
  type Host,
  iso,
  named,
  type Schema,
  type Table,
  type TableMigration,
  TIME,
  UNIT_ID,
} from '../../lib/index.ts';

const { integer, integerOrNull, json, real, text, textOrNull } = columns;

const SHOWN_PARTS = ['live', 'levels', 'indices', 'limits'] as const;
type ShownPart = (typeof SHOWN_PARTS)[number];

/** All shares, also revoked shares; times in ms since 1970 UTC. */
export const SHARES = defineTable('shares', ['id'], {
  id: integer(),
  /** SHA-256 of the token, hex. The token is not stored. */
  hash: text(),
  /** For administrators; the page does not show it. */
  name: text(),
  /** Empty where a tag chooses them. */
  units: json<readonly string[]>(),
  /** The units with this tag, also those that get it later; null: `units`. */
  tag: textOrNull(),
  parts: json<readonly ShownPart[]>(),
  delayS: integer(),
  roundDb: real(),
  /** Earlier levels are not shown. */
  fromAt: integerOrNull(),
  expiresAt: integer(),
  title: text(),
  words: text(),
  /** Origins of pages that may show it in a frame. */
  embed: json<readonly string[]>(),
  createdAt: integer(),
  createdBy: text(),
  views: integer(),
  viewedAt: integerOrNull(),
  /** The row stays, so that its link is not counted as a guess. */
  revokedAt: integerOrNull(),
});
export type ShareRow = typeof SHARES extends Table<infer Row> ? Row : never;

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
  { name: '0002-tag', statements: ['alter table shares add column tag text null'] },
];

export const MOST_SHARES = 500;
const MOST_SHARED_UNITS = 20;
export const MOST_SHARED_DAYS = 731;
/** A week. */
const MOST_DELAY_S = 604_800;
const ROUNDINGS = [0.1, 0.5, 1, 2, 5, 10] as const;

/** The body of POST, with its defaults. */
export type WantedShare = CreateShareBody & Required<Pick<CreateShareBody, DefaultField>>;
type DefaultField = 'delay_s' | 'round_db' | 'title' | 'text' | 'embed';

const SHARE_FIELDS: Readonly<Record<string, Schema>> = {
  name: {
    type: 'string',
    minLength: 1,
    maxLength: 100,
    pattern: PLAIN_TEXT,
    description: 'a name for administrators, in one line; the page does not show it',
  },
  units: {
    type: 'array',
    items: { type: 'string', pattern: UNIT_ID },
    maxItems: MOST_SHARED_UNITS,
    uniqueItems: true,
    description: 'The units of the page. It shows their names, not their ids.',
  },
  tag: {
    type: ['string', 'null'],
    maxLength: 40,
    format: 'tag',
    description: `In place of units: those with this tag, the first ${MOST_SHARED_UNITS}. A unit that gets the tag later is shown at once.`,
  },
  show: {
    type: 'array',
    items: { type: 'string', enum: [...SHOWN_PARTS] },
    minItems: 1,
    uniqueItems: true,
    description:
      'live: the level of the last minute with a word for it; levels: the last 24 hours; indices: the last 7 days that are over; limits: the level rules of the units, and how often they were exceeded.',
  },
  delay_s: {
    type: 'integer',
    minimum: 0,
    maximum: MOST_DELAY_S,
    default: 0,
    'x-unit': 's',
    description: 'Later levels are not shown.',
  },
  round_db: {
    type: 'number',
    enum: [...ROUNDINGS],
    default: 1,
    'x-unit': 'dB',
    description: 'Levels are rounded to full steps of this size before anything is shown.',
  },
  title: {
    type: 'string',
    maxLength: 120,
    pattern: PLAIN_TEXT,
    default: '',
    description: 'the heading of the page, in one line',
  },
  text: {
    type: 'string',
    maxLength: 2_000,
    default: '',
    pattern: '^[^\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]*$',
    description: 'the measurement and its operator, for residents; lines may end with \\n',
  },
  embed: {
    type: 'array',
    items: {
      type: 'string',
      maxLength: 260,
      pattern: '^https?://[a-z0-9.-]+(:[0-9]{1,5})?$',
      description: 'An origin such as https://town.example.org.',
    },
    maxItems: 20,
    uniqueItems: true,
    default: [],
    description: 'origins of pages that may show it in a frame, such as https://town.example.org; none: no page may',
  },
};

export const WANTED_SHARE: Schema = {
  type: 'object',
  properties: {
    ...SHARE_FIELDS,
    from: { ...MOMENT, description: `${MOMENT.description}: nothing from before is shown` },
    expires_at: {
      ...MOMENT,
      description: `${MOMENT.description}: the end of the link, at most ${MOST_SHARED_DAYS} days from now`,
    },
  },
  required: ['name', 'show', 'expires_at'],
  additionalProperties: false,
  example: {
    name: 'Town hall',
    units: ['sim-1'],
    show: ['live', 'levels', 'limits'],
    expires_at: '2027-01-01T00:00:00Z',
    title: 'Noise of the bridge works',
    text: 'Measured by the building office.',
  },
};

const SHOWN: Readonly<Record<string, Schema>> = {
  id: { type: 'string' },
  ...SHARE_FIELDS,
  from: TIME_OR_NULL,
  expires_at: TIME,
  created_at: TIME,
  created_by: { type: 'string', description: 'Who made it.' },
  state: { type: 'string', enum: ['active', 'expired'] },
  views: { type: 'integer', description: 'How often the page was opened.' },
  last_viewed_at: TIME_OR_NULL,
};

export const SHARE: Schema = named('Share', SHOWN);
export const NEW_SHARE: Schema = named('NewShare', {
  ...SHOWN,
  link: { type: 'string', description: 'The page, below the root of the server. Only this answer has it.' },
});

export const sharedUnits = ({ units, tag }: ShareRow, configs: Host['configs']): readonly string[] =>
  tag === null
    ? units
    : configs
        .list()
        .flatMap(({ unitId, tags }) => (tags.includes(tag) ? unitId : []))
        .slice(0, MOST_SHARED_UNITS);

export const shownShare = (share: ShareRow, { clock, configs }: Pick<Host, 'clock' | 'configs'>) => ({
  id: String(share.id),
  name: share.name,
  units: sharedUnits(share, configs),
  tag: share.tag,
  show: share.parts,
  delay_s: share.delayS,
  round_db: share.roundDb,
  title: share.title,
  text: share.words,
  embed: share.embed,
  from: iso(share.fromAt),
  expires_at: iso(share.expiresAt),
  created_at: iso(share.createdAt),
  created_by: share.createdBy,
  state: share.expiresAt > clock.now() ? 'active' : 'expired',
  views: share.views,
  last_viewed_at: iso(share.viewedAt),
});

/** 128 bits, base64url. */
const TOKEN = '^[A-Za-z0-9_-]{22}$';
export const TOKEN_PARAM = {
  token: { type: 'string', pattern: TOKEN, description: 'the token of the link' },
} as const;
export const SHARE_ID = {
  id: { type: 'string', pattern: '^[1-9][0-9]{0,14}$', description: 'the id of a share' },
} as const;
