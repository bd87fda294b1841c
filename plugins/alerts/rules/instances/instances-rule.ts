/** The fields of a rule about the instances that share the database of this gateway. Data only. */
import type { FormField } from '../../../../lib/index.ts';
import { FOR_FIELD } from '../device/device-rule.ts';
import type { Rule } from '../rule.ts';

/** What can be wrong with them: the words of the API, each after "That". */
export const INSTANCE_FAULTS = {
  instance_silent: 'an instance is silent',
  meters_unowned: 'no instance is active',
} as const;

/** What a rule about instances has beside the fields of every rule. */
export interface InstancesFields {
  readonly fault: keyof typeof INSTANCE_FAULTS;
  /** How long it must last, such as `1m`. */
  readonly for: string;
}
/** One that is kept. */
export type KeptInstancesRule = Rule & InstancesFields;

/** In the order in which a form asks for them. */
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
