/** Schemas of the endpoints of targets and deliveries: the common fields, and the fields of each kind. Data only. */
import {
  formSchemas,
  LANGUAGES,
  named,
  PLAIN_TEXT,
  readOnly,
  type Schema,
  TIME,
  TIME_OR_NULL,
} from '../../../lib/index.ts';
import { ID, SCHEDULE } from '../schemas.ts';
import type { TargetKind } from './target-kind.ts';

const COMMON: Readonly<Record<string, Schema>> = {
  name: {
    type: 'string',
    minLength: 1,
    maxLength: 80,
    pattern: PLAIN_TEXT,
    description: 'a name without control characters',
  },
  enabled: { type: 'boolean', default: true },
  resolved: { type: 'boolean', default: true, description: 'Whether the end of an event is sent, too.' },
  quiet: {
    ...SCHEDULE,
    description: 'Times at which only critical events are sent; the others wait for the end of these times.',
  },
  zone: {
    type: 'string',
    maxLength: 64,
    format: 'timezone',
    description: 'IANA name of the clock of `quiet`. Default: the setting timezone.',
  },
  language: {
    type: 'string',
    enum: [...LANGUAGES],
    description:
      'The language of mails and notifications. A phone that was subscribed in another language keeps that. Default en.',
  },
};

/** Fields that GET shows and PUT cannot change. */
export const TARGET_FIXED = ['id', 'secret_set', 'created_at', 'changed_at'];

/** Schemas of requests and answers, with the fields of all kinds. */
export interface TargetSchemas {
  readonly body: Schema;
  /** The schema of a PUT: the data of a GET may be sent back. */
  readonly change: Schema;
  readonly shown: Schema;
}

/** Throws if two kinds give one name to different fields. */
export function targetSchemas(kinds: readonly TargetKind[]): TargetSchemas {
  const kind: Schema = { type: 'string', enum: kinds.map(({ name }) => name) };
  const fields: Readonly<Record<string, Schema>> = { ...COMMON, kind, ...formSchemas(kinds) };
  const body = { title: 'NewAlertTarget', type: 'object', properties: fields, required: ['name', 'kind'] };
  const open = Object.entries(fields).filter(([, schema]) => schema.writeOnly !== true);
  const plain = Object.fromEntries(open.map(([name, { default: _, ...schema }]) => [name, schema]));
  return {
    body,
    change: { ...body, title: 'AlertTargetChange', properties: { ...fields, ...readOnly(TARGET_FIXED) } },
    shown: {
      title: 'AlertTarget',
      type: 'object',
      properties: { id: ID, ...plain, secret_set: { type: 'boolean' }, created_at: TIME, changed_at: TIME },
      required: ['id', 'name', 'kind', 'enabled', 'resolved', 'secret_set', 'created_at', 'changed_at'],
      additionalProperties: false,
    },
  };
}

/** A message to one target in answers. */
export const DELIVERY: Schema = named('AlertDelivery', {
  id: ID,
  target: ID,
  event: { type: ['string', 'null'], description: 'The id of the event; null: a test.' },
  unit_id: { type: ['string', 'null'] },
  type: { type: 'string', enum: ['opened', 'critical', 'closed', 'revised', 'escalated', 'test'] },
  state: {
    type: 'string',
    enum: ['waiting', 'done', 'failed'],
    description: 'failed: no further try. A mail may have reached others of its addresses: see `outcome`.',
  },
  tries: { type: 'integer' },
  outcome: { type: 'string', description: 'The result of the last try.' },
  created_at: TIME,
  not_before: TIME,
  ended_at: TIME_OR_NULL,
});

// Fields that several kinds of targets have.

/** An address. The kind of the target says which schemes are accepted. */
export const URL_SCHEMA = {
  type: 'string',
  minLength: 1,
  maxLength: 2_000,
  description: 'For a webhook: https://example.org/hook. For a broker: mqtts://example.org:8883',
} as const;

/** A secret is write-only. */
export const SECRET_SCHEMA = {
  type: 'string',
  minLength: 1,
  maxLength: 256,
  pattern: PLAIN_TEXT,
  writeOnly: true,
  description:
    'for a webhook: whsec_ and the base64 of 24 to 64 random bytes; for a broker: the password. Never shown; a PUT without it keeps it',
} as const;

/** Whether an address is `mqtt:` or `mqtts:`. */
export const isBrokerUrl = (url: string): boolean => /^\s*mqtts?:/i.test(url);
