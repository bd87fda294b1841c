/** Rules and events as the API shows them. */
import { type Identity, iso, reaches } from '../../lib/index.ts';
import type { Rule, RuleBody } from './rules/rule.ts';
import type { Asked } from './rules/rule-check.ts';
import type { EventRow } from './tables.ts';

/** To a caller who reaches only some units a rule names only these. */
export const shownRule = ({ createdAt, changedAt, ...rule }: Rule, identity: Identity) => ({
  ...rule,
  ...(rule.units && { units: rule.units.filter((unitId) => reaches(identity, unitId)) }),
  created_at: iso(createdAt),
  changed_at: iso(changedAt),
});

/** A body that passed all checks, with the defaults that depend on its kind. */
export function ruleOf(asked: Asked): RuleBody {
  const limit = Number(asked.limit_db);
  const defaults = asked.kind === 'level' ? { align: 'clock', clear_db: limit - 2, min_coverage: 0.5 } : { for: '1m' };
  return { ...defaults, ...asked } as unknown as RuleBody;
}

export const shownEvent = (event: EventRow) => ({
  id: String(event.id),
  rule: String(event.ruleId),
  rule_name: event.ruleName,
  unit_id: event.unitId,
  severity: event.severity,
  kind: event.kind,
  what: event.what,
  limit: event.limitValue,
  window_from: iso(event.windowFrom),
  window_to: iso(event.windowTo),
  opened_at: iso(event.openedAt),
  closed_at: iso(event.closedAt),
  worst: event.worst,
  worst_at: iso(event.worstAt),
  detail: event.detail,
  escalated_at: iso(event.escalatedAt),
  ack: event.ack && { ...event.ack, at: iso(event.ack.at) },
  revised: event.revised && { ...event.revised, at: iso(event.revised.at) },
});
