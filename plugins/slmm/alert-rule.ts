/** Rules of SLMM and their form here: a short-time level or the level of a period, above a limit. */
import { invalid } from '../../lib/built-in.ts';
import { columns, defineTable, type Schema, type TableMigration } from '../../lib/index.ts';

const METRICS = ['lp', 'leq', 'lmax', 'lmin', 'lpeak', 'ln1', 'ln2'];
const TIME: Schema = { type: ['string', 'null'], pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', description: 'HH:MM' };

export interface SlmmRule {
  readonly name: string;
  readonly metric: string;
  readonly comparison: 'above' | 'below';
  readonly threshold_db: number;
  readonly duration_s: number;
  readonly clear_margin_db: number;
  readonly cooldown_s: number;
  readonly schedule_start: string | null;
  readonly schedule_end: string | null;
  readonly schedule_days: string | null;
  readonly channels: string | null;
  readonly recipients: string | null;
  readonly enabled: boolean;
}

/** With the defaults of SLMM. */
export const RULE_BODY: Readonly<Record<string, Schema>> = {
  threshold_db: { type: 'number', minimum: 0, maximum: 200 },
  name: { type: 'string', minLength: 1, maxLength: 80, default: 'Alert' },
  metric: { type: 'string', enum: METRICS, default: 'lp' },
  comparison: { type: 'string', enum: ['above', 'below'], default: 'above' },
  duration_s: { type: 'integer', minimum: 0, maximum: 86_400, default: 0 },
  clear_margin_db: { type: 'number', minimum: 0, maximum: 100, default: 2 },
  cooldown_s: { type: 'integer', minimum: 0, maximum: 86_400, default: 300 },
  schedule_start: { ...TIME, default: null },
  schedule_end: { ...TIME, default: null },
  schedule_days: {
    type: ['string', 'null'],
    pattern: '^([0-6](,[0-6])*)?$',
    default: null,
    description: '0 to 6, 0 = Monday',
  },
  channels: { type: ['string', 'null'], maxLength: 200, default: 'log' },
  recipients: { type: ['string', 'null'], maxLength: 1_000, default: null },
  enabled: { type: 'boolean', default: true },
};
export const RULE_NAMES = Object.keys(RULE_BODY);

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const WINDOWS = [
  ['1m', 60],
  ['5m', 300],
  ['15m', 900],
  ['30m', 1_800],
  ['1h', 3_600],
  ['8h', 28_800],
  ['12h', 43_200],
] as const;
/** Slots 1 and 2 as the maker delivers the meter. */
const QUANTITIES: Readonly<Record<string, string>> = { leq: 'leq', lpeak: 'lpeak', ln1: 'l05', ln2: 'l10' };

/**
 * A limit on the present level becomes a limit on the Lmax of the last minute; with a duration of a minute or more, on
 * the Leq of that time. Errors: INVALID for a rule that has no equal here.
 */
export function gatewayRule(unitId: string, rule: SlmmRule): Record<string, unknown> {
  if (rule.comparison === 'below')
    throw invalid([
      { path: '/comparison', message: 'must be above: the gateway has no rules for levels below a limit' },
    ]);
  if (rule.metric === 'lmin')
    throw invalid([{ path: '/metric', message: 'must not be Lmin: the gateway has no rules about it' }]);
  const moment = rule.metric === 'lp' || rule.metric === 'lmax';
  const quantity = moment ? (rule.duration_s < 60 ? 'lmax' : 'leq') : QUANTITIES[rule.metric];
  const [window] = WINDOWS.find(([, seconds]) => seconds >= rule.duration_s) ?? WINDOWS[6];
  const schedule = scheduleOf(rule);
  return {
    name: rule.name,
    kind: 'level',
    units: [unitId],
    enabled: rule.enabled,
    quantity,
    window,
    align: 'sliding',
    limit_db: rule.threshold_db,
    clear_db: Math.max(0, rule.threshold_db - rule.clear_margin_db),
    ...(schedule && { schedule: [schedule] }),
  };
}

function scheduleOf({ schedule_start: from, schedule_end: to, schedule_days: list }: SlmmRule) {
  const days = list ? [...new Set(list.split(','))].map((day) => DAYS[Number(day)]) : DAYS;
  if (!from && !to && days.length === 7) return undefined;
  // Without an end the rule applies until the end of the day. If both times are equal, it is the whole day.
  return from === to ? { days, from: '00:00', to: '24:00' } : { days, from: from ?? '00:00', to: to ?? '24:00' };
}

/** The differences between a rule of SLMM and its form here, for a person; undefined: none. */
export function ruleChange(rule: SlmmRule): string | undefined {
  const { quantity, window } = gatewayRule('', rule);
  const { metric, duration_s, schedule_start, schedule_end, recipients, channels, cooldown_s } = rule;
  const parts = [
    ...(metric === quantity && WINDOWS.some(([name, seconds]) => name === window && seconds === duration_s)
      ? []
      : [`${metric} for ${duration_s} s becomes ${quantity} of ${window}`]),
    ...((schedule_start === null) === (schedule_end === null)
      ? []
      : [
          `it holds ${schedule_start === null ? 'from 00:00' : 'until 24:00'}, because one end of its time was missing`,
        ]),
    ...(recipients ? ['its recipients are left out, because SLMM sent nothing: name targets'] : []),
    ...(channels && channels !== 'log' ? [`its channels ${JSON.stringify(channels)} are left out: name targets`] : []),
    ...(cooldown_s > 0 ? [`its pause of ${cooldown_s} s after an event is left out`] : []),
  ];
  return parts.length === 0 ? undefined : `${parts.join('; ')}.`;
}

/** A level rule of the gateway in the nearest form of SLMM, for rules that no client of SLMM wrote. */
export function slmmRuleOf(rule: Readonly<Record<string, unknown>>): SlmmRule {
  const limit = Number(rule.limit_db);
  const [schedule] = (rule.schedule ?? []) as { days: string[]; from: string; to: string }[];
  const metric = Object.entries(QUANTITIES).find(([, quantity]) => quantity === rule.quantity)?.[0];
  const duration = WINDOWS.find(([name]) => name === rule.window)?.[1] ?? 0;
  return {
    name: String(rule.name),
    metric: metric ?? String(rule.quantity),
    comparison: 'above',
    threshold_db: limit,
    duration_s: rule.quantity === 'lmax' ? 0 : duration,
    clear_margin_db: Math.round((limit - Number(rule.clear_db)) * 10) / 10,
    cooldown_s: 0,
    schedule_start: schedule?.from ?? null,
    schedule_end: schedule?.to ?? null,
    schedule_days: schedule?.days.map((day) => DAYS.indexOf(day)).join(',') ?? null,
    channels: 'log',
    recipients: null,
    enabled: rule.enabled === true,
  };
}

/** Rules as SLMM's clients wrote them, with the fields that the gateway lacks. By the id of the gateway's rule. */
export const SLMM_RULES = defineTable('slmm_rule', ['id'], { id: columns.integer(), body: columns.json<SlmmRule>() });

/**
 * Data of earlier imports, so that an import can be repeated: the id of the rule here for the key of a rule in SLMM. And
 * units in standby, with the id 0.
 */
export const TAKEN = defineTable('slmm_taken', ['key'], { key: columns.text(), id: columns.integer() });

export const SLMM_MIGRATIONS: readonly TableMigration[] = [
  {
    name: '0001-rules',
    statements: ['create table slmm_rule (id integer not null primary key, body json not null)'],
  },
  {
    name: '0002-taken-over',
    statements: ['create table slmm_taken (key text not null primary key, id integer not null)'],
  },
];
