/** Rules about the state of a meter: one condition that must hold for a time. */
import type { FormChoice, FormField } from '../../../../lib/built-in.ts';
import type { DeviceConfig } from '../../../../lib/index.ts';
import type { Facts, Moment, RuleKind, RuleWatch, UnitKnown, WatchParts } from '../kind.ts';
import { DURATION, isScheduled, type Rule, type RuleBody, secondsOf, spaced } from '../rule.ts';
import { eventWords, sentence } from '../sentences.ts';
import {
  CONDITIONS,
  type ConditionName,
  conditionOf,
  type DeviceCondition,
  type Judgement,
  type Wish,
} from './conditions.ts';

interface DeviceFields extends Wish {
  readonly condition: ConditionName;
  readonly for: string;
}
export type DeviceRule = RuleBody & DeviceFields;
type KeptDeviceRule = Rule & DeviceFields;

const THRESHOLD = { type: 'number', minimum: 0, maximum: 1_000_000 } as const;
const WEIGHTING: FormField = {
  name: 'weighting',
  label: 'Should be',
  schema: {
    type: 'string',
    pattern: '^[ACZ][FSI]$',
    description: 'the weighting that the meter should have, such as AF',
  },
  needed: true,
  usual: 'AF',
};

const CHOICES = (Object.entries(CONDITIONS) as [ConditionName, DeviceCondition][]).map(
  ([value, condition]): FormChoice => ({ value, words: condition.words, fields: fieldsOf(condition) }),
);

function fieldsOf({ threshold, wantsWeighting }: DeviceCondition): FormField[] {
  if (wantsWeighting) return [WEIGHTING];
  if (!threshold) return [];
  const { needed, ...more } = threshold;
  return [{ name: 'threshold', label: 'Threshold', schema: THRESHOLD, ...(needed && { needed }), ...more }];
}

/** For rules about something that must last. */
export const FOR_FIELD: FormField = {
  name: 'for',
  label: 'For at least',
  schema: {
    type: 'string',
    pattern: DURATION,
    description: 'a time such as 30s, 5m, 2h or 1d: how long the condition must hold. Default 1m',
  },
  default: '1m',
  usual: '5m',
};

const DEVICE_FORM: readonly FormField[] = [
  {
    name: 'condition',
    label: 'The meter',
    schema: { type: 'string', enum: Object.keys(CONDITIONS) },
    needed: true,
    usual: 'unreachable',
    choices: CHOICES,
  },
  FOR_FIELD,
];

/** A fault that has to last before it is an event. Pure. Times in ms. */
export class LastingFault<Fault> {
  readonly #rule: Pick<RuleBody, 'schedule'> & Pick<DeviceFields, 'for'>;
  readonly #zone: string;
  #since: number | undefined;
  #isOpen: boolean;

