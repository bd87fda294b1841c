/** Rules about the state of a meter: one condition that must hold for a time. */
import type { RuleKind, RuleWatch, WatchParts } from '../kind.ts';
import { spaced } from '../rule.ts';
import { CONDITIONS, conditionOf, type DeviceCondition, type Judgement } from './conditions.ts';
import { DEVICE_FORM, type DeviceFields, type KeptDeviceRule } from './device-rule.ts';
import { DeviceWatch } from './device-watch.ts';
import { lackOf } from './lack.ts';

/** The kind `device`. */
export const deviceKind: RuleKind<DeviceFields> = {
  name: 'device',
  title: 'a problem of a meter',
  fields: DEVICE_FORM,
  lack: ({ condition }, unit, known) => lackOf(condition, unit, known),
  words({ condition, threshold, weighting, for: time }) {
    const { words, threshold: kept } = conditionOf(condition);
    const limit = kept && threshold !== undefined ? ` (${threshold} ${kept.unit})` : '';
    const wanted = weighting === undefined ? '' : ` than ${weighting}`;
    return `The meter ${words}${wanted}${limit} for ${spaced(time)}`;
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
      else if (step) events.begin(openingOf(rule, step.judgement, moment.time));
    },
  };
}

const openingOf = ({ condition, threshold }: KeptDeviceRule, { value, detail }: Judgement, at: number) => ({
  what: condition,
  limitValue: threshold ?? null,
  windowFrom: null,
  windowTo: null,
  detail,
  openedAt: at,
  worst: value,
  worstAt: at,
});
