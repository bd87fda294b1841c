/** Additions to the level of a part, and the input of a person for them. */
import type { indices } from '../../../lib/built-in.ts';
import type { Addition, PresetBody } from './contract.ts';
import { addedBy } from './rating.ts';

export const ADDITIONS = Object.freeze(['tonal', 'impulse', 'low_frequency', 'other'] as const);
export type AdditionName = (typeof ADDITIONS)[number];

/** Input of a person: one number for all periods, or `day:3,night:0`. */
export const SAID = Object.freeze([...ADDITIONS, 'residual', 'background', 'duration_s'] as const);
export type SaidName = (typeof SAID)[number];

/** Additions that a person chose for a period, dB; absent: none. */
export type ChosenAdditions = Readonly<Partial<Record<AdditionName, number>>>;

export interface PartLevels {
  readonly levels: indices.SpanLevels;
  /** LAFTeq of the same time, dB; null: unknown. */
  readonly takt: number | null;
  /** LCeq - LAeq of another channel, dB; null or absent: no channel has it for the whole time. */
  readonly lceq?: number | null;
  /** LAIeq - LAeq in the same way, if the levels themselves have no LAIeq. */
  readonly laieq?: number | null;
}

/** dB each; null: unknown, `reasons` have the cause. */
export interface Added extends Readonly<Record<AdditionName, number | null>> {
  /** The sum, at most the maximum of the preset; null: an addition is unknown. */
  readonly sum: number | null;
  readonly reasons: readonly string[];
}

const UNKNOWN = {
  takt: 'LAFTeq is not known: it needs the seconds of the stream with LAFmax. Give `impulse` by ear.',
  laieq: 'The meter gave no LAIeq. Give `impulse` by ear.',
  lceq: 'The meter gave no LCeq of the same time. Give `low_frequency` by ear.',
} as const;

export function addedTo(preset: PresetBody, period: string, chosen: ChosenAdditions, part: PartLevels): Added {
  const reasons: string[] = [];
  const of = (name: AdditionName): number | null => {
    const rule = preset[name];
    if (!rule || (rule.by === 'person' && rule.periods?.includes(period) === false)) return 0;
    const own = chosen[name];
    if (own !== undefined) return own;
    const found = workedOut(rule, part);
    if (found === null && rule.by !== 'person') reasons.push(UNKNOWN[rule.by]);
    return found;
  };
  const each = {
    tonal: of('tonal'),
    impulse: of('impulse'),
    low_frequency: of('low_frequency'),
    other: of('other'),
  };
  const values = Object.values(each);
  const most = preset.most_added ?? Number.POSITIVE_INFINITY;
  const sum = values.reduce<number | null>((all, db) => (all === null || db === null ? null : all + db), 0);
  return { ...each, sum: sum === null ? null : Math.min(most, sum), reasons };
}

function workedOut(rule: Addition, { levels, takt, lceq = null, laieq = null }: PartLevels): number | null {
  const { leq } = levels;
  if (rule.by === 'person') return 0;
  if (leq === null) return null;
  if (rule.by === 'takt') return takt === null ? null : Math.max(0, takt - leq);
  const own = levels.lieq === null ? laieq : levels.lieq - leq;
  const difference = rule.by === 'lceq' ? lceq : own;
  return difference === null ? null : addedBy(rule.steps, difference);
}
