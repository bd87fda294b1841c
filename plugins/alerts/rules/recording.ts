/**
 * Checks whether the units of a rule record the levels that it needs. A new rule raises `history` of its units unless
 * its author refuses. The rule shows missing recordings.
 */

import type { AlertRuleRecording, AlertRuleWarning } from '../../../client/schemas.ts';
import { channelNames, MAIN_CHANNEL } from '../../../lib/built-in.ts';
import {
  type DeviceConfig,
  type Host,
  isGatewayError,
  messageOf,
  named,
  type Request,
  type Schema,
} from '../../../lib/index.ts';
import type { Needed, UnitKnown } from './kind.ts';
import { ruleKindOf } from './kinds.ts';
import { concerns, type Rule, type RuleBody } from './rule.ts';

const RANK = { off: 0, poll: 1, stream: 2 } as const;

export const WARNING: Schema = named('AlertRuleWarning', {
  unit_id: { type: 'string' },
  recordable: {
    type: 'boolean',
    description:
      'true: the unit would record the missing levels, if the rule is created or changed with `record` true.',
  },
  message: { type: 'string', description: 'The reason why the rule cannot be judged fully at this unit.' },
});
export const RAISED: Schema = named('AlertRuleRecording', {
  unit_id: { type: 'string' },
  history: { type: 'string', enum: ['poll', 'stream'], description: 'The present setting: readings or the stream.' },
  was: { type: 'string', enum: ['off', 'poll'] },
});

type WithFamilies = Pick<Host, 'families'>;

const neededBy = (rule: RuleBody): Needed | undefined =>
  rule.enabled ? ruleKindOf(rule.kind)?.needs?.(rule) : undefined;

function possible({ families }: WithFamilies, unit: DeviceConfig, { history }: Needed): Needed['history'] {
  if (families.find(unit.family)?.stream) return 'stream';
  return history === 'stream' ? 'poll' : history;
}

function missingAt(host: WithFamilies, rule: RuleBody, unit: DeviceConfig): AlertRuleRecording | undefined {
  const needed = neededBy(rule);
  if (unit.history === 'stream' || needed === undefined || !concerns(rule, unit)) return undefined;
  if (RANK[unit.history] >= RANK[needed.history]) return undefined;
  // More rows of other channels would not help.
  if (!records(unit, needed)) return undefined;
  const history = possible(host, unit, needed);
  return history === unit.history ? undefined : { unit_id: unit.unitId, history, was: unit.history };
}

/** Units that record too little for an enabled rule. `units`: the units that the caller may see. */
export function warningsOf(
  host: WithFamilies,
  knownOf: (unitId: string) => UnitKnown,
  rule: RuleBody,
  units: readonly DeviceConfig[],
): AlertRuleWarning[] {
  const kind = rule.enabled ? ruleKindOf(rule.kind) : undefined;
  const needed = neededBy(rule);
  if (needed === undefined && kind?.lack === undefined) return [];
  return units.flatMap((unit) => {
    if (!concerns(rule, unit)) return [];
    const known = knownOf(unit.unitId);
    const message = (needed && lackOf(host, unit, needed, known)) ?? kind?.lack?.(rule, unit, known);
    if (message === undefined) return [];
    return [{ unit_id: unit.unitId, recordable: missingAt(host, rule, unit) !== undefined, message }];
  });
}

const records = ({ historyChannels }: DeviceConfig, { channel = MAIN_CHANNEL }: Needed): boolean =>
  channel === MAIN_CHANNEL || historyChannels.includes(channel);

function channelLack(host: WithFamilies, unit: DeviceConfig, needed: Needed): string | undefined {
  const { channel = MAIN_CHANNEL } = needed;
  const { unitId, family } = unit;
  if (records(unit, needed)) return undefined;
  const names = channelNames(host.families.find(family)?.channels ?? [MAIN_CHANNEL]);
  return names.includes(channel)
    ? `${unitId} does not record the channel ${channel}, so this rule never opens an event there. Add ${channel} to history_channels in its config.`
    : `Meters of the family ${family} have no channel ${channel}, only ${names.join(', ')}, so this rule never opens an event at ${unitId}.`;
}

