/**
 * The conditions of a meter: each once, with its words, its threshold and its check. Pure. An unknown value neither
 * opens nor closes an event.
 */
import { countOf, fixed, isFrozen, newestLevelAge, STALE_INTERVALS } from '../../../../lib/index.ts';
import type { Facts } from '../kind.ts';

/** The values that a rule gives for its condition. */
export interface Wish {
  /** In the unit of the condition. */
  readonly threshold?: number | undefined;
  /** The weighting that the meter should have, such as `AF`. */
  readonly weighting?: string | undefined;
}

/** The result of a check. */
export interface Judgement {
  /** Undefined: unknown. */
  readonly isBad: boolean | undefined;
  /** The value if it is a number: per cent, seconds. */
  readonly value: number | null;
  /** One sentence for a person. */
  readonly detail: string;
}

/** One thing that can be wrong with a meter. */
export interface DeviceCondition {
  /** After "The meter": `cannot be reached`. */
  readonly words: string;
  readonly threshold?: {
    readonly unit: string;
    /** Whether the rule must give a threshold. */
    readonly needed: boolean;
    readonly usual?: number;
    readonly most?: number;
  };
  /** The rule gives the weighting that the meter should have. */
  readonly wantsWeighting?: true;
  judge(facts: Facts, wish: Wish, isOpen: boolean): Judgement;
}

/** To end an event, the value must be better than the threshold by this much. Small changes do not end it. Per cent. */
const HYSTERESIS = 2;
const DAY_MS = 86_400_000;

type Judge = DeviceCondition['judge'];

const plain = (isBad: boolean | undefined, detail: string): Judgement => ({ isBad, value: null, detail });

/** The state `unknown` changes nothing; all others do. */
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

const PER_CENT = { needed: true, most: 100 } as const;

/** The keys are the words of the API. */
export const CONDITIONS = {
  unreachable: { words: 'cannot be reached', judge: reach('offline', 'asleep?', 'wedged') },
  wedged: { words: 'takes no more connections', judge: reach('wedged') },
  asleep: { words: 'seems to be asleep', judge: reach('asleep?') },
  stale: {
    words: 'gives no new levels',
    threshold: { unit: 's', needed: false },
    judge({ status, pollIntervalSeconds }, { threshold = STALE_INTERVALS * pollIntervalSeconds }) {
      const newest = newestLevelAge(status);
      if (newest === null) return plain(undefined, '');
      const age = Math.round(newest / 1_000);
      return { isBad: age > threshold, value: age, detail: `The last levels are ${age} s old.` };
    },
  },
  frozen: {
    words: 'shows levels that do not change',
    judge: ({ status }) =>
      plain(isFrozen(status), 'The levels do not change although the meter says that it measures.'),
  },
  not_measuring: {
    words: 'does not measure',
    judge({ status }) {
      const { measurementState } = status.values;
      return plain(measurementState === null ? undefined : measurementState === 'Stop', 'The meter does not measure.');
    },
  },
  over_range: {
    words: 'is over its range',
    judge: ({ status }) => plain(status.values.overRange ?? undefined, 'The level is above the range of the meter.'),
  },
  battery_below: {
    words: 'has little battery',
    threshold: { ...PER_CENT, unit: '% of the battery', usual: 30 },
    judge: share('battery', ({ status }) => status.values.batteryLevel),
  },
  card_below: {
    words: 'has little space on its card',
    threshold: { ...PER_CENT, unit: '% of the card that is free', usual: 10 },
    judge: share('free space of the card', ({ status }) => status.values.sdFreeRatio),
  },
  clock_off: {
    words: 'has a wrong clock',
    threshold: { unit: 's', needed: true, usual: 60 },
    judge({ reachability }, { threshold = 60 }) {
      const clock = reachability?.clock;
      if (!clock) return plain(undefined, '');
      const value = Math.round(clock.offsetMs / 100) / 10;
      return {
        isBad: Math.abs(value) > threshold,
        value,
        detail: `The clock of the meter is ${Math.abs(value)} s ${value < 0 ? 'behind' : 'ahead'}.`,
      };
    },
  },
  calibration_due: {
    words: 'was not calibrated for too long',
    threshold: { unit: 'days', needed: true, usual: 365, most: 36_500 },
    judge({ calibration: { checkedAt }, now }, { threshold = 365 }) {
      if (checkedAt === null) return plain(true, 'No calibration is logged.');
      const days = Math.floor((now - checkedAt) / DAY_MS);
      const isBad = now - checkedAt > threshold * DAY_MS;
      return { isBad, value: days, detail: `The last calibration was ${countOf(days, 'day')} ago.` };
    },
  },
  calibrator_expired: {
    words: 'was calibrated with a calibrator whose certificate has ended',
    judge({ calibration: { validUntil }, today }) {
      if (validUntil === null) return plain(undefined, '');
      return plain(today() > validUntil, `The certificate of the calibrator is valid until ${validUntil}.`);
    },
  },
  calibration_drift: {
    words: 'has drifted between two calibrations',
    threshold: { unit: 'dB', needed: true, usual: 0.5, most: 20 },
    judge({ calibration: { drift } }, { threshold = 0.5 }) {
      if (drift === null) return plain(undefined, '');
      const detail = `Between the last two calibrations the meter drifted by ${fixed(drift, 2)} dB.`;
      return { isBad: Math.abs(drift) > threshold, value: drift, detail };
    },
  },
  ftp_failing: {
    words: 'gives no files',
    judge: ({ ftpFailing }) => plain(ftpFailing, 'The files of the card could not be fetched.'),
  },
  not_recorded: {
    words: 'is not recorded, because the history cannot be written',
    judge: ({ recording: { state, reason } }) =>
      plain(state === 'closed' ? undefined : state !== 'recording', reason ?? 'No levels are recorded.'),
  },
  station_silent: {
    words: 'has a weather station that sends nothing',
    judge({ stations }) {
      const { count = 0, silent = [], isKnown = false } = stations ?? {};
      if (stations === undefined || (silent.length === 0 && count > 0 && !isKnown)) return plain(undefined, '');
      const named = silent.slice(0, 3).join(', ');
      return plain(silent.length > 0, `Nothing is known of the weather from these stations: ${named}.`);
    },
  },
  settings_changed: {
    words: 'has other settings than its profile',
    judge({ drift }) {
      if (drift === undefined) return plain(undefined, '');
      const isKnown = drift.state !== 'unknown' || drift.profile === null;
      const found = drift.differences.map((each) => `${each.setting} is ${each.found}, not ${each.wanted}`);
      return plain(
        isKnown ? found.length > 0 : undefined,
        `Not as in the profile ${drift.profile}: ${found.join('; ')}.`,
      );
    },
  },
  weighting_changed: {
    words: 'has another weighting',
    wantsWeighting: true,
    judge({ state }, { weighting }) {
      const { frequencyWeighting, timeWeighting } = state ?? {};
      const found = frequencyWeighting && timeWeighting ? `${frequencyWeighting}${timeWeighting}` : undefined;
      const detail = `The meter has the weighting ${found} and should have ${weighting}.`;
      return plain(found === undefined ? undefined : found !== weighting, detail);
    },
  },
} as const satisfies Readonly<Record<string, DeviceCondition>>;

/** A word of the API. */
export type ConditionName = keyof typeof CONDITIONS;
/** The same, each as a condition. */
export const conditionOf = (name: ConditionName): DeviceCondition => CONDITIONS[name];
