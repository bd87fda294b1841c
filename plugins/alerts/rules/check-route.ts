/** Checks a rule before it is created: its problems, its words, and units that record too little. A form asks while a person writes. */
import {
  daysIn,
  type Host,
  type InputError,
  invalid,
  iso,
  MOMENT,
  named,
  type Request,
  reaches,
  type Schema,
  spanOf,
} from '../../../lib/index.ts';
import type { WithNotes } from '../../notes/index.ts';
import { SENTENCES } from '../schemas.ts';
import type { Replayed, RuleKind } from './kind.ts';
import { WARNING } from './recording.ts';
import { concerns } from './rule.ts';
import type { RuleAccess, RuleInput } from './rule-access.ts';
import { PREVIEWED, type RuleSchemas } from './rule-schemas.ts';
import { english } from './sentences.ts';

const PREVIEW_DAYS = 31;

interface PreviewInput {
  readonly rule: RuleInput;
  readonly from: string;
  readonly to: string;
}

interface PreviewParts {
  readonly host: Host & WithNotes;
  readonly kinds: readonly RuleKind[];
  readonly access: RuleAccess;
  readonly schemas: RuleSchemas;
}

/** Runs a rule over recorded levels, before it is created. `POST /_alerts/rules/preview`. */
export function addPreview(parts: PreviewParts): void {
  const { host, schemas } = parts;
  host.route<PreviewInput, unknown>({
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
    cost: (request) => daysIn(request.body) * read(parts, request).units.length,
    handle: (request) => preview(parts, request),
  });
}

/** The rule and its units. Errors: INVALID. */
function read({ host, kinds, access }: PreviewParts, { body, identity }: Request<PreviewInput>) {
  const span = spanOf(body);
  if (span.to - span.from > PREVIEW_DAYS * 86_400_000)
    throw invalid([{ path: '/to', message: `must not be more than ${PREVIEW_DAYS} days after from` }]);
  const kind = kinds.find(({ name }) => name === body.rule.kind);
  const errors = access.problemsOf(body.rule, identity).map(belowRule);
  if (kind && !kind.replay) errors.push(noPreview(kind, kinds));
  if (errors.length > 0) throw invalid(errors);
  const rule = access.ruleOf(body.rule);
  const seconds = { from: Math.floor(span.from / 1_000), to: Math.floor(span.to / 1_000) };
  const units = host.configs.list().filter((unit) => concerns(rule, unit) && reaches(identity, unit.unitId));
  return { kind, rule, seconds, units };
}

async function preview(parts: PreviewParts, request: Request<PreviewInput>) {
  const { kind, rule, seconds, units } = read(parts, request);
  const { history, notes } = parts.host;
  const given = { history, notes, signal: request.caller.signal };
  const data = [];
  for (const { unitId, timezone: zone } of units) {
    const place = { unitId, zone };
    const found = (await kind?.replay?.(rule, place, seconds, given)) ?? [];
    data.push(...found.map((one) => shownReplay(one, unitId)));
  }
  return { data };
}

/** The path of an error in a request that has the rule in a field. */
const belowRule = ({ path, message }: InputError): InputError => ({ path: `/rule${path}`, message });

function noPreview({ noPreview: why }: RuleKind, kinds: readonly RuleKind[]): InputError {
  const others = kinds.flatMap(({ name, replay }) => (replay ? [name] : []));
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

/** Adds POST /_alerts/rules/check. Errors: INVALID, with the paths of the wrong fields. */
export function addRuleCheck({ host, kinds, access, schemas }: PreviewParts): void {
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
      const words = kinds.find(({ name }) => name === rule.kind)?.words(rule);
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
