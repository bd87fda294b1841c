/** One device rule at one unit: a condition has to hold for a time before it is an event. Pure. Times in ms. */
import type { Facts } from '../facts.ts';
import type { Moment } from '../kind.ts';
import { isScheduled } from '../local-time.ts';
import { secondsOf } from '../rule.ts';
import { conditionOf, type Judgement } from './conditions.ts';
import type { DeviceRule } from './device-rule.ts';

/** A change of the rule's event. */
export type DeviceStep = { readonly kind: 'open'; readonly judgement: Judgement } | { readonly kind: 'close' };

/** Gets the facts when they change, and when time has passed. */
export class DeviceWatch {
  readonly rule: DeviceRule;
  readonly #zone: string;
  readonly #holdMs: number;
  #since: number | undefined;
  #isOpen: boolean;

  constructor(rule: DeviceRule, zone: string, isOpen: boolean) {
    this.rule = rule;
    this.#zone = zone;
    this.#holdMs = secondsOf(rule.for) * 1_000;
    this.#isOpen = isOpen;
  }

  look(facts: Facts, { time, elapsed }: Moment): DeviceStep | undefined {
    if (!isScheduled(this.rule.schedule, this.#zone, time)) return this.#good();
    const judgement = conditionOf(this.rule.condition).judge(facts, this.rule, this.#isOpen);
    if (judgement.isBad === undefined) return undefined;
    if (!judgement.isBad) return this.#good();
    this.#since ??= elapsed;
    if (this.#isOpen || elapsed - this.#since < this.#holdMs) return undefined;
    this.#isOpen = true;
    return { kind: 'open', judgement };
  }

  #good(): DeviceStep | undefined {
    this.#since = undefined;
    if (!this.#isOpen) return undefined;
    this.#isOpen = false;
    return { kind: 'close' };
  }
}
