/** Tries a rule before it is created: its problems, its words, units that record too little, and the events that it would have had. */
import { type InputError, invalid, MOMENT } from '../../../lib/built-in.ts';
import { daysIn, iso, named, type Request, reaches, type Schema, spanOf } from '../../../lib/index.ts';
import type { Alerts } from '../parts.ts';
import { SENTENCES } from '../schemas.ts';
import type { Replayed, RuleKind } from './kind.ts';
import { RULE_KINDS, ruleKindOf } from './kinds.ts';
import { WARNING } from './recording.ts';
import { concerns } from './rule.ts';
import type { RuleInput } from './rule-access.ts';
import { PREVIEWED, type RuleSchemas } from './rule-schemas.ts';
import { english } from './sentences.ts';

const PREVIEW_DAYS = 31;

interface PreviewInput {
  readonly rule: RuleInput;
  readonly from: string;
  readonly to: string;
}

export function addPreview(alerts: Alerts, schemas: RuleSchemas): void {
  alerts.host.route<PreviewInput, unknown>({
    method: 'POST',
    path: '/_alerts/rules/preview',
    access: 'viewer',
    filtersUnits: true,
    summary: 'Show the events that a rule would have had',
    description: `Over the recorded levels of at most ${PREVIEW_DAYS} days, for kinds of rules that levels decide. Nothing is kept and no messages are sent. The data of a GET may be sent as the rule.`,
    body: {
      type: 'object',
      properties: { rule: schemas.change, from: MOMENT, to: MOMENT },
      required: ['rule', 'from', 'to'],
    },
    answer: { data: { type: 'array', items: PREVIEWED } },
    errors: [],
    cost: (request) => daysIn(request.body) * read(alerts, request).units.length,
    handle: (request) => preview(alerts, request),
  });
}

function read({ host, access }: Alerts, { body, identity }: Request<PreviewInput>) {
  const span = spanOf(body);
  if (span.to - span.from > PREVIEW_DAYS * 86_400_000)
    throw invalid([{ path: '/to', message: `must not be more than ${PREVIEW_DAYS} days after from` }]);
  const kind = ruleKindOf(body.rule.kind);
  const errors = access.problemsOf(body.rule, identity).map(belowRule);
  if (kind && !kind.replay) errors.push(noPreview(kind));
  if (errors.length > 0) throw invalid(errors);
  const rule = access.ruleOf(body.rule);
  const seconds = { from: Math.floor(span.from / 1_000), to: Math.floor(span.to / 1_000) };
  const units = host.configs.list().filter((unit) => concerns(rule, unit) && reaches(identity, unit.unitId));
  return { kind, rule, seconds, units };
}

async function preview(alerts: Alerts, request: Request<PreviewInput>) {
  const { kind, rule, seconds, units } = read(alerts, request);
  const given = { ...alerts.host, signal: request.caller.signal };
  const data = [];
  for (const { unitId, timezone: zone } of units) {
    const found = (await kind?.replay?.(rule, { unitId, zone }, seconds, given)) ?? [];
    data.push(...found.map((one) => shownReplay(one, unitId)));
  }
  return { data };
}

const belowRule = ({ path, message }: InputError): InputError => ({ path: `/rule${path}`, message });

function noPreview({ noPreview: why }: RuleKind): InputError {
  const others = RULE_KINDS.flatMap(({ name, replay }) => (replay ? [name] : []));
  return { path: '/rule/kind', message: `must be ${others.join(' or ')}: ${why}` };
}

const moment = (seconds: number) => iso(Math.round(seconds * 1_000));

const shownReplay = ({ at, closedAt, from, value, valueAt, isBound = false }: Replayed, unit_id: string) => ({
  unit_id,
  opened_at: moment(at),
  closed_at: closedAt === undefined ? null : moment(closedAt),
  window_from: moment(from),
  worst: Math.round(value * 100) / 100,
  worst_at: moment(valueAt),
  worst_is_bound: isBound,
});

const CHECKED: Schema = named('AlertRuleCheck', {
  words: { type: 'string', description: 'The watched condition in words: a name for the rule.' },
  sentences: SENTENCES,
  warnings: {
    type: 'array',
    items: WARNING,
    description:
      'Units that record too little for it now. They record more once it is made, unless its `record` is false.',
  },
});

/** A form asks while a person writes. */
export function addRuleCheck({ host, access }: Alerts, schemas: RuleSchemas): void {
  host.route<{ readonly rule: RuleInput }, unknown>({
    method: 'POST',
    path: '/_alerts/rules/check',
    access: 'viewer',
    filtersUnits: true,
    summary: 'Check a rule before it is made, and say what it needs',
    description: 'For forms: nothing is kept. The name may be left out.',
    body: {
      type: 'object',
      properties: { rule: { ...schemas.change, title: 'AlertRuleDraft', required: ['kind'] } },
      required: ['rule'],
    },
    answer: { data: CHECKED },
    errors: [],
    handle({ body, identity }) {
      const errors = access.problemsOf(body.rule, identity).map(belowRule);
      if (errors.length > 0) throw invalid(errors);
      const rule = access.ruleOf(body.rule);
      const words = ruleKindOf(rule.kind)?.words(rule);
      return {
        data: {
          words: words ? english(words) : '',
          sentences: words ? { words } : {},
          warnings: access.warnings(rule, identity),
        },
      };
    },
  });
}
