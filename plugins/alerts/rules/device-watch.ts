/** One device rule at one unit: a condition has to hold for a time before it is an event. Pure. Times in ms. */
import { type Facts, type Judgement, judge } from './device-condition.ts';
import { isScheduled } from './local-time.ts';
import { type DeviceRule, secondsOf } from './rule.ts';

export type DeviceStep = { readonly kind: 'open'; readonly judgement: Judgement } | { readonly kind: 'close' };

export interface Moment {
  /** Wall time, for the schedule. */
  readonly time: number;
  /** Monotonic, for how long it holds. */
  readonly elapsed: number;
}

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
    const judgement = judge(this.rule, facts, this.#isOpen);
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
