/** The fields of a rule about a level. Data only. */
import {
  CHANNEL_PATTERN,
  type FormChoice,
  type FormField,
  indices,
  MAIN_CHANNEL,
  plainChoices,
  quantities,
} from '../../../../lib/built-in.ts';
import type { Rule, RuleBody } from '../rule.ts';

/** Periods of the preset of the unit. */
export const PERIODS = ['day', 'evening', 'night'] as const;
/** Seconds of each window with a fixed length. Windows of 8 and 12 hours begin at local midnight. */
export const WINDOW_S = Object.freeze({
  '1m': 60,
  '5m': 300,
  '15m': 900,
  '30m': 1_800,
  '1h': 3_600,
  '8h': 28_800,
  '12h': 43_200,
} as const);
const LENGTHS = Object.keys(WINDOW_S) as (keyof typeof WINDOW_S)[];
/** Lengths, periods of the day, and `scheduled`: each time of the rule's schedule as a whole. */
export const WINDOWS = [...LENGTHS, ...PERIODS, 'scheduled'] as const;
export type WindowName = (typeof WINDOWS)[number];

export interface LevelFields {
  readonly quantity: string;
  /** A channel of the meter. Rules from before this field: `main`. */
  readonly channel?: string;
  readonly window: WindowName;
  readonly align: 'clock' | 'sliding';
  readonly limit_db: number;
  readonly amber_db?: number;
  readonly clear_db: number;
  /** Decimals with which levels are compared with the limit. Rules of 0.2 lack it: 1. */
  readonly decimals?: number;
  readonly continue?: boolean;
  readonly exclusions?: 'ignore' | 'apply';
  readonly min_coverage: number;
}
export type LevelRule = RuleBody & LevelFields;
export type KeptLevelRule = Rule & LevelFields;

const ALIGN_SCHEMA = { type: 'string', enum: ['clock', 'sliding'], description: 'Default clock.' } as const;
const ALIGN: FormField = {
  name: 'align',
  label: 'Windows',
  schema: ALIGN_SCHEMA,
  default: 'clock',
  choices: [
    { value: 'clock', words: 'one after the other' },
    { value: 'sliding', words: 'always the last' },
  ],
};
/** A period of the day and a time of the schedule have fixed times of the clock. */
const PLACED_CHOICES: readonly FormChoice[] = [...PERIODS, 'scheduled' as const].map((value) => ({
  value,
  words: value === 'scheduled' ? 'each time of its schedule' : value,
  fields: [
    {
      name: 'align',
      label: 'Windows',
      schema: ALIGN_SCHEMA,
      choices: [{ value: 'clock', words: 'one after the other' }],
    },
  ],
}));

