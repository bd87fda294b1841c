/** The kinds of rules. A new kind is a folder beside these and a line here; no other code has their names. */
import { MAIN_CHANNEL } from '../../../lib/built-in.ts';
import { coverageKind } from './coverage/coverage-kind.ts';
import { deviceKind } from './device/device-kind.ts';
import { instancesKind } from './instances/instances-kind.ts';
import type { RuleKind } from './kind.ts';
import { levelKind } from './level/level-kind.ts';
import type { RuleBody } from './rule.ts';

/** In the order of forms. A plugin may add further kinds before alerts begin. */
export const RULE_KINDS: RuleKind[] = [levelKind, deviceKind, coverageKind, instancesKind];

/** Undefined: the plugin of this kind is not loaded. */
export const ruleKindOf = (kind: string): RuleKind | undefined => RULE_KINDS.find(({ name }) => name === kind);

/** Whether events of this kind are about levels of the history. */
export const isOfLevels = (kind: string): boolean => ruleKindOf(kind)?.late !== undefined;

/** Whether a rule is about the gateway as a whole. */
export const isOfGateway = ({ kind }: Pick<RuleBody, 'kind'>): boolean => ruleKindOf(kind)?.ofGateway !== undefined;

/** The channel of the meter whose levels a rule uses. */
export const channelOfRule = (rule: RuleBody): string => ruleKindOf(rule.kind)?.channelOf?.(rule) ?? MAIN_CHANNEL;