  constructor(rule: Pick<RuleBody, 'schedule'> & Pick<DeviceFields, 'for'>, zone: string, isOpen: boolean) {
    this.#rule = rule;
    this.#zone = zone;
    this.#isOpen = isOpen;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Null: there is no fault. Undefined: it is unknown, and nothing changes. Returns what happens to the event. */
  look(fault: Fault | null | undefined, { time, elapsed }: Moment) {
    if (fault === null || !isScheduled(this.#rule.schedule, this.#zone, time)) return this.#end();
    if (fault === undefined) return undefined;
    this.#since ??= elapsed;
    if (this.#isOpen || elapsed - this.#since < secondsOf(this.#rule.for) * 1_000) return undefined;
    this.#isOpen = true;
    return { kind: 'open', fault } as const;
  }

  #end() {
    this.#since = undefined;
    if (!this.#isOpen) return undefined;
    this.#isOpen = false;
    return { kind: 'close' } as const;
  }
}

/** One device rule at one unit. Gets the facts when they change, and when time has passed. */
export class DeviceWatch {
  readonly #rule: DeviceRule;
  readonly #fault: LastingFault<Judgement>;

  constructor(rule: DeviceRule, zone: string, isOpen: boolean) {
    this.#rule = rule;
    this.#fault = new LastingFault(rule, zone, isOpen);
  }

  look(facts: Facts, moment: Moment) {
    const judgement = conditionOf(this.#rule.condition).judge(facts, this.#rule, this.#fault.isOpen);
    return this.#fault.look(judgement.isBad === false ? null : judgement.isBad && judgement, moment);
  }
}

type Lack = (unit: DeviceConfig, known: UnitKnown) => string | undefined;

/** For conditions that the gateway sees only while it talks to the meter. */
const unread: Lack = ({ unitId, pollEnabled, history }) =>
  pollEnabled || history === 'stream'
    ? undefined
    : `Nobody reads ${unitId}: polling is off and no stream is recorded there, so this rule sees it only when somebody asks the meter something.`;

const OTHERS: Partial<Readonly<Record<ConditionName, Lack>>> = {
  settings_changed({ unitId }, { drift }) {
    if (drift === undefined)
      return `It is not known yet whether ${unitId} has a profile: the gateway has just started, or runs without the plugin campaign.`;
    if (drift.profile === null)
      return `${unitId} has no profile, so this rule has nothing to compare there. Apply a profile to it.`;
    return drift.state === 'unknown'
      ? `Not all settings of the profile ${drift.profile} were read at ${unitId} yet.`
      : undefined;
  },
  // The gateway reads the clock of each meter once a day by itself.
  clock_off: () => undefined,
  calibration_due: () => undefined,
  calibrator_expired: ({ unitId }, { calibration }) =>
    calibration.validUntil === null ? `No certificate of a calibrator is logged for ${unitId}.` : undefined,
  calibration_drift: ({ unitId }, { calibration }) =>
    calibration.drift === null
      ? `Fewer than two calibrations are logged for ${unitId}: its drift is not known.`
      : undefined,
  station_silent: ({ unitId }, { stations }) =>
    stations === undefined
      ? `It is not known yet whether stations observe for ${unitId}: the gateway has just started, or runs without the plugin stations.`
      : stations.count === 0
        ? `No station observes for ${unitId}, so this rule has nothing to judge there.`
        : undefined,
  ftp_failing: ({ unitId, ftpEnabled }) =>
    ftpEnabled ? undefined : `FTP is switched off for ${unitId}, so nobody fetches its files.`,
  not_recorded: () => undefined,
};

/** A rule that cannot open an event must say so. Undefined: the condition is judged. */
function lackOf(condition: ConditionName, unit: DeviceConfig, known: UnitKnown): string | undefined {
  if (!unit.tcpEnabled) return `TCP is switched off for ${unit.unitId}, so this rule is not judged there.`;
  return (OTHERS[condition] ?? unread)(unit, known);
}

export const deviceKind: RuleKind<DeviceFields> = {
  name: 'device',
  title: 'a problem of a meter',
  fields: DEVICE_FORM,
  lack: ({ condition }, unit, known) => lackOf(condition, unit, known),
  words({ condition, threshold, weighting, for: time }) {
    const { words, threshold: kept } = conditionOf(condition);
    const about = { condition: { code: condition, text: words, values: {} }, time: spaced(time) };
    if (weighting !== undefined) return sentence('device_rule_weighting', { ...about, weighting });
    if (!kept || threshold === undefined) return sentence('device_rule', about);
    const unit = { code: 'unit', text: kept.unit, values: {} };
    return sentence('device_rule_threshold', { ...about, threshold, unit });
  },
  unitOf: (what) => unitOf(Object.entries<DeviceCondition>(CONDITIONS).find(([name]) => name === what)?.[1]),
  watch,
  noPreview: 'the history has levels, but not the state of meters',
};

/** `%` of `% of the battery`. */
const unitOf = (condition: DeviceCondition | undefined): string => condition?.threshold?.unit.split(' ')[0] ?? '';

function watch(rule: KeptDeviceRule, { zone, open, events }: WatchParts): RuleWatch {
  const state = new DeviceWatch(rule, zone, open !== undefined);
  return {
    look(facts, moment) {
      const step = state.look(facts, moment);
      if (step?.kind === 'close') events.end(moment.time);
      else if (step) events.begin(openingOf(rule, step.fault, moment.time));
    },
  };
}

const openingOf = ({ condition, threshold }: KeptDeviceRule, { value, said, detail }: Judgement, at: number) => ({
  what: condition,
  limitValue: threshold ?? null,
  windowFrom: null,
  windowTo: null,
  ...eventWords(said, detail),
  openedAt: at,
  worst: value,
  worstAt: at,
});