/** Quantities that a rule may limit from above, so not minima. */
const LEVELS = quantities.KEPT.filter((name) => quantities.QUANTITIES[name].sum !== 'minimum');
const LEVEL = { type: 'number', minimum: 0, maximum: 200 } as const;
export const WINDOW_FORM: FormField = {
  name: 'window',
  label: 'Over',
  schema: {
    type: 'string',
    enum: [...WINDOWS],
    description: 'scheduled: each time of the schedule as a whole, such as a day from 06:00 to 22:00.',
  },
  needed: true,
  usual: '15m',
  choices: [...plainChoices([...LENGTHS, ...PERIODS]), { value: 'scheduled', words: 'each time of its schedule' }],
};
export const LEVEL_FORM: readonly FormField[] = [
  {
    name: 'quantity',
    label: 'Level',
    schema: {
      type: 'string',
      pattern: `^(${LEVELS.join('|')}|l0[1-9]|l[1-9][0-9])$`,
      description: `${LEVELS.join(', ')}, or l01 to l99`,
    },
    needed: true,
    usual: 'leq',
    choices: [...LEVELS, 'l10', 'l90'].map((value) => ({ value, words: ruleSymbolOf(value) })),
  },
  {
    name: 'channel',
    label: 'Channel of the meter',
    schema: {
      type: 'string',
      pattern: CHANNEL_PATTERN,
      description:
        'A channel that its units record (history_channels of the config), such as main or sub1. Default main.',
    },
    default: MAIN_CHANNEL,
  },
  { ...WINDOW_FORM, choices: [...plainChoices(LENGTHS), ...PLACED_CHOICES] },
  ALIGN,
  { name: 'limit_db', label: 'Limit', unit: 'dB', schema: LEVEL, needed: true, usual: 55 },
  {
    name: 'amber_db',
    label: 'Warning from',
    unit: 'dB',
    schema: {
      ...LEVEL,
      description:
        'From this level on an event is open with the severity warning. Above limit_db the same event is critical; severity does not count then.',
    },
  },
  {
    name: 'clear_db',
    label: 'Ends at',
    unit: 'dB',
    follows: 'limit_db',
    schema: {
      ...LEVEL,
      description: 'The level at which a sliding event ends. Default 2 dB below limit_db, or below amber_db.',
    },
  },
  {
    name: 'decimals',
    label: 'Compared with so many decimals',
    schema: {
      type: 'integer',
      minimum: 0,
      maximum: 2,
      description: 'Levels are compared as they are shown: with 1, 75.04 dB is not above 75, and 75.05 is. Default 1.',
    },
    default: indices.SHOWN_DECIMALS,
  },
  {
    name: 'continue',
    label: 'One event goes on over the end of a window',
    schema: {
      type: 'boolean',
      description:
        'With windows of the clock: an event goes on while one window after the other breaks the limit. false: an event for each window. Default true.',
    },
    default: true,
  },
  {
    name: 'exclusions',
    label: 'Excluded time',
    schema: {
      type: 'string',
      enum: ['ignore', 'apply'],
      description:
        'apply: levels that come while an exclusion of their channel is in force are as if they were not measured. ignore: they count. Default apply; older rules keep ignore.',
    },
    default: 'apply',
    choices: [
      { value: 'ignore', words: 'counts' },
      { value: 'apply', words: 'is left out' },
    ],
  },
  {
    name: 'min_coverage',
    label: 'Share of the window that needs data',
    schema: { type: 'number', minimum: 0, maximum: 1, description: 'Default 0.5.' },
    default: 0.5,
  },
];

export const channelOf = ({ channel = MAIN_CHANNEL }: Pick<LevelFields, 'channel'>): string => channel;

export const leavesOut = ({ exclusions = 'ignore' }: Pick<LevelFields, 'exclusions'>): boolean =>
  exclusions === 'apply';

/** `Leq`, or `Leq (sub1)` for another channel than the main channel. */
export function levelWords(rule: Pick<LevelFields, 'quantity' | 'channel'>): string {
  const [symbol, channel] = [ruleSymbolOf(rule.quantity), channelOf(rule)];
  return channel === MAIN_CHANNEL ? symbol : `${symbol} (${channel})`;
}

/** `L10`, `Lmax`: without a weighting, since the weighting of the unit counts. */
function ruleSymbolOf(quantity: string): string {
  return quantities.symbolOf(quantity, { frequency: null, time: null });
}

/** The N of `l10`; undefined for other quantities. */
export const percentOf = (quantity: string): number | undefined =>
  /^l\d\d$/.test(quantity) ? Number(quantity.slice(1)) : undefined;

/** Seconds. A rule for a period of the day always follows the clock; its window has about this length. */
export const windowSeconds = (name: WindowName): number =>
  name in WINDOW_S ? WINDOW_S[name as keyof typeof WINDOW_S] : 43_200;

/** Lmax and Lpeak: the value of a window is its loudest moment, not a mean. */
export const isMaximum = (quantity: string): quantity is quantities.ExtremeQuantity =>
  quantities.quantityOf(quantity)?.sum === 'maximum';

/** Compares levels with a limit as they are shown. */
export function above(limit: number, decimals: number | undefined): (level: number) => boolean {
  const first = indices.firstAbove(limit, decimals);
  return (level) => indices.reachesFirst(level, first);
}

export const aboveLimit = ({ limit_db, decimals }: LevelRule) => above(limit_db, decimals);

/** From the level on from which a rule has an event: its warning level is reached, or else its limit is exceeded. */
export function opensEvent(rule: LevelRule) {
  const { amber_db, decimals = indices.SHOWN_DECIMALS } = rule;
  return amber_db === undefined ? aboveLimit(rule) : above(amber_db - 10 ** -decimals, decimals);
}