function lackOf(host: WithFamilies, unit: DeviceConfig, needed: Needed, known: UnitKnown): string | undefined {
  const { families } = host;
  const { unitId, history, family, tcpEnabled, pollEnabled } = unit;
  const stream = families.find(family)?.stream;
  const { quantity } = needed;
  if (!tcpEnabled) return `TCP is switched off for ${unitId}, so nothing is recorded there while it happens.`;
  const unrecorded = channelLack(host, unit, needed);
  if (unrecorded) return unrecorded;
  if (history === 'off')
    return `${unitId} records nothing, so this rule never opens an event there. Set history to ${stream ? 'stream' : 'poll'} in its config.`;
  if (quantity && !(stream ? stream.quantities.some((one) => one === quantity) : quantity === 'leq'))
    return `Meters of the family ${family} do not give what this rule is about, so it never opens an event at ${unitId}.`;
  const { channel = MAIN_CHANNEL } = needed;
  if (channel !== MAIN_CHANNEL && known.isSilent(channel))
    return `${unitId} gives no levels of the channel ${channel}, so this rule gets no levels there. Switch the channel on at the meter.`;
  if (history === 'stream') return undefined;
  const change = stream ? ' Set history to stream in its config.' : '';
  if (!pollEnabled) return `${unitId} records only readings, and nobody makes them: polling is off.${change}`;
  if (needed.history === 'poll') return undefined;
  return `${unitId} records only readings: they give means of some minutes, and no means late in a long measurement, so this rule is late there or never opens an event.${change}`;
}

/** Makes the units of a rule record the levels that it needs, with the rights of the caller. If this fails, a warning says so. */
export async function recordFor(
  host: Pick<Host, 'ask' | 'families' | 'log'>,
  request: Request,
  rule: RuleBody,
  units: readonly DeviceConfig[],
): Promise<AlertRuleRecording[]> {
  const raised: AlertRuleRecording[] = [];
  for (const unit of units) {
    const missing = missingAt(host, rule, unit);
    if (!missing) continue;
    const { unit_id, history } = missing;
    try {
      await host.ask(request, { method: 'PUT', path: '/{unit_id}/config', unitId: unit_id, body: { history } });
      raised.push(missing);
    } catch (error) {
      if (!isGatewayError(error)) throw error;
      host.log.info({ unit_id, reason: error.message }, 'the recording of a unit was not raised for a rule');
    }
  }
  return raised;
}

/** Text after the name of a rule in a message: the new recording of its units. */
export const raisedWords = (raised: readonly AlertRuleRecording[]): string =>
  raised
    .map(({ unit_id, history }) =>
      history === 'stream'
        ? ` ${unit_id} records its stream from now on (history stream).`
        : ` ${unit_id} records its readings from now on (history poll).`,
    )
    .join('');

/** A unit that gets the tag of a rule later records what the rule needs from then on. A later change of `history` by a person stays. */
export function recordTagged(host: Host, rules: () => readonly Rule[]): void {
  host.configs.onChange(
    (_unitId, unit, before) => {
      const earlier = before?.tags ?? [];
      if (unit?.tags.some((tag) => !earlier.includes(tag))) void raise(host, rules(), unit, earlier);
    },
    ['tags'],
  );
}

async function raise(host: Host, rules: readonly Rule[], unit: DeviceConfig, before: readonly string[]) {
  const { unitId } = unit;
  const fresh = rules.filter(
    (rule) => rule.record !== false && rule.tag !== undefined && !concerns(rule, { unitId, tags: before }),
  );
  const missing = fresh.flatMap((rule) => missingAt(host, rule, unit) ?? []);
  const history = missing.some((one) => one.history === 'stream') ? 'stream' : missing[0]?.history;
  if (history === undefined) return;
  try {
    await host.configs.change(unitId, (present) => ({ ...(present ?? unit), history }));
    host.log.info({ unit_id: unitId, history, was: unit.history }, 'a unit records more, for rules of its new tag');
  } catch (error) {
    host.log.warn({ unit_id: unitId, reason: messageOf(error) }, 'the recording of a unit was not raised for a rule');
  }
}
