/** Rules: listed, created, changed, removed, and tried on what was recorded. */
import { GatewayError, type Host, type Identity, invalid, json, MOMENT, reaches, spanOf } from '../../lib/index.ts';
import { preview } from './preview.ts';
import { concerns, type LevelRule, type Rule, type RuleBody } from './rule.ts';
import type { RuleBook } from './rule-book.ts';
import { type Asked, problemsOf } from './rule-check.ts';
import { NEXT, PAGE, PARAMS, type PageQuery, PREVIEWED, RULE, RULE_BODY } from './schemas.ts';
import { ruleOf, shownRule } from './shown.ts';

/** Of all rules; each is looked at for each row of its units. */
const MOST_RULES = 2_000;
const PREVIEW_DAYS = 31;

export interface RuleRouteParts {
  readonly host: Host;
  readonly rules: RuleBook;
  readonly knowsTarget: (id: string) => boolean;
}

export function rulePages({ host, rules, knowsTarget }: RuleRouteParts): void {
  const knows = { unit: (id: string) => host.configs.get(id) !== undefined, target: knowsTarget };
  /** A caller who is limited to some units writes rules about these alone. */
  const checked = (asked: Asked, identity: Identity): RuleBody => {
    const errors = problemsOf(asked, knows);
    if (errors.length > 0) throw invalid(errors);
    const rule = ruleOf(asked);
    if (!owns(rule, identity))
      throw new GatewayError('FORBIDDEN', 'This API key is limited to units: name some of them.');
    return rule;
  };
  const found = (id: string | undefined, identity: Identity): Rule => {
    const rule = rules.get(id ?? '');
    if (!isVisible(host, rule, identity)) throw new GatewayError('ALERT_NOT_FOUND', `There is no rule ${id}.`);
    return rule;
  };
  const own = (id: string | undefined, identity: Identity): Rule => {
    const rule = found(id, identity);
    if (!owns(rule, identity)) throw new GatewayError('FORBIDDEN', 'The rule is about other units, too.');
    return rule;
  };
  const common = { filtersUnits: true } as const;

  host.route<unknown, PageQuery>({
    ...common,
    method: 'GET',
    path: '/_alerts/rules',
    access: 'viewer',
    summary: 'List the rules of alerts',
    query: PAGE,
    answer: { data: { type: 'array', items: RULE }, next: NEXT },
    etag: true,
    errors: [],
    handle({ query, identity }) {
      const after = Number(query.cursor ?? 0);
      const visible = rules.list().filter((rule) => Number(rule.id) > after && isVisible(host, rule, identity));
      const page = visible.slice(0, query.limit);
      return { data: page.map(shownRule), next: visible.length > page.length ? (page.at(-1)?.id ?? null) : null };
    },
  });

  host.route<Asked, unknown>({
    ...common,
    method: 'POST',
    path: '/_alerts/rules',
    access: 'admin',
    summary: 'Create a rule',
    body: RULE_BODY,
    answer: { message: { type: 'string' }, data: RULE },
    statuses: [201],
    errors: [],
    async handle({ body, identity }) {
      const checkedBody = checked(body, identity);
      if (rules.list().length >= MOST_RULES)
        throw invalid([
          { path: '', message: `there are ${MOST_RULES} rules, no more are taken: remove some, or use tags` },
        ]);
      const rule = await rules.create(checkedBody);
      const answer = { message: `The rule ${rule.name} is created.`, data: shownRule(rule) };
      return json(answer, { status: 201, location: `/_alerts/rules/${rule.id}` });
    },
  });

  host.route({
    ...common,
    method: 'GET',
    path: '/_alerts/rules/{id}',
    params: PARAMS,
    access: 'viewer',
    summary: 'Show a rule',
    answer: { data: RULE },
    etag: true,
    errors: ['ALERT_NOT_FOUND'],
    handle: ({ params, identity }) => ({ data: shownRule(found(params.id, identity)) }),
  });

  host.route<Asked, unknown>({
    ...common,
    method: 'PUT',
    path: '/_alerts/rules/{id}',
    params: PARAMS,
    access: 'admin',
    summary: 'Replace a rule',
    description: 'Its open events go on where the rule still concerns their units.',
    body: RULE_BODY,
    answer: { message: { type: 'string' }, data: RULE },
    errors: ['ALERT_NOT_FOUND'],
    async handle({ params, body, identity, before }) {
      const present = own(params.id, identity);
      before(shownRule(present));
      const rule = await rules.change(present.id, checked(body, identity));
      return { message: `The rule ${rule.name} is changed.`, data: shownRule(rule) };
    },
  });

  host.route({
    ...common,
    method: 'DELETE',
    path: '/_alerts/rules/{id}',
    params: PARAMS,
    access: 'admin',
    summary: 'Remove a rule',
    description: 'Its open events end; all its events stay.',
    answer: { message: { type: 'string' } },
    errors: ['ALERT_NOT_FOUND'],
    async handle({ params, identity, before }) {
      const { id, name, ...rest } = own(params.id, identity);
      before(shownRule({ ...rest, id, name } as Rule));
      await rules.remove(id);
      return { message: `The rule ${name} is removed.` };
    },
  });

  host.route<{ readonly rule: Asked; readonly from: string; readonly to: string }, unknown>({
    ...common,
    method: 'POST',
    path: '/_alerts/rules/preview',
    access: 'viewer',
    summary: 'Show the events that a level rule would have had',
    description: `Over the recorded levels of at most ${PREVIEW_DAYS} days. Nothing is kept and nobody is told.`,
    body: {
      type: 'object',
      properties: { rule: RULE_BODY, from: MOMENT, to: MOMENT },
      required: ['rule', 'from', 'to'],
    },
    answer: { data: { type: 'array', items: PREVIEWED } },
    errors: [],
    async handle({ body, identity, caller }) {
      const span = spanOf(body);
      if (span.to - span.from > PREVIEW_DAYS * 86_400_000)
        throw invalid([{ path: '/to', message: `must not be more than ${PREVIEW_DAYS} days after from` }]);
      const errors = problemsOf(body.rule, knows).map(({ path, message }) => ({ path: `/rule${path}`, message }));
      if (body.rule.kind === 'device')
        errors.push({
          path: '/rule/kind',
          message: 'must be level: the history keeps levels and not the state of meters',
        });
      if (errors.length > 0) throw invalid(errors);
      const rule = ruleOf(body.rule) as LevelRule;
      const units = host.configs.list().filter((unit) => concerns(rule, unit) && reaches(identity, unit.unitId));
      const pages = [];
      for (const unit of units) pages.push(...(await preview(host.history, rule, unit, span, caller.signal)));
      return { data: pages };
    },
  });
}

/** A rule by tag is about units that come later, too: it is for callers who reach all. */
const owns = ({ units }: Pick<RuleBody, 'units'>, identity: Identity): boolean =>
  identity.units === null || (units?.every((unitId) => reaches(identity, unitId)) ?? false);

const isVisible = (host: Host, rule: RuleBody, identity: Identity): boolean =>
  identity.units === null || host.configs.list().some((unit) => concerns(rule, unit) && reaches(identity, unit.unitId));
