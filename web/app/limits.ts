/** The limits that rules set for a meter, for its charts. */
import type { AlertRule, Unit } from '../../client/index.ts';
import { client } from './access.ts';
import { changes } from './fleet.ts';
import { useFound } from './found.ts';

/** A line in a chart: level in dB and the name of its rule. */
export interface Limit {
  readonly level: number;
  readonly label: string;
  /** Undefined: its rule is not known here; it is drawn over the whole span. */
  readonly rule?: AlertRule;
}

/** The limits in dB of all rules, of whatever kind, that are on and concern this meter; the charts are of its main channel. */
export function useLimits(unit: Unit): readonly Limit[] {
  const { found: rules = [] } = useFound(() => client.value.alertRules(), [changes.value.alert]);
  return rules.flatMap((rule) =>
    rule.enabled && rule.limit_db !== undefined && isOfMain(rule) && concerns(rule, unit)
      ? [{ level: rule.limit_db, label: rule.name, rule }]
      : [],
  );
}

/** Rules of kinds without a channel are about the main one. */
const isOfMain = ({ channel = 'main' }: AlertRule): boolean => channel === 'main';

const concerns = ({ units, tag }: AlertRule, { unit_id, tags }: Unit): boolean =>
  units ? units.includes(unit_id) : tag !== undefined && tags.includes(tag);
