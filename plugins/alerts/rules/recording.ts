/**
 * Whether the units of a rule record what it needs: a rule about a level hears nothing of a unit that keeps no levels. A rule that is made
 * raises `history` of its units unless its maker refuses; what is left is said with the rule.
 */
import { type DeviceConfig, type Host, isGatewayError, named, type Request, type Schema } from '../../../lib/index.ts';
import type { Needed, RuleKind } from './kind.ts';
import { concerns, type RuleBody } from './rule.ts';

const RANK = { off: 0, poll: 1, stream: 2 } as const;

/** A unit that records too little for the rule. */
export const WARNING: Schema = named('AlertRuleWarning', {
  unit_id: { type: 'string' },
  message: { type: 'string', description: 'Why the rule does not see what it is about at this unit.' },
});
/** A unit that records more because of the rule. */
export const RAISED: Schema = named('AlertRuleRecording', {
  unit_id: { type: 'string' },
  history: { type: 'string', enum: ['poll', 'stream'], description: 'What the unit records from now on.' },
  was: { type: 'string', enum: ['off', 'poll'] },
});

/** One unit with the reason. */
export interface Warning {
  readonly unit_id: string;
  readonly message: string;
}
interface Raised {
  readonly unit_id: string;
  readonly history: Needed;
  readonly was: DeviceConfig['history'];
}

/** Units at which a rule that is on hears too little. `units`: those that the caller may see. */
export function warningsOf(rule: RuleBody, kinds: readonly RuleKind[], units: readonly DeviceConfig[]): Warning[] {
  const needed = rule.enabled ? kinds.find(({ name }) => name === rule.kind)?.needs?.(rule) : undefined;
  if (needed === undefined) return [];
  return units.flatMap((unit) =>
    concerns(rule, unit) && RANK[unit.history] < RANK[needed]
      ? [{ unit_id: unit.unitId, message: messageOf(unit, needed) }]
      : [],
  );
}

const messageOf = ({ unitId, history }: DeviceConfig, needed: Needed): string =>
  history === 'off'
    ? `${unitId} records nothing, so this rule never opens an event there. Set history to ${needed === 'stream' ? 'stream' : 'stream or poll'} in its config.`
    : `${unitId} records only means between two readings, and this rule is about more. Set history to stream in its config.`;

/** Has the units of a rule record what it needs, with the rights of the caller. One that cannot is left as it is: a warning says so. */
export async function recordFor(
  host: Pick<Host, 'ask' | 'configs' | 'families' | 'log'>,
  request: Request,
  warnings: readonly Warning[],
): Promise<Raised[]> {
  const raised: Raised[] = [];
  for (const { unit_id } of warnings) {
    const { history: was, family } = host.configs.of(unit_id);
    const history: Needed = host.families.find(family)?.stream ? 'stream' : 'poll';
    try {
      await host.ask(request, { method: 'PUT', path: '/{unit_id}/config', unitId: unit_id, body: { history } });
      raised.push({ unit_id, history, was });
    } catch (error) {
      if (!isGatewayError(error)) throw error;
      host.log.info({ unit_id, reason: error.message }, 'the recording of a unit was not raised for a rule');
    }
  }
  return raised;
}

/** After the name of a rule in a message: what its units record now. */
export const raisedWords = (raised: readonly Raised[]): string =>
  raised.length === 0
    ? ''
    : ` ${raised.map(({ unit_id, history }) => `${unit_id} records ${history === 'stream' ? 'its stream' : 'its readings'} from now on (history ${history}).`).join(' ')}`;
