/** What the endpoints of rules and events take and answer. Data only. */
import {
  named,
  orNull,
  type PageQuery,
  PLAIN_TEXT,
  readOnly,
  type Schema,
  TIME,
  TIME_OR_NULL,
  UNIT_ID,
  whole,
} from '../../lib/index.ts';
import { CONDITIONS, DAYS, DURATION, SEVERITIES, WINDOWS } from './rules/rule.ts';

export const ID = { type: 'string', pattern: '^[1-9][0-9]{0,14}$' } as const;
const UNIT: Schema = {
  type: 'string',
  pattern: UNIT_ID,
  description: 'the id of a unit',
};
const LEVEL: Schema = { type: ['number', 'null'] };
export const PARAMS = { id: { ...ID, description: 'an id, a whole number' } } as const;

const duration = (description: string): Schema => ({
  type: 'string',
  pattern: DURATION,
  description: `a time such as 30s, 5m, 2h or 1d: ${description}`,
});
const ids = (description: string): Schema => ({
  type: 'array',
  maxItems: 20,
  uniqueItems: true,
  items: ID,
  description,
});

export const SCHEDULE: Schema = {
  type: 'array',
  minItems: 1,
  maxItems: 20,
  description: 'Times of the local clock of the unit; if `to` is at or before `from`, the span goes over midnight.',
  items: named('RuleSchedule', {
    days: { type: 'array', minItems: 1, maxItems: 7, uniqueItems: true, items: { type: 'string', enum: [...DAYS] } },
    from: { type: 'string', pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description: 'a time such as 07:00' },
    to: {
      type: 'string',
      pattern: '^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$',
      description: 'a time such as 19:00, or 24:00',
    },
  }),
};

const RULE_FIELDS: Readonly<Record<string, Schema>> = {
  name: {
    type: 'string',
    minLength: 1,
    maxLength: 80,
    pattern: PLAIN_TEXT,
    description: 'a name without control characters',
  },
  units: { type: 'array', minItems: 1, maxItems: 1_000, uniqueItems: true, items: UNIT },
  tag: { type: 'string', minLength: 1, maxLength: 40, description: 'All units that have this tag, now or later.' },
  enabled: { type: 'boolean', default: true },
  severity: { type: 'string', enum: [...SEVERITIES], default: 'warning' },
  targets: { ...ids('Who is told: ids of targets.'), default: [] },
  ack_within: duration('then the targets of escalate_to are told, too'),
  escalate_to: { ...ids('Ids of targets.'), minItems: 1 },
  schedule: SCHEDULE,
  kind: { type: 'string', enum: ['level', 'device'] },
  quantity: {
    type: 'string',
    pattern: '^(leq|lmax|lpeak|l0[1-9]|l[1-9][0-9])$',
    description: 'leq, lmax, lpeak, or l01 to l99',
  },
  window: { type: 'string', enum: [...WINDOWS] },
  align: { type: 'string', enum: ['clock', 'sliding'], description: 'Default clock.' },
  limit_db: { type: 'number', minimum: 0, maximum: 200 },
  clear_db: {
    type: 'number',
    minimum: 0,
    maximum: 200,
    description: 'The level at which a sliding event ends. Default limit_db - 2.',
  },
  min_coverage: { type: 'number', minimum: 0, maximum: 1, description: 'Default 0.5.' },
  condition: { type: 'string', enum: [...CONDITIONS] },
  threshold: { type: 'number', minimum: 0, maximum: 1_000_000 },
  weighting: { type: 'string', pattern: '^[ACZ][FSI]$', description: 'a weighting such as AF' },
  for: duration('how long the condition must hold. Default 1m'),
};

export const RULE_BODY: Schema = {
  title: 'NewAlertRule',
  type: 'object',
  properties: RULE_FIELDS,
  required: ['name', 'kind'],
};

/** What GET shows of a rule and PUT cannot change. */
export const RULE_FIXED = ['id', 'created_at', 'changed_at'];
export const RULE_CHANGE: Schema = {
  ...RULE_BODY,
  title: 'AlertRuleChange',
  properties: { ...RULE_FIELDS, ...readOnly(RULE_FIXED) },
};

const shown = Object.fromEntries(
  Object.entries(RULE_FIELDS).map(([name, { default: _, ...schema }]) => [name, schema]),
);
export const RULE: Schema = {
  title: 'AlertRule',
  type: 'object',
  properties: { id: ID, ...shown, created_at: TIME, changed_at: TIME },
  required: ['id', 'name', 'enabled', 'severity', 'targets', 'kind', 'created_at', 'changed_at'],
  additionalProperties: false,
};

const EVENT_FIELDS: Readonly<Record<string, Schema>> = {
  id: ID,
  rule: {
    type: 'string',
    pattern: '^(0|[1-9][0-9]{0,14})$',
    description: '0: an event of a gateway that was replaced.',
  },
  rule_name: { type: 'string' },
  unit_id: { type: 'string' },
  severity: { type: 'string', enum: [...SEVERITIES] },
  kind: { type: 'string', enum: ['level', 'device'] },
  what: { type: 'string', description: 'The quantity or the condition.' },
  limit: { ...LEVEL, description: 'dB for a level rule, the threshold for a condition.' },
  window_from: TIME_OR_NULL,
  window_to: TIME_OR_NULL,
  opened_at: TIME,
  closed_at: { ...TIME_OR_NULL, description: 'null: it is open.' },
  worst: LEVEL,
  worst_at: TIME_OR_NULL,
  detail: { type: 'string' },
  escalated_at: TIME_OR_NULL,
  ack: orNull(whole({ by: { type: 'string' }, at: TIME, note: { type: 'string' } })),
  revised: orNull(whole({ value: { type: 'number' }, was: LEVEL, at: TIME })),
};
export const EVENT: Schema = named('AlertEvent', EVENT_FIELDS);

export const PREVIEWED: Schema = named('AlertPreview', {
  unit_id: { type: 'string' },
  opened_at: TIME,
  closed_at: TIME_OR_NULL,
  window_from: TIME,
  worst: { type: 'number' },
  worst_at: TIME,
});

const BUDGET_FIELDS: Readonly<Record<string, Schema>> = {
  rule: ID,
  name: { type: 'string' },
  quantity: { type: 'string' },
  limit_db: { type: 'number' },
  window_from: TIME,
  window_to: TIME,
  elapsed_s: { type: 'number' },
  measured_s: { type: 'number' },
  leq_so_far: { ...LEVEL, description: 'For another quantity than leq: its value so far.' },
  remaining_may_average_db: {
    ...LEVEL,
    description: 'dB that the rest of the window may average; null: nothing is left, or there is no budget.',
  },
  will_exceed_at: {
    ...TIME_OR_NULL,
    description: 'If the noise of the last five minutes goes on; null: not within this window.',
  },
  state: { type: 'string', enum: ['ok', 'warning', 'exceeded'] },
  note: { type: ['string', 'null'], description: 'Why there is no budget; null if there is one.' },
};
export const BUDGET: Schema = named('Budget', BUDGET_FIELDS);
export const UNIT_BUDGET: Schema = named('UnitBudget', { unit_id: UNIT, ...BUDGET_FIELDS });

export interface EventsQuery extends PageQuery {
  readonly unit?: string;
  readonly rule?: string;
  readonly open?: boolean;
  readonly from?: string;
  readonly to?: string;
}

export const NOTE: Schema = {
  type: 'object',
  properties: {
    note: {
      type: 'string',
      maxLength: 500,
      pattern: PLAIN_TEXT,
      default: '',
      description: 'a note without control characters',
    },
  },
};
