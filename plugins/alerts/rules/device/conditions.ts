/** The conditions of a meter: each once, with its words, its threshold and its check. Pure. An unknown value neither opens nor closes an event. */
import { fixed, isFrozen, newestLevelAge, type Sentence, STALE_INTERVALS } from '../../../../lib/built-in.ts';
import type { Facts } from '../kind.ts';
import { joined, sentence } from '../sentences.ts';

export interface Wish {
  readonly threshold?: number | undefined;
  readonly weighting?: string | undefined;
}

export interface Judgement {
  /** Undefined: unknown. */
  readonly isBad: boolean | undefined;
  /** The value if it is a number: per cent, seconds. */
  readonly value: number | null;
  readonly said: Sentence;
  /** English, where it says more than the sentence. */
  readonly detail?: string | undefined;
}

export interface DeviceCondition {
  /** After "The meter": `cannot be reached`. */
  readonly words: string;
  readonly threshold?: {
    readonly unit: string;
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

const plain = (isBad: boolean | undefined, said: Sentence): Judgement => ({ isBad, value: null, said });

const UNKNOWN: Judgement = { isBad: undefined, value: null, said: { code: 'unknown', text: '', values: {} } };

/** The state `unknown` changes nothing; all others do. */
const reach =
  (name: 'unreachable' | 'wedged' | 'asleep', ...states: string[]): Judge =>
  ({ reachability }) => {
    if (reachability === undefined || reachability.state === 'unknown') return UNKNOWN;
    return { ...plain(states.includes(reachability.state), sentence(name)), detail: reachability.reason ?? undefined };
  };

const share =
  (name: 'battery_below' | 'card_below', read: (facts: Facts) => string | null): Judge =>
  (facts, { threshold = 0 }, isOpen) => {
    const text = read(facts);
    if (text === null) return UNKNOWN;
    const value = Number(text);
    const isBad = value < (isOpen ? threshold + HYSTERESIS : threshold);
    return { isBad, value, said: sentence(name, { value }) };
  };

const PER_CENT = { needed: true, most: 100 } as const;

export const CONDITIONS = {
  unreachable: { words: 'cannot be reached', judge: reach('unreachable', 'offline', 'asleep?', 'wedged') },
  wedged: { words: 'takes no more connections', judge: reach('wedged', 'wedged') },
  asleep: { words: 'seems to be asleep', judge: reach('asleep', 'asleep?') },
  stale: {
    words: 'gives no new levels',
    threshold: { unit: 's', needed: false },
    judge({ status, pollIntervalSeconds }, { threshold = STALE_INTERVALS * pollIntervalSeconds }) {
      const newest = newestLevelAge(status);
      if (newest === null) return UNKNOWN;
      const age = Math.round(newest / 1_000);
      return { isBad: age > threshold, value: age, said: sentence('stale', { age }) };
    },
  },
  frozen: {
    words: 'shows levels that do not change',
    judge: ({ status }) => plain(isFrozen(status), sentence('frozen')),
  },
  not_measuring: {
    words: 'does not measure',
    judge({ status }) {
      const { measurementState } = status.values;
      return plain(measurementState === null ? undefined : measurementState === 'Stop', sentence('not_measuring'));
    },
  },
  over_range: {
    words: 'is over its range',
    judge: ({ status }) => plain(status.values.overRange ?? undefined, sentence('over_range')),
  },
  battery_below: {
    words: 'has little battery',
    threshold: { ...PER_CENT, unit: '% of the battery', usual: 30 },
    judge: share('battery_below', ({ status }) => status.values.batteryLevel),
  },
  card_below: {
    words: 'has little space on its card',
    threshold: { ...PER_CENT, unit: '% of the card that is free', usual: 10 },
    judge: share('card_below', ({ status }) => status.values.sdFreeRatio),
  },
  clock_off: {
    words: 'has a wrong clock',
    threshold: { unit: 's', needed: true, usual: 60 },
    judge({ reachability }, { threshold = 60 }) {
      const clock = reachability?.clock;
      if (!clock) return UNKNOWN;
      const value = Math.round(clock.offsetMs / 100) / 10;
      return {
        isBad: Math.abs(value) > threshold,
        value,
        said: sentence(value < 0 ? 'clock_behind' : 'clock_ahead', { value: Math.abs(value) }),
      };
    },
  },
  calibration_due: {
    words: 'was not calibrated for too long',
    threshold: { unit: 'days', needed: true, usual: 365, most: 36_500 },
    judge({ calibration: { checkedAt }, now }, { threshold = 365 }) {
      if (checkedAt === null) return plain(true, sentence('not_calibrated'));
      const days = Math.floor((now - checkedAt) / DAY_MS);
      const isBad = now - checkedAt > threshold * DAY_MS;
      return { isBad, value: days, said: sentence('calibration_due', { count: days }) };
    },
  },
  calibrator_expired: {
    words: 'was calibrated with a calibrator whose certificate has ended',
    judge({ calibration: { validUntil }, today }) {
      if (validUntil === null) return UNKNOWN;
      return plain(today() > validUntil, sentence('calibrator_expired', { day: validUntil }));
    },
  },
  calibration_drift: {
    words: 'has drifted between two calibrations',
    threshold: { unit: 'dB', needed: true, usual: 0.5, most: 20 },
    judge({ calibration: { drift } }, { threshold = 0.5 }) {
      if (drift === null) return UNKNOWN;
      const said = sentence('calibration_drift', { drift: fixed(drift, 2) });
      return { isBad: Math.abs(drift) > threshold, value: drift, said };
    },
  },
  ftp_failing: {
    words: 'gives no files',
    judge: ({ ftpFailing }) => plain(ftpFailing, sentence('ftp_failing')),
  },
  not_recorded: {
    words: 'is not recorded, because the history cannot be written',
    judge({ recording: { state, reason } }) {
      const isBad = state === 'closed' ? undefined : state !== 'recording';
      return { ...plain(isBad, sentence('not_recorded')), detail: reason ?? undefined };
    },
  },
  station_silent: {
    words: 'has a weather station that sends nothing',
    judge({ stations }) {
      const { count = 0, silent = [], isKnown = false } = stations ?? {};
      if (stations === undefined || (silent.length === 0 && count > 0 && !isKnown)) return UNKNOWN;
      const named = silent
        .slice(0, 3)
        .map(({ station, lastAt }) =>
          lastAt === null
            ? sentence('station_never', { station })
            : sentence('station_last', { station, time: new Date(lastAt).toISOString() }),
        );
      return plain(silent.length > 0, sentence('station_silent', { stations: named }));
    },
  },
  settings_changed: {
    words: 'has other settings than its profile',
    judge({ drift }) {
      if (drift === undefined) return UNKNOWN;
      const isKnown = drift.state !== 'unknown' || drift.profile === null;
      const found = drift.differences.map(({ setting, found, wanted }) =>
        sentence('setting_differs', { setting, found, wanted }),
      );
      return plain(
        isKnown ? found.length > 0 : undefined,
        sentence('settings_changed', { profile: String(drift.profile), differences: joined(found, '; ') }),
      );
    },
  },
  weighting_changed: {
    words: 'has another weighting',
    wantsWeighting: true,
    judge({ state }, { weighting }) {
      const { frequencyWeighting, timeWeighting } = state ?? {};
      const found = frequencyWeighting && timeWeighting ? `${frequencyWeighting}${timeWeighting}` : undefined;
      if (found === undefined) return UNKNOWN;
      return plain(found !== weighting, sentence('weighting_changed', { found, wanted: weighting ?? '' }));
    },
  },
} as const satisfies Readonly<Record<string, DeviceCondition>>;

export type ConditionName = keyof typeof CONDITIONS;
export const conditionOf = (name: ConditionName): DeviceCondition => CONDITIONS[name];
