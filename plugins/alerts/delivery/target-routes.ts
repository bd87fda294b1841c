/** Targets: listed, created, changed, removed, tested. Secrets can be set, but are never shown. */
import {
  countOf,
  formProblems,
  type InputError,
  invalid,
  listQuery,
  NEXT,
  type PageQuery,
  pageOf,
  settable,
  withDefaults,
} from '../../../lib/built-in.ts';
import { iso, json } from '../../../lib/index.ts';
import type { Alerts } from '../parts.ts';
import { ID, ID_PARAM } from '../schemas.ts';
import { DELIVERIES, type DeliveryRow } from '../tables.ts';
import type { Target, TargetBody } from './target.ts';
import type { Present } from './target-kind.ts';
import { TARGET_KINDS, targetKindOf } from './target-kinds.ts';
import { DELIVERY, TARGET_FIXED, targetSchemas } from './target-schemas.ts';

type TargetSchemas = ReturnType<typeof targetSchemas>;

/** The body of a request after its schema: each field is of its type, and the common ones have their defaults. */
interface TargetInput extends TargetBody {
  readonly secret?: string;
  readonly [name: string]: unknown;
}

/** Checks that a schema cannot make: which fields of a target belong together. `present`: the target that is to be replaced. */
export function targetProblems(given: TargetInput, present?: Present): InputError[] {
  const kind = targetKindOf(given.kind);
  if (!kind) return [];
  return [...formProblems('targets', kind, TARGET_KINDS, given), ...(kind.problems?.(given, present) ?? [])];
}

/** Each target has a queue of its own. */
export const MOST_TARGETS = 200;

export function addTargetRoutes(alerts: Alerts): void {
  const schemas = targetSchemas();
  addReading(alerts, schemas);
  addCreation(alerts, schemas);
  addChange(alerts, schemas);
  addRemoval(alerts);
  addTest(alerts);
}

/** Without its secret. Errors: INVALID, ADDRESS_REFUSED, OUTBOUND_FAILED. */
async function checked(
  { host }: Alerts,
  input: TargetInput,
  present: Present | undefined,
  signal: AbortSignal,
): Promise<TargetBody> {
  const errors = targetProblems(input, present);
  if (errors.length > 0) throw invalid(errors);
  const { secret: _, ...given } = input;
  const kind = targetKindOf(given.kind);
  const body: TargetBody = withDefaults(kind?.fields ?? [], given);
  const address = kind?.addressOf?.(body);
  // If the policy refuses the address now, every message would fail: the caller should know at once.
  if (address !== undefined) await host.outbound.check(address, signal);
  return body;
}

const shownTarget = ({ targets }: Alerts, { createdAt, changedAt, ...target }: Target) => ({
  ...target,
  secret_set: targets.hasSecret(target.id),
  created_at: iso(createdAt),
  changed_at: iso(changedAt),
});

const WARNING = {
  type: 'string',
  description: 'The reason why nothing can be sent to it now; absent: it can get messages.',
} as const;

/** When a target can get nothing, the answer to its creation says so, not only the first alert. */
function lacking({ host }: Alerts, { kind }: Target): { readonly warning?: string } {
  const warning = targetKindOf(kind)?.lacks?.(host.settings);
  return warning === undefined ? {} : { warning };
}

function addReading(alerts: Alerts, schemas: TargetSchemas): void {
  const { host, targets } = alerts;
  host.route<unknown, PageQuery>({
    method: 'GET',
    path: '/_alerts/targets',
    access: 'admin',
    summary: 'List the targets of alerts',
    query: listQuery(),
    answer: { data: { type: 'array', items: schemas.shown }, next: NEXT },
    etag: true,
    errors: [],
    handle({ query }) {
      const after = Number(query.cursor ?? 0);
      const left = targets.list().filter(({ id }) => Number(id) > after);
      const { page, next } = pageOf(left, query.limit, ({ id }) => id);
      return { data: page.map((target) => shownTarget(alerts, target)), next };
    },
  });

  host.route({
    method: 'GET',
    path: '/_alerts/targets/{id}',
    params: ID_PARAM,
    access: 'admin',
    summary: 'Show a target',
    answer: { data: schemas.shown },
    etag: true,
    errors: ['ALERT_NOT_FOUND'],
    handle: ({ params }) => ({ data: shownTarget(alerts, targets.get(params.id ?? '')) }),
  });
}

