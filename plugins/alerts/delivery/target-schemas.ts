/** What the endpoints of targets and deliveries take and answer. Data only. */
import { named, PLAIN_TEXT, readOnly, type Schema, TIME, TIME_OR_NULL } from '../../../lib/index.ts';
import { ID, SCHEDULE } from '../schemas.ts';

const FIELDS: Readonly<Record<string, Schema>> = {
  name: {
    type: 'string',
    minLength: 1,
    maxLength: 80,
    pattern: PLAIN_TEXT,
    description: 'a name without control characters',
  },
  kind: { type: 'string', enum: ['webhook', 'mail', 'mqtt'] },
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
  url: {
    ...{ type: 'string', minLength: 1, maxLength: 2_000 },
    description: 'For a webhook: https://example.org/hook. For a broker: mqtts://example.org:8883',
  },
  topic: {
    ...{ type: 'string', maxLength: 200, pattern: '^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$' },
    description: 'a topic of a broker: words of letters, digits, dashes and underscores with slashes between them',
  },
  username: { type: 'string', minLength: 1, maxLength: 256, pattern: PLAIN_TEXT, description: 'the user at a broker' },
  to: {
    type: 'array',
    minItems: 1,
    maxItems: 20,
    uniqueItems: true,
    items: {
      type: 'string',
      maxLength: 254,
      pattern: "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$",
      description: 'one mail address such as site@example.org, without a name',
    },
  },
};
const SECRET: Schema = {
  ...{ type: 'string', minLength: 1, maxLength: 256, pattern: PLAIN_TEXT, writeOnly: true },
  description:
    'for a webhook: whsec_ and the base64 of 24 to 64 random bytes; for a broker: the password. Never shown; a PUT without it keeps it',
};

export const TARGET_BODY: Schema = {
  title: 'NewAlertTarget',
  type: 'object',
  properties: { ...FIELDS, secret: SECRET },
  required: ['name', 'kind'],
};

/** What GET shows of a target and PUT cannot change. */
export const TARGET_FIXED = ['id', 'secret_set', 'created_at', 'changed_at'];
export const TARGET_CHANGE: Schema = {
  ...TARGET_BODY,
  title: 'AlertTargetChange',
  properties: { ...FIELDS, secret: SECRET, ...readOnly(TARGET_FIXED) },
};

const shown = Object.fromEntries(Object.entries(FIELDS).map(([name, { default: _, ...schema }]) => [name, schema]));
export const TARGET: Schema = {
  title: 'AlertTarget',
  type: 'object',
  properties: { id: ID, ...shown, secret_set: { type: 'boolean' }, created_at: TIME, changed_at: TIME },
  required: ['id', 'name', 'kind', 'enabled', 'resolved', 'secret_set', 'created_at', 'changed_at'],
  additionalProperties: false,
};

export const DELIVERY: Schema = named('AlertDelivery', {
  id: ID,
  target: ID,
  event: { type: ['string', 'null'], description: 'The id of the event; null: a test.' },
  unit_id: { type: ['string', 'null'] },
  type: { type: 'string', enum: ['opened', 'closed', 'revised', 'escalated', 'test'] },
  state: { type: 'string', enum: ['waiting', 'done', 'failed'] },
  tries: { type: 'integer' },
  outcome: { type: 'string', description: 'The result of the last try.' },
  created_at: TIME,
  not_before: TIME,
  ended_at: TIME_OR_NULL,
});
