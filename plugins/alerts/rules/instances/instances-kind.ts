/**
 * Rules about the instances on one database: an instance is silent, or none was active for a time. They are about the
 * gateway as a whole. Only an active instance judges them, so a time without an active instance is reported when it is over.
 */
import { type FormField, type InstancesKnown, zones } from '../../../../lib/index.ts';
import { FOR_FIELD } from '../device/device-kind.ts';
import type { Opening, RuleKind, RuleWatch, WatchParts } from '../kind.ts';
import { isScheduled, type Rule, secondsOf, spaced } from '../rule.ts';

/**
 * The fields of a rule about the instances that share the database of this gateway. Faults of instances: the words of
 * the API, each with a phrase that follows "That".
 */
const INSTANCE_FAULTS = {
  instance_silent: 'an instance is silent',
  meters_unowned: 'no instance is active',
} as const;

/** The fields of this kind, beside those of every rule. */
interface InstancesFields {
  readonly fault: keyof typeof INSTANCE_FAULTS;
  /** How long the fault must last, such as `1m`. */
  readonly for: string;
}
/** A stored rule. */
type KeptInstancesRule = Rule & InstancesFields;

/** In the order of the form. */
const INSTANCES_FORM: readonly FormField[] = [
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
  watch: (rule, parts) =>
    rule.fault === 'instance_silent' ? new SilentWatch(rule, parts) : new UnownedWatch(rule, parts),
  noPreview: 'the history has levels, but not the state of instances',
};

const opening = (rule: KeptInstancesRule, at: number, detail: string): Opening => ({
  what: rule.fault,
  limitValue: null,
  windowFrom: null,
  windowTo: null,
  detail,
  openedAt: at,
  worst: null,
  worstAt: at,
});

const localTime = (zone: string, at: number): string => zones.localIso(zone, at).replace('T', ' ');

/** Opens an event when a fault has lasted long enough, and closes it when the fault ends. */
class LastingWatch implements RuleWatch {
  protected readonly rule: KeptInstancesRule;
  protected readonly parts: WatchParts;
  /** The text of the event; undefined: no fault. */
  readonly #told: () => string | undefined;
  /** By the monotonic clock, ms. */
  #since: number | undefined;
  #isOpen: boolean;

  constructor(rule: KeptInstancesRule, parts: WatchParts, told: () => string | undefined) {
    this.rule = rule;
    this.parts = parts;
    this.#told = told;
    this.#isOpen = parts.open !== undefined;
  }

  tick(): void {
    const { clock, zone, events } = this.parts;
    const now = clock.now();
    const words = this.#told();
    if (words === undefined || !isScheduled(this.rule.schedule, zone, now)) {
      this.ends(now);
      return;
    }
    this.#since ??= clock.elapsed();
    if (this.#isOpen || clock.elapsed() - this.#since < secondsOf(this.rule.for) * 1_000) return;
    this.#isOpen = true;
    events.begin(opening(this.rule, now, words));
  }

  /** Also if no event is open yet: the time of the fault starts again at zero. */
  protected ends(at: number): void {
    this.#since = undefined;
    if (this.#isOpen) this.parts.events.end(at);
    this.#isOpen = false;
  }
}

class SilentWatch extends LastingWatch {
  constructor(rule: KeptInstancesRule, parts: WatchParts) {
    super(rule, parts, () => {
      const silent = parts.instances().members.filter(({ state }) => state === 'silent');
      return silent.length > 0 ? silent.map((one) => silentWords(one, parts.zone)).join(' ') : undefined;
    });
  }
}

function silentWords({ name, lastSeen }: InstancesKnown['members'][number], zone: string): string {
  const since =
    lastSeen === undefined
      ? 'since before this instance began to look'
      : `since ${localTime(zone, Math.round(lastSeen))}`;
  return `The instance ${name} has given no sign of life ${since}: it could not take over.`;
}

/** A time without an active instance is known only when it is over: one event for each. */
class UnownedWatch implements RuleWatch {
  readonly #rule: KeptInstancesRule;
  readonly #parts: WatchParts;
  #told: number;

  constructor(rule: KeptInstancesRule, parts: WatchParts) {
    this.#rule = rule;
    this.#parts = parts;
    this.#told = parts.lastWindow ?? rule.changedAt;
  }

  tick(): void {
    const { instances, zone, events } = this.#parts;
    const { gap } = instances();
    if (!gap) return;
    const [from, to] = [Math.round(gap.from), Math.round(gap.to)];
    if (to <= this.#told) return;
    this.#told = to;
    if (to - from < secondsOf(this.#rule.for) * 1_000 || !isScheduled(this.#rule.schedule, zone, to)) return;
    const seconds = Math.round((to - from) / 1_000);
    const span = `from ${localTime(zone, from)} to ${localTime(zone, to)}`;
    const detail = `No instance was active for ${seconds} s, ${span}: no levels were recorded.`;
    events.begin({ ...opening(this.#rule, to, detail), windowFrom: from, windowTo: to });
    events.end(to);
  }
}
