/** Rules: listed, created, changed, removed. */
import { countOf, invalid, listQuery, NEXT, type PageQuery, pageOf, settable } from '../../../lib/built-in.ts';
import { json, type Request } from '../../../lib/index.ts';
import type { Alerts } from '../parts.ts';
import { ID_PARAM } from '../schemas.ts';
import { RAISED, raisedWords } from './recording.ts';
import type { Rule } from './rule.ts';
import type { RuleInput } from './rule-access.ts';
import { RULE_FIXED, type RuleSchemas } from './rule-schemas.ts';

/** The most rules in all: each is checked for each row of its units. Enough for five rules at each of a thousand units. */
export const MOST_RULES = 5_000;

export function addRuleRoutes(alerts: Alerts, schemas: RuleSchemas): void {
  addReading(alerts, schemas);
  addCreation(alerts, schemas);
  addChange(alerts, schemas);
  addRemoval(alerts);
}

function addReading({ host, access }: Alerts, schemas: RuleSchemas): void {
  host.route<unknown, PageQuery>({
    method: 'GET',
    path: '/_alerts/rules',
    access: 'viewer',
    filtersUnits: true,
    summary: 'List the rules of alerts',
    query: listQuery(),
    answer: { data: { type: 'array', items: schemas.shown }, next: NEXT },
    etag: true,
    errors: [],
    handle({ query, identity }) {
      const after = Number(query.cursor ?? 0);
      const left = access.visible(identity).filter(({ id }) => Number(id) > after);
      const { page, next } = pageOf(left, query.limit, ({ id }) => id);
      return { data: page.map((rule) => access.shown(rule, identity)), next };
    },
  });

  host.route({
    method: 'GET',
    path: '/_alerts/rules/{id}',
    params: ID_PARAM,
    access: 'viewer',
    filtersUnits: true,
    summary: 'Show a rule',
    answer: { data: schemas.shown },
    etag: true,
    errors: ['ALERT_NOT_FOUND'],
    handle: ({ params, identity }) => ({ data: access.shown(access.found(params.id, identity), identity) }),
  });
}

const ANSWER = (schemas: RuleSchemas) => ({
  message: { type: 'string' },
  data: schemas.shown,
  recording: { type: 'array', items: RAISED, description: 'Units that record more from now on, for this rule.' },
});

/** After a write: the units of the rule record the levels that it needs, unless the caller refuses. */
async function answerOf({ access }: Alerts, request: Request<RuleInput>, rule: Rule, done: 'created' | 'changed') {
  const { identity } = request;
  const recording = await access.record(rule, request);
  const message = `The rule ${rule.name} is ${done}.${raisedWords(recording)}`;
  return { message, data: access.shown(rule, identity), recording };
}

function addCreation(alerts: Alerts, schemas: RuleSchemas): void {
  const { host, rules, access } = alerts;
  host.route<RuleInput, unknown>({
    method: 'POST',
    path: '/_alerts/rules',
    access: 'admin',
    filtersUnits: true,
    summary: 'Create a rule',
    description: 'GET /_alerts/kinds describes the fields of each kind of rule.',
    body: schemas.body,
    answer: ANSWER(schemas),
    statuses: [201],
    errors: [],
    async handle(request) {
      const { body, identity } = request;
      const checked = access.checked(body, identity);
      if (rules.list().length >= MOST_RULES)
        throw invalid([
          { path: '', message: `there are ${MOST_RULES} rules, which is the limit: remove some, or use tags` },
        ]);
      const [rule] = (await rules.create([checked])) as [Rule];
      const answer = await answerOf(alerts, request, rule, 'created');
      return json(answer, { status: 201, location: `/_alerts/rules/${rule.id}` });
    },
  });
}

function addChange(alerts: Alerts, schemas: RuleSchemas): void {
  const { host, rules, access } = alerts;
  host.route<RuleInput, unknown>({
    method: 'PUT',
    path: '/_alerts/rules/{id}',
    params: ID_PARAM,
    access: 'admin',
    filtersUnits: true,
    summary: 'Replace a rule',
    description: 'Its open events go on if the rule still applies to their units. The data of a GET may be sent back.',
    body: schemas.change,
    answer: ANSWER(schemas),
    errors: ['ALERT_NOT_FOUND'],
    async handle(request) {
      const { params, body, identity, before } = request;
      const present = access.own(params.id, identity);
      before(access.shown(present, identity));
      const next = access.checked(settable(body, RULE_FIXED, present.id), identity);
      const rule = await rules.change(present.id, next);
      return answerOf(alerts, request, rule, 'changed');
    },
  });
}

function addRemoval({ host, rules, access }: Alerts): void {
  host.route({
    method: 'DELETE',
    path: '/_alerts/rules/{id}',
    params: ID_PARAM,
    access: 'admin',
    filtersUnits: true,
    summary: 'Remove a rule',
    description: 'Its open events end; all its events stay.',
    answer: { message: { type: 'string' } },
    errors: ['ALERT_NOT_FOUND'],
    async handle({ params, identity, before }) {
      const rule = access.own(params.id, identity);
      before(access.shown(rule, identity));
      await rules.remove(rule.id);
      return { message: `The rule ${rule.name} is removed.` };
    },
  });
}

/** The most rules in one request. */
export const MOST_AT_ONCE = 1_000;
/** The size of one rule with texts, targets and some units, as JSON. A thousand units in each rule do not fit. */
const RULE_BYTES = 4_096;

interface BatchInput {
  readonly rules: readonly RuleInput[];
}

/** Many rules in one request: all of them or none. `POST /_alerts/rules/batch`. */
export function addRuleBatch(alerts: Alerts, schemas: RuleSchemas): void {
  alerts.host.route<BatchInput, unknown>({
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
    handle: (request) => createAll(alerts, request),
  });
}

async function createAll({ rules, access }: Alerts, request: Request<BatchInput>) {
  const { body, identity } = request;
  const errors = body.rules.flatMap((rule, index) =>
    access.problemsOf(rule, identity).map(({ path, message }) => ({ path: `/rules/${index}${path}`, message })),
  );
  if (errors.length > 0) throw invalid(errors);
  if (rules.list().length + body.rules.length > MOST_RULES)
    throw invalid([{ path: '/rules', message: `would be more than ${MOST_RULES} rules in all, which is the limit` }]);
  const made = await rules.create(body.rules.map((rule) => access.checked(rule, identity)));
  const recording = [];
  for (const rule of made) recording.push(...(await access.record(rule, request)));
  const data = made.map((rule) => access.shown(rule, identity));
  return json(
    { message: `${countOf(made.length, 'rule is', 'rules are')} created.`, data, recording },
    { status: 201 },
  );
}
