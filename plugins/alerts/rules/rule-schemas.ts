/** Schemas of the endpoints of rules: the fields of every rule, and those of the kinds. Data only. */
import { formSchemas, PLAIN_TEXT, readOnly, TIME_OR_NULL } from '../../../lib/built-in.ts';
import { named, type Schema, TIME, UNIT_ID } from '../../../lib/index.ts';
import { ID, IS_BOUND, SCHEDULE, SENTENCES } from '../schemas.ts';
import { RULE_KINDS } from './kinds.ts';
import { WARNING } from './recording.ts';
import { DURATION, SEVERITIES } from './rule.ts';

const UNIT: Schema = { type: 'string', pattern: UNIT_ID, description: 'the id of a unit' };

export const MOST_UNITS_OF_RULE = 1_000;
export const MOST_TARGETS_OF_RULE = 20;

const ids = (description: string): Schema => ({
  type: 'array',
  maxItems: MOST_TARGETS_OF_RULE,
  uniqueItems: true,
  items: ID,
  description,
});

const COMMON: Readonly<Record<string, Schema>> = {
  name: {
    type: 'string',
    minLength: 1,
    maxLength: 80,
    pattern: PLAIN_TEXT,
    description: 'a name without control characters',
  },
  units: { type: 'array', minItems: 1, maxItems: MOST_UNITS_OF_RULE, uniqueItems: true, items: UNIT },
  tag: { type: 'string', minLength: 1, maxLength: 40, description: 'All units that have this tag, now or later.' },
  enabled: { type: 'boolean', default: true },
  severity: { type: 'string', enum: [...SEVERITIES], default: 'warning' },
  targets: { ...ids('Ids of the targets that get the messages.'), default: [] },
  ack_within: {
    type: 'string',
    pattern: DURATION,
    description: 'a time such as 30s, 5m, 2h or 1d: then the targets of escalate_to get a message, too',
  },
  escalate_to: { ...ids('Ids of targets.'), minItems: 1 },
  schedule: SCHEDULE,
};

const RULE_STATES = ['watched', 'no_data', 'no_units', 'off'] as const;
export type RuleState = (typeof RULE_STATES)[number];

/** Fields that GET shows and PUT cannot change. */
export const RULE_FIXED = ['id', 'words', 'sentences', 'state', 'warnings', 'created_at', 'changed_at'];

const RECORD: Schema = {
  type: 'boolean',
  default: true,
  description:
    'true: if units of an enabled rule record too little for it, history of their config is raised. Units that get its tag later follow. The answer names the changed units.',
};

export type RuleSchemas = ReturnType<typeof ruleSchemas>;

/** Schemas of requests and answers, with the fields of all kinds. Throws if two kinds give one name to different fields. */
export function ruleSchemas() {
  const kind: Schema = { type: 'string', enum: RULE_KINDS.map(({ name }) => name) };
  const fields: Readonly<Record<string, Schema>> = { ...COMMON, record: RECORD, kind, ...formSchemas(RULE_KINDS) };
  const body = { title: 'NewAlertRule', type: 'object', properties: fields, required: ['name', 'kind'] };
  const plain = Object.fromEntries(Object.entries(fields).map(([name, { default: _, ...schema }]) => [name, schema]));
  return {
    body,
    /** The data of a GET may be sent back. */
    change: { ...body, title: 'AlertRuleChange', properties: { ...fields, ...readOnly(RULE_FIXED) } },
    shown: {
      title: 'AlertRule',
      type: 'object',
      properties: {
        id: ID,
        ...plain,
        words: { type: 'string', description: 'The watched condition in words.' },
        sentences: SENTENCES,
        state: {
          type: 'string',
          enum: [...RULE_STATES],
          description:
            'no_data: at least one of its units gives too few levels for it, and `warnings` says why. no_units: no unit has its tag, so nothing is watched. off: it is not enabled.',
        },
        warnings: { type: 'array', items: WARNING, description: 'Units that give no levels for it, or too few.' },
        created_at: TIME,
        changed_at: TIME,
      },
      required: [...RULE_FIXED, 'name', 'enabled', 'severity', 'targets', 'kind'],
      additionalProperties: false,
    },
  };
}

export const PREVIEWED: Schema = named('AlertPreview', {
  unit_id: { type: 'string' },
  opened_at: TIME,
  closed_at: TIME_OR_NULL,
  window_from: TIME,
  worst: { type: 'number' },
  worst_at: TIME,
  worst_is_bound: IS_BOUND,
});
