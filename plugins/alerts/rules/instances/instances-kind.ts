/**
 * Rules about the instances on one database: an instance is silent, or none was active for a time. They are about the
 * gateway as a whole. Only an active instance judges them, so a time without an active instance is reported when it is over.
 */
import { type FormField, type InstancesKnown, type Sentence, zones } from '../../../../lib/index.ts';
import { FOR_FIELD } from '../device/device-kind.ts';
import type { Opening, RuleKind, RuleWatch, WatchParts } from '../kind.ts';
import { isScheduled, type Rule, secondsOf, spaced } from '../rule.ts';
import { eventWords, joined, sentence } from '../sentences.ts';

/** The words of the API, each with a phrase that follows "That". */
const INSTANCE_FAULTS = {
  instance_silent: 'an instance is silent',
  meters_unowned: 'no instance is active',
} as const;

interface InstancesFields {
  readonly fault: keyof typeof INSTANCE_FAULTS;
  readonly for: string;
}
type KeptInstancesRule = Rule & InstancesFields;

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
    return sentence(`${fault}_rule`, { time: spaced(time) });
  },
  unitOf: () => '',
  watch: (rule, parts) =>
    rule.fault === 'instance_silent' ? new SilentWatch(rule, parts) : new UnownedWatch(rule, parts),
  noPreview: 'the history has levels, but not the state of instances',
};

const opening = (rule: KeptInstancesRule, at: number, said: Sentence): Opening => ({
  what: rule.fault,
  limitValue: null,
  windowFrom: null,
  windowTo: null,
  ...eventWords(said),
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
  readonly #said: () => Sentence | undefined;
  /** By the monotonic clock, ms. */
  #since: number | undefined;
  #isOpen: boolean;

  constructor(rule: KeptInstancesRule, parts: WatchParts, said: () => Sentence | undefined) {
    this.rule = rule;
    this.parts = parts;
    this.#said = said;
    this.#isOpen = parts.open !== undefined;
  }

  tick(): void {
    const { clock, zone, events } = this.parts;
    const now = clock.now();
    const said = this.#said();
    if (said === undefined || !isScheduled(this.rule.schedule, zone, now)) {
      this.ends(now);
      return;
    }
    this.#since ??= clock.elapsed();
    if (this.#isOpen || clock.elapsed() - this.#since < secondsOf(this.rule.for) * 1_000) return;
    this.#isOpen = true;
    events.begin(opening(this.rule, now, said));
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
      return silent.length > 0
        ? joined(
            silent.map((one) => silentWords(one, parts.zone)),
            ' ',
          )
        : undefined;
    });
  }
}

function silentWords({ name, lastSeen }: InstancesKnown['members'][number], zone: string): Sentence {
  return lastSeen === undefined
    ? sentence('instance_never_seen', { instance: name })
    : sentence('instance_silent', { instance: name, since: localTime(zone, Math.round(lastSeen)) });
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
    const span = { from: localTime(zone, from), to: localTime(zone, to) };
    const said = sentence('meters_unowned', { seconds, ...span });
    events.begin({ ...opening(this.#rule, to, said), windowFrom: from, windowTo: to });
    events.end(to);
  }
}
