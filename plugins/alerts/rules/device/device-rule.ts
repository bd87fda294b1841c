/** The fields of a rule about the state of a meter. Data only. */
import type { FormChoice, FormField } from '../../../../lib/index.ts';
import { DURATION, type Rule, type RuleBody } from '../rule.ts';
import { CONDITIONS, type ConditionName, type DeviceCondition, type Wish } from './conditions.ts';

/** The fields of this kind. */
export interface DeviceFields extends Wish {
  readonly condition: ConditionName;
  /** How long it must hold, such as `5m`. */
  readonly for: string;
}
/** A rule in a request. */
export type DeviceRule = RuleBody & DeviceFields;
/** A stored rule. */
export type KeptDeviceRule = Rule & DeviceFields;

const THRESHOLD = { type: 'number', minimum: 0, maximum: 1_000_000 } as const;
const WEIGHTING: FormField = {
  name: 'weighting',
  label: 'Should be',
  schema: {
    type: 'string',
    pattern: '^[ACZ][FSI]$',
    description: 'the weighting that the meter should have, such as AF',
  },
  needed: true,
  usual: 'AF',
};

const CHOICES = (Object.entries(CONDITIONS) as [ConditionName, DeviceCondition][]).map(
  ([value, condition]): FormChoice => ({ value, words: condition.words, fields: fieldsOf(condition) }),
);

function fieldsOf({ threshold, wantsWeighting }: DeviceCondition): FormField[] {
  if (wantsWeighting) return [WEIGHTING];
  if (!threshold) return [];
  const { needed, ...more } = threshold;
  return [{ name: 'threshold', label: 'Threshold', schema: THRESHOLD, ...(needed && { needed }), ...more }];
}

/** For rules about something that must last. */
export const FOR_FIELD: FormField = {
  name: 'for',
  label: 'For at least',
  schema: {
    type: 'string',
    pattern: DURATION,
    description: 'a time such as 30s, 5m, 2h or 1d: how long the condition must hold. Default 1m',
  },
  default: '1m',
  usual: '5m',
};

/** In the order of the form. */
export const DEVICE_FORM: readonly FormField[] = [
  {
    name: 'condition',
    label: 'The meter',
    schema: { type: 'string', enum: Object.keys(CONDITIONS) },
    needed: true,
    usual: 'unreachable',
    choices: CHOICES,
  },
  FOR_FIELD,
];
