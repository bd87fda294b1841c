/** The kinds of rules. A new one is a folder beside these and a line here; nothing else knows them by name. */
import { coverageKind } from './coverage/coverage-kind.ts';
import { deviceKind } from './device/device-kind.ts';
import { instancesKind } from './instances/instances-kind.ts';
import type { RuleKind } from './kind.ts';
import { levelKind } from './level/level-kind.ts';

/** In the order in which forms offer them. */
export const RULE_KINDS: readonly RuleKind[] = [levelKind, deviceKind, coverageKind, instancesKind];
