/** The forms of packages in requests and answers. */
import { listQuery, MOMENT, named, orNull, type Schema, TIME } from '../../lib/index.ts';
import { KIND_NAMES, type Kind } from './gathering.ts';

/** What a package is asked for with. */
export interface WantedBody {
  readonly from: string;
  readonly to: string;
  readonly include?: readonly Kind[];
}

const INCLUDE: Schema = {
  type: 'array',
  items: { type: 'string', enum: [...KIND_NAMES] },
  uniqueItems: true,
  minItems: 1,
  description: 'What is in it. Without it: everything that the caller may hand over.',
};

/** The body of POST. */
export const WANTED: Schema = {
  type: 'object',
  properties: {
    from: { ...MOMENT, description: 'with its offset from UTC; it belongs to the span' },
    to: { ...MOMENT, description: 'at most 400 days later; it does not belong to the span' },
    include: INCLUDE,
  },
  required: ['from', 'to'],
  additionalProperties: false,
};

const STAMP: Schema = named('EvidenceStamp', {
  at: TIME,
  authority: { type: 'string', description: 'The subject of the certificate of the authority.' },
  fingerprint: { type: 'string', description: 'SHA-256 of that certificate (DER).' },
  is_known: {
    type: 'boolean',
    description: 'false: the certificate is not checked against a known authority, see `timestamp_ca_file`.',
  },
});

/** A package in answers. */
export const PACKAGE: Schema = named('EvidencePackage', {
  id: { type: 'string', description: 'That of the job that made it.' },
  unit_id: { type: 'string' },
  from: TIME,
  to: TIME,
  timezone: { type: 'string', description: 'The zone of its days.' },
  include: INCLUDE,
  sha256: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'Of the whole ZIP.' },
  bytes: { type: 'integer' },
  fingerprint: { type: 'string', description: 'Of the key that signed it.' },
  made_at: TIME,
  stamped: { ...orNull(STAMP), description: 'Who stamped its signature (RFC 3161); null: nobody.' },
  not_stamped: {
    type: ['string', 'null'],
    description: 'Why it is not stamped; null: it is, or it was made by an earlier version.',
  },
});

/** Pages of packages. */
export const LIST_QUERY = listQuery({}, { type: 'string', pattern: '^[1-9][0-9]{0,14}$' });

/** The id of a package in a path. */
export const PACKAGE_ID = {
  id: { type: 'string', pattern: '^[1-9][0-9]{0,14}$', description: 'the id of a package' },
} as const;
