/** Many rules in one request: all of them or none. */
import { countOf, type Host, invalid, json, type Request } from '../../../lib/index.ts';
import { RAISED } from './recording.ts';
import type { RuleInput } from './rule-check.ts';
import { MOST_RULES, type RuleRouteParts } from './rule-routes.ts';

/** The most rules in one request. */
export const MOST_AT_ONCE = 1_000;
/** The size of one rule with texts, targets and some units, as JSON. A thousand units in each rule do not fit. */
const RULE_BYTES = 4_096;

interface BatchInput {
  readonly rules: readonly RuleInput[];
}

/** `POST /_alerts/rules/batch`. */
export function addRuleBatch(parts: RuleRouteParts): void {
  const { schemas } = parts;
  const host: Host = parts.host;
  host.route<BatchInput, unknown>({
    method: 'POST',
    path: '/_alerts/rules/batch',
    operation: 'createAlertRules',
    access: 'admin',
    filtersUnits: true,
    summary: 'Create many rules: all of them or none',
    description: `At most ${MOST_AT_ONCE}, in at most 4 MB. If one of them is refused, none is created, and the errors name each by its place in the list.`,
    body: {
      type: 'object',
      properties: { rules: { type: 'array', minItems: 1, maxItems: MOST_AT_ONCE, items: schemas.body } },
      required: ['rules'],
    },
    bodyBytes: MOST_AT_ONCE * RULE_BYTES,
    answer: {
      message: { type: 'string' },
      data: { type: 'array', items: schemas.shown },
      recording: { type: 'array', items: RAISED, description: 'Units that record more from now on, for these rules.' },
    },
    statuses: [201],
    errors: ['STORAGE_FULL', 'STORAGE_FAILED'],
    handle: (request) => createAll(parts, request),
  });
}

async function createAll({ rules, access }: RuleRouteParts, request: Request<BatchInput>) {
  const { body, identity } = request;
  const errors = body.rules.flatMap((rule, index) =>
    access.problemsOf(rule, identity).map(({ path, message }) => ({ path: `/rules/${index}${path}`, message })),
  );
  if (errors.length > 0) throw invalid(errors);
  if (rules.list().length + body.rules.length > MOST_RULES)
    throw invalid([{ path: '/rules', message: `would be more than ${MOST_RULES} rules in all, which is the limit` }]);
  const made = await rules.createAll(body.rules.map((rule) => access.checked(rule, identity)));
  const recording = [];
  for (const rule of made) recording.push(...(await access.record(rule, request)));
  const data = made.map((rule) => access.shown(rule, identity));
  return json(
    { message: `${countOf(made.length, 'rule is', 'rules are')} created.`, data, recording },
    { status: 201 },
  );
}
