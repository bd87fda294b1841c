/** Schemas of the endpoints of targets and deliveries: the common fields, and the fields of each kind. Data only. */
import { formSchemas, LANGUAGES, PLAIN_TEXT, readOnly, TIME_OR_NULL } from '../../../lib/built-in.ts';
import { named, type Schema, TIME } from '../../../lib/index.ts';
import { ID, SCHEDULE } from '../schemas.ts';
import { TARGET_KINDS } from './target-kinds.ts';

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

/** Schemas of requests and answers, with the fields of all kinds. Throws if two kinds give one name to different fields. */
export function targetSchemas() {
  const kind: Schema = { type: 'string', enum: TARGET_KINDS.map(({ name }) => name) };
  const fields: Readonly<Record<string, Schema>> = { ...COMMON, kind, ...formSchemas(TARGET_KINDS) };
  const body = { title: 'NewAlertTarget', type: 'object', properties: fields, required: ['name', 'kind'] };
  const open = Object.entries(fields).filter(([, schema]) => schema.writeOnly !== true);
  const plain = Object.fromEntries(open.map(([name, { default: _, ...schema }]) => [name, schema]));
  return {
    body,
    /** The data of a GET may be sent back. */
    change: { ...body, title: 'AlertTargetChange', properties: { ...fields, ...readOnly(TARGET_FIXED) } },
    shown: {
      title: 'AlertTarget',
      type: 'object',
      properties: { id: ID, ...plain, secret_set: { type: 'boolean' }, created_at: TIME, changed_at: TIME },
      required: [...TARGET_FIXED, 'name', 'kind', 'enabled', 'resolved'],
      additionalProperties: false,
    },
  };
}

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
