/** The kinds of rules. A new kind is a folder beside these and a line here; no other code has their names. */
import { coverageKind } from './coverage/coverage-kind.ts';
import { deviceKind } from './device/device-kind.ts';
import { instancesKind } from './instances/instances-kind.ts';
import type { RuleKind } from './kind.ts';
import { levelKind } from './level/level-kind.ts';

/** In the order of forms. */
export const RULE_KINDS: readonly RuleKind[] = [levelKind, deviceKind, coverageKind, instancesKind];
