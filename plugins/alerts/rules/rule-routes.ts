/** Rules: listed, created, changed, removed. */
import {
  type Host,
  invalid,
  json,
  listQuery,
  NEXT,
  type PageQuery,
  pageOf,
  type Request,
  settable,
} from '../../../lib/index.ts';
import { ID_PARAM } from '../schemas.ts';
import { RAISED, raisedWords } from './recording.ts';
import type { Rule } from './rule.ts';
import type { RuleAccess } from './rule-access.ts';
import type { RuleInput } from './rule-check.ts';
import { RULE_FIXED, type RuleSchemas } from './rule-schemas.ts';
import type { RuleStore } from './rule-store.ts';

/** The most rules in all: each is checked for each row of its units. Enough for five rules at each of a thousand units. */
export const MOST_RULES = 5_000;

export interface RuleRouteParts {
  readonly host: Host;
  readonly rules: RuleStore;
  readonly access: RuleAccess;
  readonly schemas: RuleSchemas;
}

/** The routes below `/_alerts/rules`. */
export function addRuleRoutes(parts: RuleRouteParts): void {
  addReading(parts);
  addCreation(parts);
  addChange(parts);
  addRemoval(parts);
}

function addReading({ host, access, schemas }: RuleRouteParts): void {
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
async function answerOf(
  { access }: Pick<RuleRouteParts, 'access'>,
  request: Request<RuleInput>,
  rule: Rule,
  done: 'created' | 'changed',
) {
  const { identity } = request;
  const recording = await access.record(rule, request);
  const message = `The rule ${rule.name} is ${done}.${raisedWords(recording)}`;
  return { message, data: access.shown(rule, identity), recording };
}

function addCreation({ host, rules, access, schemas }: RuleRouteParts): void {
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
      const rule = await rules.create(checked);
      const answer = await answerOf({ access }, request, rule, 'created');
      return json(answer, { status: 201, location: `/_alerts/rules/${rule.id}` });
    },
  });
}

function addChange({ host, rules, access, schemas }: RuleRouteParts): void {
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
      return answerOf({ access }, request, rule, 'changed');
    },
  });
}

function addRemoval({ host, rules, access }: RuleRouteParts): void {
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
