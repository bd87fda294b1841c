/**
 * Rules about the instances that share a database: one is silent, so that nobody could take over, or the meters were with none. They
 * are about the gateway as a whole. Judged by the instance that has the meters, so a time without any is told when it is over.
 */
import { type InstancesKnown, zones } from '../../../../lib/index.ts';
import type { Opening, RuleKind, RuleWatch, WatchParts } from '../kind.ts';
import { isScheduled } from '../local-time.ts';
import { secondsOf, spaced } from '../rule.ts';
import { INSTANCE_FAULTS, INSTANCES_FORM, type InstancesFields, type KeptInstancesRule } from './instances-rule.ts';

/** The kind `instances`. */
export const instancesKind: RuleKind<InstancesFields> = {
  name: 'instances',
  title: 'the instances of the gateway',
  fields: INSTANCES_FORM,
  ofGateway: {
    lack: ({ members }) =>
      members.length > 0
        ? undefined
        : 'This gateway is alone: it keeps its data in its own folder and has no other instances, so this rule has nothing to judge.',
  },
  words: ({ fault, for: time }) => {
    const words = INSTANCE_FAULTS[fault];
    return `${words[0]?.toUpperCase()}${words.slice(1)} for ${spaced(time)}`;
  },
  unitOf: () => '',
  watch: (rule, parts) => (rule.fault === 'instance_silent' ? new SilentWatch(rule, parts) : gapWatch(rule, parts)),
  noPreview: 'the history has levels, but not the state of instances',
};

const opening = (rule: KeptInstancesRule, at: number, detail: string): Opening => ({
  ...{ what: rule.fault, limitValue: null, windowFrom: null, windowTo: null, detail },
  ...{ openedAt: at, worst: null, worstAt: at },
});

const localTime = (zone: string, at: number): string => zones.localIso(zone, at).replace('T', ' ');

/** An event from when one was silent long enough until all are heard of. */
class SilentWatch implements RuleWatch {
  readonly #rule: KeptInstancesRule;
  readonly #parts: WatchParts;
  /** By the monotonic clock, ms. */
  #since: number | undefined;
  #isOpen: boolean;

  constructor(rule: KeptInstancesRule, parts: WatchParts) {
    this.#rule = rule;
    this.#parts = parts;
    this.#isOpen = parts.open !== undefined;
  }

  tick(): void {
    const { clock, zone, events, instances } = this.#parts;
    const { schedule, for: time } = this.#rule;
    const now = clock.now();
    const silent = instances().members.filter(({ state }) => state === 'silent');
    if (silent.length === 0 || !isScheduled(schedule, zone, now)) {
      this.#since = undefined;
      if (this.#isOpen) events.end(now);
      this.#isOpen = false;
      return;
    }
    this.#since ??= clock.elapsed();
    if (this.#isOpen || clock.elapsed() - this.#since < secondsOf(time) * 1_000) return;
    this.#isOpen = true;
    events.begin(opening(this.#rule, now, silent.map((one) => silentWords(one, zone)).join(' ')));
  }
}

function silentWords({ name, lastSeen }: InstancesKnown['members'][number], zone: string): string {
  const since =
    lastSeen === undefined
      ? 'since before this instance began to look'
      : `since ${localTime(zone, Math.round(lastSeen))}`;
  return `The instance ${name} has given no sign of life ${since}: it could not take over.`;
}

/** An event that is over already, once for each time without an owner. */
function gapWatch(rule: KeptInstancesRule, { instances, zone, events, lastWindow }: WatchParts): RuleWatch {
  let told = lastWindow ?? rule.changedAt;
  return {
    tick() {
      const { gap } = instances();
      if (!gap) return;
      const [from, to] = [Math.round(gap.from), Math.round(gap.to)];
      if (to <= told) return;
      told = to;
      if (to - from < secondsOf(rule.for) * 1_000 || !isScheduled(rule.schedule, zone, to)) return;
      const seconds = Math.round((to - from) / 1_000);
      const span = `from ${localTime(zone, from)} to ${localTime(zone, to)}`;
      const detail = `No instance had the meters for ${seconds} s, ${span}: no levels were recorded.`;
      events.begin({ ...opening(rule, to, detail), windowFrom: from, windowTo: to });
      events.end(to);
    },
  };
}
