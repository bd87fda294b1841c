/** The fields of a rule about how much was measured. Data only. */
import type { FormField } from '../../../../lib/index.ts';
import { WINDOW_FORM, type WindowName } from '../level/level-rule.ts';
import type { Rule, RuleBody } from '../rule.ts';

/** The fields of this kind, beside those of every rule. */
export interface CoverageFields {
  readonly window: WindowName;
  /** Per cent of the window. */
  readonly least_percent: number;
}
/** A rule about gaps as it is sent. */
export type CoverageRule = RuleBody & CoverageFields;
/** A stored rule about gaps. */
export type KeptCoverageRule = Rule & CoverageFields;

/** The fields as forms, checks and docs need them. */
export const COVERAGE_FORM: readonly FormField[] = [
  WINDOW_FORM,
  {
    name: 'least_percent',
    label: 'Measured at least',
    unit: '% of the window',
    schema: { type: 'number', minimum: 1, maximum: 100, description: 'Default 75.' },
    default: 75,
    usual: 75,
  },
];
