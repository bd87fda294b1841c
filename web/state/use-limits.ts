/** The limits that rules set for a meter, as the gateway has them now. */
import type { Unit } from '../../client/index.ts';
import { client } from './access.ts';
import { shownChannel } from './address.ts';
import { changes } from './fleet.ts';
import { useFound } from './found.ts';
import { drawnLimits, type Limit } from './limits.ts';

/** Of the rules that concern this meter and the channel that the page shows. */
export function useLimits(unit: Unit): readonly Limit[] {
  const { found: rules = [] } = useFound(() => client.value.alertRules(), [changes.value.alert]);
  return drawnLimits(rules, unit, shownChannel());
}
