/** Targets and the messages sent to them. Secrets can be set, but are never shown. */
import {
  type Host,
  invalid,
  iso,
  json,
  listQuery,
  messageOf,
  NEXT,
  type PageQuery,
  pageOf,
  settable,
  type Tables,
} from '../../../lib/index.ts';
import type { RuleBook } from '../rules/rule-book.ts';
import { PARAMS } from '../schemas.ts';
import type { Deliveries } from './deliveries.ts';
import { DELIVERIES, type DeliveryRow } from './delivery-tables.ts';
import type { Outbox } from './outbox.ts';
import type { Target, TargetBody } from './target.ts';
import type { TargetBook } from './target-book.ts';
import { type Asked, type Present, problemsOf } from './target-check.ts';
import { DELIVERY, TARGET, TARGET_BODY, TARGET_CHANGE, TARGET_FIXED } from './target-schemas.ts';

/** Each has a queue of its own. */
const MOST_TARGETS = 200;

export interface TargetRouteParts {
  readonly host: Host;
  readonly tables: Tables;
  readonly targets: TargetBook;
  readonly rules: RuleBook;
  readonly deliveries: Deliveries;
  readonly outbox: Outbox;
}

export function targetPages({ host, tables, targets, rules, deliveries, outbox }: TargetRouteParts): void {
  const checked = async (asked: Asked, present: Present | undefined, signal: AbortSignal) => {
    const errors = problemsOf(asked, present);
    if (errors.length > 0) throw invalid(errors);
    const { secret: _, ...body } = asked;
    // An address that is refused now would fail each time: better to say so at once.
    if (body.kind !== 'mail') await host.outbound.check(String(body.url), signal);
    return body as unknown as TargetBody;
  };
  const shown = ({ createdAt, changedAt, ...target }: Target) => ({
    ...target,
    secret_set: targets.hasSecret(target.id),
    created_at: iso(createdAt),
    changed_at: iso(changedAt),
  });

  host.route<unknown, PageQuery>({
    method: 'GET',
    path: '/_alerts/targets',
    access: 'admin',
    summary: 'List the targets of alerts',
    query: listQuery(),
    answer: { data: { type: 'array', items: TARGET }, next: NEXT },
    etag: true,
    errors: [],
    handle({ query }) {
      const after = Number(query.cursor ?? 0);
      const left = targets.list().filter(({ id }) => Number(id) > after);
      const { page, next } = pageOf(left, query.limit, ({ id }) => id);
      return { data: page.map(shown), next };
    },
  });

  host.route<Asked, unknown>({
    method: 'POST',
    path: '/_alerts/targets',
    access: 'admin',
    summary: 'Create a target: a webhook, mail addresses or a topic of a broker',
    body: TARGET_BODY,
    answer: { message: { type: 'string' }, data: TARGET },
    statuses: [201],
    errors: ['ADDRESS_REFUSED', 'OUTBOUND_FAILED'],
    async handle({ body, caller }) {
      if (targets.list().length >= MOST_TARGETS)
        throw invalid([{ path: '', message: `there are ${MOST_TARGETS} targets, which is the limit: remove some` }]);
      const target = await targets.create(await checked(body, undefined, caller.signal), body.secret);
      deliveries.follow(target.id);
      const answer = { message: `The target ${target.name} is created.`, data: shown(target) };
      return json(answer, { status: 201, location: `/_alerts/targets/${target.id}` });
    },
  });

  host.route({
    method: 'GET',
    path: '/_alerts/targets/{id}',
    params: PARAMS,
    access: 'admin',
    summary: 'Show a target',
    answer: { data: TARGET },
    etag: true,
    errors: ['ALERT_NOT_FOUND'],
    handle: ({ params }) => ({ data: shown(targets.get(params.id ?? '')) }),
  });

  host.route<Asked, unknown>({
    method: 'PUT',
    path: '/_alerts/targets/{id}',
    params: PARAMS,
    access: 'admin',
    summary: 'Replace a target; without a secret the present one stays',
    description: 'The data of a GET may be sent back.',
    body: TARGET_CHANGE,
    answer: { message: { type: 'string' }, data: TARGET },
    errors: ['ALERT_NOT_FOUND', 'ADDRESS_REFUSED', 'OUTBOUND_FAILED'],
    async handle({ params, body, before, caller }) {
      const present = targets.get(params.id ?? '');
      before(shown(present));
      const asked = settable(body, TARGET_FIXED, present.id);
      const next = await checked(asked, { ...present, hasSecret: targets.hasSecret(present.id) }, caller.signal);
      const target = await targets.change(present.id, next, body.secret);
      deliveries.follow(target.id);
      return { message: `The target ${target.name} is changed.`, data: shown(target) };
    },
  });

  host.route({
    method: 'DELETE',
    path: '/_alerts/targets/{id}',
    params: PARAMS,
    access: 'admin',
    summary: 'Remove a target and the messages that wait for it',
    answer: { message: { type: 'string' } },
    errors: ['ALERT_NOT_FOUND'],
    async handle({ params, before }) {
      const target = targets.get(params.id ?? '');
      const users = rules.list().filter((rule) => [...rule.targets, ...(rule.escalate_to ?? [])].includes(target.id));
      if (users.length > 0)
        throw invalid([
          {
            path: '/id',
            message: `is named by ${users.length} rules (${users[0]?.name} ...): remove it from them first`,
          },
        ]);
      before(shown(target));
      deliveries.drop(target.id);
      await targets.remove(target.id);
      return { message: `The target ${target.name} is removed.` };
    },
  });

  host.route({
    method: 'POST',
    path: '/_alerts/targets/{id}/test',
    params: PARAMS,
    access: 'admin',
    summary: 'Send a test to a target and show what happened',
    answer: { message: { type: 'string' }, delivered: { type: 'boolean' } },
    errors: ['ALERT_NOT_FOUND'],
    async handle({ params, caller }) {
      const target = targets.get(params.id ?? '');
      const message = outbox.test(target, { detail: 'A test.' });
      const { ok, outcome } = await deliveries
        .send(target.id, [message], caller.signal)
        .catch((error: unknown) => ({ ok: false, outcome: messageOf(error) }));
      return { message: outcome, delivered: ok };
    },
  });

  host.route<unknown, PageQuery & { readonly target?: string; readonly state?: DeliveryRow['state'] }>({
    method: 'GET',
    path: '/_alerts/deliveries',
    access: 'admin',
    summary: 'List what was sent and what waits, the newest first',
    query: listQuery({
      target: { type: 'string', pattern: '^[1-9][0-9]{0,14}$', description: 'the id of a target' },
      state: { type: 'string', enum: ['waiting', 'done', 'failed'] },
    }),
    answer: { data: { type: 'array', items: DELIVERY }, next: NEXT },
    etag: true,
    errors: [],
    async handle({ query: { limit, cursor, target, state } }) {
      const where = {
        ...(target !== undefined && { targetId: Number(target) }),
        ...(state !== undefined && { state }),
        ...(cursor !== undefined && { id: { below: Number(cursor) } }),
      };
      const found = await tables.read((rows) =>
        rows.find(DELIVERIES, { where, order: { id: 'desc' }, limit: limit + 1 }),
      );
      const { page, next } = pageOf(found, limit, ({ id }) => id);
      return { data: page.map(shownDelivery), next };
    },
  });
}

const shownDelivery = (row: DeliveryRow) => ({
  id: String(row.id),
  target: String(row.targetId),
  event: row.eventId === null ? null : String(row.eventId),
  unit_id: typeof row.event.unit_id === 'string' ? row.event.unit_id : null,
  type: row.type,
  state: row.state,
  tries: row.tries,
  outcome: row.outcome,
  created_at: iso(row.createdAt),
  not_before: iso(row.notBefore),
  ended_at: iso(row.endedAt),
});
