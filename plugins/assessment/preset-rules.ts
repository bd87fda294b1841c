/** The limits of a preset as bodies for POST _alerts/rules. Limits that no rule can watch are listed with the reason. */
import { invalid } from '../../lib/built-in.ts';
import { type Host, named, type Schema, UNIT_ID } from '../../lib/index.ts';
import * as assessment from './model/index.ts';
import { type KeptPreset, NAME_PARAM } from './preset-schemas.ts';
import { areaOf, readSaid } from './said.ts';
import { LIMITS } from './schemas.ts';
import type { AssessmentStore } from './store.ts';

/** Windows of rules that begin at full times of the clock: seconds by their name. */
export const RULE_WINDOWS = Object.freeze({ '1m': 60, '5m': 300, '15m': 900, '30m': 1_800, '1h': 3_600 });
const LONGEST_NAME = 80;

export interface RulesQuery {
  readonly area?: string;
  readonly limits?: string;
  readonly margin_db: number;
}

const QUERY: Readonly<Record<string, Schema>> = {
  area: {
    type: 'string',
    pattern: UNIT_ID,
    description: 'The area whose limits count: a name of the areas of the preset. Default: the only area.',
  },
  limits: LIMITS,
  margin_db: {
    type: 'number',
    minimum: 0,
    maximum: 30,
    default: 0,
    description: 'So many dB below the limits: room for the additions of the preset, or an early message.',
  },
};

const TEXT: Schema = { type: 'string' };
const WEEKLY: Schema = named('PresetRuleTime', { days: { type: 'array', items: TEXT }, from: TEXT, to: TEXT });
/** A rule in answers, without units and targets. */
export const RULE_FIELDS: Readonly<Record<string, Schema>> = {
  name: TEXT,
  kind: { type: 'string', enum: ['level'] },
  quantity: TEXT,
  window: TEXT,
  align: { type: 'string', enum: ['clock'] },
  limit_db: { type: 'number' },
  decimals: { type: 'integer' },
  min_coverage: { type: 'number' },
  schedule: { type: 'array', items: WEEKLY },
};
/** Limits without a rule, and remarks about the others. */
export const REMARKS: Readonly<Record<string, Schema>> = {
  left_out: {
    type: 'array',
    items: named('PresetRuleLeftOut', { figure: TEXT, reason: TEXT }),
    description: 'Figures that no rule can watch.',
  },
  notes: { type: 'array', items: TEXT, description: 'How the rules differ from the preset.' },
};
const PRESET_RULES = named('PresetRules', {
  preset: TEXT,
  area: { type: ['string', 'null'] },
  rules: {
    type: 'array',
    items: named('PresetRule', RULE_FIELDS),
    description: 'For POST /_alerts/rules/batch, after units or a tag are added.',
  },
  ...REMARKS,
});

export function addPresetRules(host: Host, store: AssessmentStore): void {
  host.route<unknown, RulesQuery>({
    method: 'GET',
    path: '/_assessments/{name}/rules',
    params: NAME_PARAM,
    access: 'viewer',
    operation: 'showRulesOfPreset',
    summary: 'Show the limits of a preset as rules of alerts',
    description:
      'Nothing is made: add units or a tag, and targets, and send them to POST /_alerts/rules/batch. Figures that no rule can watch are in left_out.',
    query: QUERY,
    answer: { data: PRESET_RULES },
    errors: ['ASSESSMENT_NOT_FOUND'],
    handle: ({ params: { name = '' }, query }) => ({ data: rulesOf(store.presets.get(name), query) }),
  });
}

/** The answer: bodies of rules, and what no rule can watch. */
export type PresetRules = ReturnType<typeof rulesOf>;

/** The level from which a rule warns, by its name in the preset and its limit, dB; undefined: it does not warn. */
export type AmberOf = (name: string, limit: number) => number | undefined;

