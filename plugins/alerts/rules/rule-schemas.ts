/** What the endpoints of rules take and answer: the fields that every rule has, and those of the kinds. Data only. */
import {
  formSchemas,
  named,
  PLAIN_TEXT,
  readOnly,
  type Schema,
  TIME,
  TIME_OR_NULL,
  UNIT_ID,
} from '../../../lib/index.ts';
import { ID, IS_BOUND, SCHEDULE } from '../schemas.ts';
import type { RuleKind } from './kind.ts';
import { WARNING } from './recording.ts';
import { DURATION, SEVERITIES } from './rule.ts';

const UNIT: Schema = { type: 'string', pattern: UNIT_ID, description: 'the id of a unit' };

/** Most units that a rule names. */
export const MOST_UNITS_OF_RULE = 1_000;
/** The same of targets. */
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
  targets: { ...ids('Who is told: ids of targets.'), default: [] },
  ack_within: {
    type: 'string',
    pattern: DURATION,
    description: 'a time such as 30s, 5m, 2h or 1d: then the targets of escalate_to are told, too',
  },
  escalate_to: { ...ids('Ids of targets.'), minItems: 1 },
  schedule: SCHEDULE,
};

/** Whether a rule can ring. */
export const RULE_STATES = ['watched', 'no_data', 'no_units', 'off'] as const;
/** One of them. */
export type RuleState = (typeof RULE_STATES)[number];

/** What GET shows of a rule and PUT cannot change. */
export const RULE_FIXED = ['id', 'words', 'state', 'warnings', 'created_at', 'changed_at'];

const RECORD: Schema = {
  type: 'boolean',
  default: true,
  description:
    'Whether units of an enabled rule that record too little for it are made to record it (history of their config); the answer says which. A unit that gets the tag of the rule later, too.',
};

/** Schemas of requests and answers, with the fields of all kinds. */
export interface RuleSchemas {
  readonly body: Schema;
  /** Of a PUT: the data of a GET may be sent back. */
  readonly change: Schema;
  readonly shown: Schema;
}

/** Throws where two kinds give one name to different fields. */
export function ruleSchemas(kinds: readonly RuleKind[]): RuleSchemas {
  const kind: Schema = { type: 'string', enum: kinds.map(({ name }) => name) };
  const fields: Readonly<Record<string, Schema>> = { ...COMMON, record: RECORD, kind, ...formSchemas(kinds) };
  const body = { title: 'NewAlertRule', type: 'object', properties: fields, required: ['name', 'kind'] };
  const plain = Object.fromEntries(Object.entries(fields).map(([name, { default: _, ...schema }]) => [name, schema]));
  return {
    body,
    change: { ...body, title: 'AlertRuleChange', properties: { ...fields, ...readOnly(RULE_FIXED) } },
    shown: {
      title: 'AlertRule',
      type: 'object',
      properties: {
        id: ID,
        ...plain,
        words: { type: 'string', description: 'What it watches, for people.' },
        state: {
          type: 'string',
          enum: [...RULE_STATES],
          description:
            'no_data: at one of its units or more it hears nothing or too little, and `warnings` says why. no_units: no unit has its tag, so nothing is watched. off: it is not enabled.',
        },
        warnings: { type: 'array', items: WARNING, description: 'Units at which it hears nothing, or too little.' },
        created_at: TIME,
        changed_at: TIME,
      },
      required: [
        ...[
          'id',
          'name',
          'enabled',
          'severity',
          'targets',
          'kind',
          'words',
          'state',
          'warnings',
          'created_at',
          'changed_at',
        ],
      ],
      additionalProperties: false,
    },
  };
}

/** An event that a rule would have had. */
export const PREVIEWED: Schema = named('AlertPreview', {
  unit_id: { type: 'string' },
  opened_at: TIME,
  closed_at: TIME_OR_NULL,
  window_from: TIME,
  worst: { type: 'number' },
  worst_at: TIME,
  worst_is_bound: IS_BOUND,
});
