/**
 * What is wrong with a meter, by the words of a rule. Pure. An unknown value neither opens nor closes an
 * event.
 */
import {
  type DeviceState,
  isFrozen,
  newestLevelAge,
  type Reachability,
  STALE_INTERVALS,
  type UnitStatus,
} from '../../../lib/index.ts';
import type { DeviceRule } from './rule.ts';

export interface Facts {
  readonly reachability: Reachability | undefined;
  readonly state: Pick<DeviceState, 'frequencyWeighting' | 'timeWeighting'> | undefined;
  readonly status: Pick<UnitStatus, 'values' | 'age'>;
  readonly pollIntervalSeconds: number;
  /** Whether the last work on the card failed at FTP; undefined: there was none. */
  readonly ftpFailing: boolean | undefined;
}

export interface Judgement {
  /** Undefined: not known. */
  readonly isBad: boolean | undefined;
  /** A number where there is one: per cent, seconds. */
  readonly value: number | null;
  /** One sentence for a person. */
  readonly detail: string;
}

/** An event ends only when the value is better than the threshold by this much, so that small changes do not end it. Per cent. */
const HYSTERESIS = 2;

type Judge = (facts: Facts, rule: DeviceRule, isOpen: boolean) => Judgement;

const plain = (isBad: boolean | undefined, detail: string): Judgement => ({ isBad, value: null, detail });

/** The state `unknown` decides nothing; all others do. */
const reach =
  (...states: string[]): Judge =>
  ({ reachability }) => {
    const isKnown = reachability !== undefined && reachability.state !== 'unknown';
    return plain(isKnown ? states.includes(reachability.state) : undefined, reachability?.reason ?? '');
  };

const share =
  (name: string, read: (facts: Facts) => string | null): Judge =>
  (facts, { threshold = 0 }, isOpen) => {
    const text = read(facts);
    if (text === null) return plain(undefined, '');
    const value = Number(text);
    const isBad = value < (isOpen ? threshold + HYSTERESIS : threshold);
    return { isBad, value, detail: `The ${name} is at ${value} %.` };
  };

const JUDGES: Readonly<Record<DeviceRule['condition'], Judge>> = {
  unreachable: reach('offline', 'asleep?', 'wedged'),
  wedged: reach('wedged'),
  asleep: reach('asleep?'),
  stale({ status, pollIntervalSeconds }, { threshold = STALE_INTERVALS * pollIntervalSeconds }) {
    const newest = newestLevelAge(status);
    if (newest === null) return plain(undefined, '');
    const age = Math.round(newest / 1_000);
    return { isBad: age > threshold, value: age, detail: `The last levels are ${age} s old.` };
  },
  frozen: ({ status }) => plain(isFrozen(status), 'The levels do not change although the meter says that it measures.'),
  not_measuring({ status }) {
    const { measurementState } = status.values;
    return plain(measurementState === null ? undefined : measurementState === 'Stop', 'The meter does not measure.');
  },
  over_range: ({ status }) => plain(status.values.overRange ?? undefined, 'The level is above the range of the meter.'),
  battery_below: share('battery', ({ status }) => status.values.batteryLevel),
  card_below: share('free space of the card', ({ status }) => status.values.sdFreeRatio),
  clock_off({ reachability }, { threshold = 60 }) {
    const clock = reachability?.clock;
    if (!clock) return plain(undefined, '');
    const value = Math.round(clock.offsetMs / 100) / 10;
    return { isBad: Math.abs(value) > threshold, value, detail: `The clock of the meter is ${value} s ahead.` };
  },
  ftp_failing: ({ ftpFailing }) => plain(ftpFailing, 'The files of the card could not be fetched.'),
  weighting_changed({ state }, { weighting }) {
    const { frequencyWeighting, timeWeighting } = state ?? {};
    const found = frequencyWeighting && timeWeighting ? `${frequencyWeighting}${timeWeighting}` : undefined;
    const detail = `The meter has the weighting ${found} and should have ${weighting}.`;
    return plain(found === undefined ? undefined : found !== weighting, detail);
  },
};

export const judge = (rule: DeviceRule, facts: Facts, isOpen: boolean): Judgement =>
  JUDGES[rule.condition](facts, rule, isOpen);
