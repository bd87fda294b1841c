/** The fields of a rule about the instances that share the database of this gateway. Data only. */
import type { FormField } from '../../../../lib/index.ts';
import { FOR_FIELD } from '../device/device-rule.ts';
import type { Rule } from '../rule.ts';

/** Faults of instances: the words of the API, each with a phrase that follows "That". */
export const INSTANCE_FAULTS = {
  instance_silent: 'an instance is silent',
  meters_unowned: 'no instance is active',
} as const;

/** The fields of this kind, beside those of every rule. */
export interface InstancesFields {
  readonly fault: keyof typeof INSTANCE_FAULTS;
  /** How long the fault must last, such as `1m`. */
  readonly for: string;
}
/** A stored rule. */
export type KeptInstancesRule = Rule & InstancesFields;

/** In the order of the form. */
export const INSTANCES_FORM: readonly FormField[] = [
  {
    name: 'fault',
    label: 'That',
    schema: { type: 'string', enum: Object.keys(INSTANCE_FAULTS) },
    needed: true,
    usual: 'instance_silent',
    choices: Object.entries(INSTANCE_FAULTS).map(([value, words]) => ({ value, words })),
  },
  FOR_FIELD,
];
