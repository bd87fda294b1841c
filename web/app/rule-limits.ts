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

/**
 * Limits in dB of all kinds of rules for this meter and channel, if the rule is on. A rule without a channel is about the
 * main channel.
 */
export const drawnLimits = (rules: readonly AlertRule[], meter: Meter, shown: string): readonly Limit[] =>
  rules.flatMap((rule) => {
    const { enabled, limit_db: level, name: label, channel = 'main' } = rule;
    return enabled && level !== undefined && channel === shown && concerns(rule, meter) ? [{ level, label, rule }] : [];
  });

const concerns = ({ units, tag }: AlertRule, { unit_id, tags }: Meter): boolean =>
  units ? units.includes(unit_id) : tag !== undefined && tags.includes(tag);
