/**
 * Rules about the instances on one database: an instance is silent, or none was active for a time. They are about the
 * gateway as a whole. Only an active instance judges them, so a time without an active instance is reported when it is over.
 */
import { type FormField, type InstancesKnown, type Sentence, zones } from '../../../../lib/built-in.ts';
import { FOR_FIELD, LastingFault } from '../device/device-kind.ts';
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
  words: ({ fault, for: time }) => sentence(`${fault}_rule`, { time: spaced(time) }),
  unitOf: () => '',
  watch: (rule, parts) => (rule.fault === 'instance_silent' ? silentWatch(rule, parts) : unownedWatch(rule, parts)),
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

function silentWatch(rule: KeptInstancesRule, { clock, zone, open, events, instances }: WatchParts): RuleWatch {
  const fault = new LastingFault<Sentence>(rule, zone, open !== undefined);
  return {
    tick() {
      const moment = { time: clock.now(), elapsed: clock.elapsed() };
      const silent = instances().members.filter(({ state }) => state === 'silent');
      const words = silent.map((one) => silentWords(one, zone));
      const step = fault.look(words.length > 0 ? joined(words, ' ') : null, moment);
      if (step?.kind === 'close') events.end(moment.time);
      else if (step) events.begin(opening(rule, moment.time, step.fault));
    },
  };
}

function silentWords({ name, lastSeen }: InstancesKnown['members'][number], zone: string): Sentence {
  return lastSeen === undefined
    ? sentence('instance_never_seen', { instance: name })
    : sentence('instance_silent', { instance: name, since: localTime(zone, Math.round(lastSeen)) });
}

/** A time without an active instance is known only when it is over: one event for each. */
function unownedWatch(rule: KeptInstancesRule, { lastWindow, instances, zone, events }: WatchParts): RuleWatch {
  let reported = lastWindow ?? rule.changedAt;
  return {
    tick() {
      const { gap } = instances();
      if (!gap) return;
      const [from, to] = [Math.round(gap.from), Math.round(gap.to)];
      if (to <= reported) return;
      reported = to;
      if (to - from < secondsOf(rule.for) * 1_000 || !isScheduled(rule.schedule, zone, to)) return;
      const seconds = Math.round((to - from) / 1_000);
      const span = { from: localTime(zone, from), to: localTime(zone, to) };
      const said = sentence('meters_unowned', { seconds, ...span });
      events.begin({ ...opening(rule, to, said), windowFrom: from, windowTo: to });
      events.end(to);
    },
  };
}