function addCreation(alerts: Alerts, schemas: TargetSchemas): void {
  const { host, targets } = alerts;
  host.route<TargetInput, unknown>({
    method: 'POST',
    path: '/_alerts/targets',
    access: 'admin',
    summary: 'Create a target: a webhook, mail addresses or a topic of a broker',
    description: 'GET /_alerts/kinds describes the fields of each kind of target.',
    body: schemas.body,
    answer: { message: { type: 'string' }, data: schemas.shown, warning: WARNING },
    optional: ['warning'],
    statuses: [201],
    errors: ['ADDRESS_REFUSED', 'OUTBOUND_FAILED'],
    async handle({ body, caller }) {
      if (targets.list().length >= MOST_TARGETS)
        throw invalid([{ path: '', message: `there are ${MOST_TARGETS} targets, which is the limit: remove some` }]);
      const target = await targets.create(await checked(alerts, body, undefined, caller.signal), body.secret);
      const message = `The target ${target.name} is created.`;
      const answer = { message, data: shownTarget(alerts, target), ...lacking(alerts, target) };
      return json(answer, { status: 201, location: `/_alerts/targets/${target.id}` });
    },
  });
}

function addChange(alerts: Alerts, schemas: TargetSchemas): void {
  const { host, targets } = alerts;
  host.route<TargetInput, unknown>({
    method: 'PUT',
    path: '/_alerts/targets/{id}',
    params: ID_PARAM,
    access: 'admin',
    summary: 'Replace a target; without a secret the present secret stays',
    description: 'The data of a GET may be sent back.',
    body: schemas.change,
    answer: { message: { type: 'string' }, data: schemas.shown, warning: WARNING },
    optional: ['warning'],
    errors: ['ALERT_NOT_FOUND', 'ADDRESS_REFUSED', 'OUTBOUND_FAILED'],
    async handle({ params, body, before, caller }) {
      const present = targets.get(params.id ?? '');
      before(shownTarget(alerts, present));
      const given = settable(body, TARGET_FIXED, present.id);
      const next = await checked(
        alerts,
        given,
        { ...present, hasSecret: targets.hasSecret(present.id) },
        caller.signal,
      );
      const target = await targets.change(present.id, next, given.secret);
      const message = `The target ${target.name} is changed.`;
      return { message, data: shownTarget(alerts, target), ...lacking(alerts, target) };
    },
  });
}

function addRemoval(alerts: Alerts): void {
  const { host, targets, rules, deliveries } = alerts;
  host.route({
    method: 'DELETE',
    path: '/_alerts/targets/{id}',
    params: ID_PARAM,
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
            message: `is named by ${countOf(users.length, 'rule')} (${users[0]?.name}${users.length === 1 ? '' : ' ...'}): remove it there first`,
          },
        ]);
      before(shownTarget(alerts, target));
      deliveries.drop(target.id);
      try {
        await targets.remove(target.id);
      } catch (error) {
        // After a failed removal the queue goes on.
        deliveries.follow(target.id);
        throw error;
      }
      return { message: `The target ${target.name} is removed.` };
    },
  });
}

function addTest({ host, targets, deliveries, messages }: Alerts): void {
  host.route({
    method: 'POST',
    path: '/_alerts/targets/{id}/test',
    params: ID_PARAM,
    access: 'admin',
    summary: 'Send a test to a target and show what happened',
    answer: { message: { type: 'string' }, delivered: { type: 'boolean' } },
    errors: ['ALERT_NOT_FOUND'],
    async handle({ params, caller }) {
      const target = targets.get(params.id ?? '');
      const message = messages.test(target, { detail: 'A test.' });
      const { ok, outcome } = await deliveries.test(target.id, message, caller.signal);
      return { message: outcome, delivered: ok };
    },
  });
}

interface DeliveriesQuery extends PageQuery {
  readonly target?: string;
  readonly state?: DeliveryRow['state'];
}

export function addDeliveryRoutes({ host, tables }: Alerts): void {
  host.route<unknown, DeliveriesQuery>({
    method: 'GET',
    path: '/_alerts/deliveries',
    access: 'admin',
    summary: 'List what was sent and what waits, the newest first',
    query: listQuery({
      target: { ...ID, description: 'the id of a target' },
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
