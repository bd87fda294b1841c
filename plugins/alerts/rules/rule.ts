/** A rule as it is written and kept. Its words are those of the API. Data only. */

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export const PERIODS = ['day', 'evening', 'night'] as const;
/** Seconds of each window that has a fixed length. Those of 8 and 12 hours begin at local midnight. */
export const WINDOW_S = Object.freeze({
  '1m': 60,
  '5m': 300,
  '15m': 900,
  '30m': 1_800,
  '1h': 3_600,
  '8h': 28_800,
  '12h': 43_200,
} as const);
export const WINDOWS = [...(Object.keys(WINDOW_S) as (keyof typeof WINDOW_S)[]), ...PERIODS] as const;
export const CONDITIONS = [
  'unreachable',
  'wedged',
  'asleep',
  'stale',
  'frozen',
  'not_measuring',
  'over_range',
  'battery_below',
  'card_below',
  'clock_off',
  'ftp_failing',
  'weighting_changed',
] as const;

export type WindowName = (typeof WINDOWS)[number];
export type Condition = (typeof CONDITIONS)[number];

/** Times of the local clock. `to` at or before `from`: over midnight, and it belongs to the day on which it begins. */
export interface ScheduleEntry {
  readonly days: readonly (typeof DAYS)[number][];
  /** `HH:MM` */
  readonly from: string;
  readonly to: string;
}

interface Common {
  readonly name: string;
  /** Either units or a tag. */
  readonly units?: readonly string[] | undefined;
  readonly tag?: string | undefined;
  readonly enabled: boolean;
  readonly severity: (typeof SEVERITIES)[number];
  /** Ids of targets. */
  readonly targets: readonly string[];
  /** Without an acknowledgement in this time the targets of `escalate_to` are told, too; such as `15m`. */
  readonly ack_within?: string | undefined;
  readonly escalate_to?: readonly string[] | undefined;
  /** When it applies, by the clock of the unit; nothing: always. */
  readonly schedule?: readonly ScheduleEntry[] | undefined;
}

export interface LevelRule extends Common {
  readonly kind: 'level';
  /** `leq`, `lmax`, `lpeak` or a percentile such as `l10`. */
  readonly quantity: string;
  readonly window: WindowName;
  /** `clock`: windows one after the other, from the full hour or quarter of an hour. `sliding`: a window that always ends now. */
  readonly align: 'clock' | 'sliding';
  readonly limit_db: number;
  readonly clear_db: number;
  /** Share of the window that needs data, 0 to 1. */
  readonly min_coverage: number;
}

export interface DeviceRule extends Common {
  readonly kind: 'device';
  readonly condition: Condition;
  /** Per cent for battery and card, seconds for the clock and for old values. */
  readonly threshold?: number | undefined;
  /** The weighting that the meter should have, such as `AF`. */
  readonly weighting?: string | undefined;
  /** How long it must hold, such as `5m`. */
  readonly for: string;
}

export type RuleBody = LevelRule | DeviceRule;
export type Rule = RuleBody & {
  readonly id: string;
  /** ms since 1970 UTC. */
  readonly createdAt: number;
  readonly changedAt: number;
};

const UNIT_S: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
/** Of a duration such as `90s`, `5m`, `2h`. */
export const DURATION = '^(0|[1-9][0-9]{0,4})[smhd]$';

/** Seconds. The schema has checked the text. */
export const secondsOf = (text: string): number => Number(text.slice(0, -1)) * (UNIT_S[text.slice(-1)] ?? 1);

/** The N of `l10`; undefined for other quantities. */
export const percentOf = (quantity: string): number | undefined =>
  /^l\d\d$/.test(quantity) ? Number(quantity.slice(1)) : undefined;

/** Whether a rule is about a unit. */
export const concerns = (
  { units, tag }: Pick<RuleBody, 'units' | 'tag'>,
  unit: { readonly unitId: string; readonly tags: readonly string[] },
): boolean => (units?.includes(unit.unitId) ?? false) || (tag !== undefined && unit.tags.includes(tag));
