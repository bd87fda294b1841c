/** Which rules are limits of a meter, for its charts. Pure. */
import type { AlertRule, Unit } from '../../client/index.ts';

/** A line in a chart: level in dB and the name of its rule. */
export interface Limit {
  readonly level: number;
  readonly label: string;
  /** Undefined: its rule is not known here; it is drawn over the whole span. */
  readonly rule?: AlertRule;
}

type Meter = Pick<Unit, 'unit_id' | 'tags'>;

/** Those of all rules in dB, of whatever kind, that are on, concern the meter and are about this channel; without one a rule is about the main one. */
export const drawnLimits = (rules: readonly AlertRule[], meter: Meter, shown: string): readonly Limit[] =>
  rules.flatMap((rule) => {
    const { enabled, limit_db: level, name: label, channel = 'main' } = rule;
    return enabled && level !== undefined && channel === shown && concerns(rule, meter) ? [{ level, label, rule }] : [];
  });

const concerns = ({ units, tag }: AlertRule, { unit_id, tags }: Meter): boolean =>
  units ? units.includes(unit_id) : tag !== undefined && tags.includes(tag);
