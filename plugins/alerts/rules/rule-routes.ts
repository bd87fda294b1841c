/** Rules: listed, created, changed, removed, and tried on what was recorded. */
import {
  GatewayError,
  type Host,
  type Identity,
  invalid,
  iso,
  json,
  listQuery,
  MOMENT,
  NEXT,
  type PageQuery,
  pageOf,
  reaches,
  settable,
  spanOf,
} from '../../../lib/index.ts';
import { rounded } from '../events/level-event.ts';
import { PARAMS, PREVIEWED, RULE, RULE_BODY, RULE_CHANGE, RULE_FIXED } from '../schemas.ts';
import { ruleOf, shownRule } from '../shown.ts';
import { type Replayed, replay } from './replay.ts';
import { concerns, type LevelRule, type Rule, type RuleBody } from './rule.ts';
import type { RuleBook } from './rule-book.ts';
import { type Asked, problemsOf } from './rule-check.ts';

/** Most rules in all; each is checked for each row of its units. Enough for more than three for each of a thousand units. */
export const MOST_RULES = 5_000;
const PREVIEW_DAYS = 31;

export interface RuleRouteParts {
  readonly host: Host;
  readonly rules: RuleBook;
  readonly knowsTarget: (id: string) => boolean;
}

export function rulePages({ host, rules, knowsTarget }: RuleRouteParts): void {
  /** A unit that the caller may not see counts as unknown. */
  const knows = (identity: Identity) => ({
    unit: (id: string) => reaches(identity, id) && host.configs.get(id) !== undefined,
    target: knowsTarget,
  });
  /** A caller who is limited to some units writes rules only about these. */
  const checked = (asked: Asked, identity: Identity): RuleBody => {
    const errors = problemsOf(asked, knows(identity));
    if (errors.length > 0) throw invalid(errors);
    const rule = ruleOf(asked);
    if (!owns(rule, identity))
      throw new GatewayError(
        'FORBIDDEN',
        'This API key is limited to some units: name the units of the rule instead of a tag.',
      );
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
    query: listQuery(),
    answer: { data: { type: 'array', items: RULE }, next: NEXT },
    etag: true,
    errors: [],
    handle({ query, identity }) {
      const after = Number(query.cursor ?? 0);
      const visible = rules.list().filter((rule) => Number(rule.id) > after && isVisible(host, rule, identity));
      const { page, next } = pageOf(visible, query.limit, ({ id }) => id);
      return { data: page.map((rule) => shownRule(rule, identity)), next };
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
          { path: '', message: `there are ${MOST_RULES} rules, which is the limit: remove some, or use tags` },
        ]);
      const rule = await rules.create(checkedBody);
      const answer = { message: `The rule ${rule.name} is created.`, data: shownRule(rule, identity) };
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
    handle: ({ params, identity }) => ({ data: shownRule(found(params.id, identity), identity) }),
  });

  host.route<Asked, unknown>({
    ...common,
    method: 'PUT',
    path: '/_alerts/rules/{id}',
    params: PARAMS,
    access: 'admin',
    summary: 'Replace a rule',
    description: 'Its open events go on if the rule still applies to their units. The data of a GET may be sent back.',
    body: RULE_CHANGE,
    answer: { message: { type: 'string' }, data: RULE },
    errors: ['ALERT_NOT_FOUND'],
    async handle({ params, body, identity, before }) {
      const present = own(params.id, identity);
      before(shownRule(present, identity));
      const rule = await rules.change(present.id, checked(settable(body, RULE_FIXED, present.id), identity));
      return { message: `The rule ${rule.name} is changed.`, data: shownRule(rule, identity) };
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
      before(shownRule({ ...rest, id, name } as Rule, identity));
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
    description: `Over the recorded levels of at most ${PREVIEW_DAYS} days. Nothing is kept and nobody is told. The data of a GET may be sent as the rule.`,
    body: {
      type: 'object',
      properties: { rule: RULE_CHANGE, from: MOMENT, to: MOMENT },
      required: ['rule', 'from', 'to'],
    },
    answer: { data: { type: 'array', items: PREVIEWED } },
    errors: [],
    async handle({ body, identity, caller }) {
      const span = spanOf(body);
      if (span.to - span.from > PREVIEW_DAYS * 86_400_000)
        throw invalid([{ path: '/to', message: `must not be more than ${PREVIEW_DAYS} days after from` }]);
      const errors = problemsOf(body.rule, knows(identity)).map(({ path, message }) => ({
        path: `/rule${path}`,
        message,
      }));
      if (body.rule.kind === 'device')
        errors.push({
          path: '/rule/kind',
          message: 'must be level: the history has levels, but not the state of meters',
        });
      if (errors.length > 0) throw invalid(errors);
      const rule = ruleOf(body.rule) as LevelRule;
      const units = host.configs.list().filter((unit) => concerns(rule, unit) && reaches(identity, unit.unitId));
      const pages = [];
      const seconds = { from: Math.floor(span.from / 1_000), to: Math.floor(span.to / 1_000) };
      for (const unit of units) {
        const found = await replay(host.history, rule, unit, seconds, caller.signal);
        pages.push(...found.map((one) => shownReplay(one, unit.unitId)));
      }
      return { data: pages };
    },
  });
}

const moment = (seconds: number) => iso(Math.round(seconds * 1_000));

const shownReplay = ({ at, closedAt, from, value, valueAt }: Replayed, unit_id: string) => ({
  unit_id,
  opened_at: moment(at),
  closed_at: closedAt === undefined ? null : moment(closedAt),
  window_from: moment(from),
  worst: rounded(value),
  worst_at: moment(valueAt),
});

/** A rule by tag applies to later units, too: only callers who may see all units may write it. */
const owns = ({ units }: Pick<RuleBody, 'units'>, identity: Identity): boolean =>
  identity.units === null || (units?.every((unitId) => reaches(identity, unitId)) ?? false);

const isVisible = (host: Host, rule: RuleBody, identity: Identity): boolean =>
  identity.units === null ||
  identity.units.some((unitId) => {
    const unit = host.configs.get(unitId);
    return unit !== undefined && concerns(rule, unit);
  });