/** Errors: INVALID with the path of the parameter. */
export function rulesOf(preset: KeptPreset, query: RulesQuery, amberOf: AmberOf = () => undefined) {
  const area = areaOf(preset, query.area);
  const { limit } = readSaid(preset, query, area);
  const found = preset.figures.map((figure) => ({ figure, ...ruleOf(preset, figure, limit(figure.name)) }));
  const words = [preset.title, ...(area?.name ? [area.name] : [])].join(', ');
  const rules = found.flatMap(({ figure, rule }) => {
    const {
      peaks_over: { [figure.name]: over },
    } = preset;
    const peak = over === undefined || !rule ? [] : [peakOf(rule, figure.name, over)];
    return rule ? [rule, ...peak] : [];
  });
  const tooLow = rules.findIndex(({ limit_db }) => limit_db < query.margin_db);
  if (tooLow >= 0) throw invalid([{ path: '/margin_db', message: 'is more than one of the limits' }]);
  return {
    preset: preset.name,
    area: area?.name ?? null,
    rules: rules.map(({ name, limit_db: full, ...rule }) => {
      const limit_db = Math.round((full - query.margin_db) * 100) / 100;
      const amber_db = amberOf(name, limit_db);
      const longName = `${words}: ${name}`.slice(-LONGEST_NAME);
      return { ...rule, name: longName, limit_db, ...(amber_db !== undefined && { amber_db }) };
    }),
    left_out: found.flatMap(({ figure, reason }) => (reason === undefined ? [] : [{ figure: figure.name, reason }])),
    notes: notesOf(preset),
  };
}

interface PresetRule {
  readonly name: string;
  readonly kind: 'level';
  readonly quantity: string;
  readonly window: string;
  readonly align: 'clock';
  readonly limit_db: number;
  readonly decimals: number;
  readonly min_coverage: number;
  readonly schedule: readonly assessment.TimeOfDay[];
}
type Found =
  | { readonly rule: PresetRule; readonly reason?: never }
  | { readonly rule?: never; readonly reason: string };

function ruleOf(preset: KeptPreset, figure: assessment.FigureBody, limit: number | null): Found {
  const { name, period, quantity, window_s } = figure;
  if (period === null) return { reason: 'It is an index of several periods: no window of a rule has it.' };
  if (preset.background === 'difference' || preset.residual === 'emergence')
    return { reason: 'Its value is a difference to another level, which a rule does not know.' };
  if (figure.overBackground) return { reason: 'Its limit is above the background, which a rule does not know.' };
  if (limit === null) return { reason: 'It has no limit: name an area, or limits of your own.' };
  if (limit < 0 || limit > 200) return { reason: 'Its limit is not from 0 to 200 dB.' };
  const [window] =
    window_s === null
      ? ['scheduled']
      : (Object.entries(RULE_WINDOWS).find(([, seconds]) => seconds === window_s) ?? []);
  if (window === undefined) return { reason: `Rules have no windows of ${window_s} s.` };
  if (typeof quantity === 'number' && !(Number.isInteger(quantity) && quantity >= 1 && quantity <= 99))
    return { reason: `Rules know percentiles from L01 to L99, not L${quantity}.` };
  const schedule = preset.periods.find((each) => each.name === period)?.times.flatMap(weekly) ?? [];
  if (schedule.length === 0) return { reason: 'Its period is on holidays only, and rules know none.' };
  if (schedule.some(({ from, to }) => from === to)) return { reason: 'Its period ends when it begins.' };
  return {
    rule: {
      name,
      kind: 'level',
      window,
      align: 'clock',
      limit_db: limit,
      schedule,
      quantity: typeof quantity === 'number' ? `l${String(quantity).padStart(2, '0')}` : quantity,
      decimals: preset.decimals,
      min_coverage: preset.min_coverage,
    },
  };
}

/** Without days that only a calendar knows. */
function weekly({ days, from, to }: assessment.TimeOfDay): assessment.TimeOfDay[] {
  const own = days.filter((day) => day !== 'holiday');
  return own.length > 0 ? [{ days: own, from, to: from === '00:00' && to === '00:00' ? '24:00' : to }] : [];
}

/** Single peaks; the windows are short, so that each hour has an event of its own. */
const peakOf = (rule: PresetRule, figure: string, over: number): PresetRule => ({
  ...rule,
  name: `${figure}, peaks`,
  quantity: 'lmax',
  window: '1h',
  limit_db: rule.limit_db + over,
});

function notesOf(preset: KeptPreset): string[] {
  const added = [...assessment.ADDITIONS, 'rest' as const].filter((name) => preset[name] !== null);
  const isOther = ({ times }: assessment.PresetBody['periods'][number]) =>
    times.some(({ days }) => days.includes('holiday') !== days.some((day) => day !== 'holiday'));
  return [
    ...(added.length > 0
      ? [
          `The rules watch measured levels; the additions of the preset (${added.join(', ').replaceAll('_', ' ')}) are not in them. margin_db makes room for them.`,
        ]
      : []),
    ...(preset.duration ? ['How long the noise lasts changes the rating level; rules do not know it.'] : []),
    ...(preset.residual === 'needed' ? ['The residual level is not subtracted: the rules ring early.'] : []),
    ...(preset.periods.some(isOther) ? ['Rules know no holidays: on those they go by the day of the week.'] : []),
  ];
}
