/** Targets: listed, created, changed, removed, tested. Secrets can be set, but are never shown. */
import {
  countOf,
  formProblems,
  type Host,
  type InputError,
  invalid,
  iso,
  json,
  listQuery,
  NEXT,
  type PageQuery,
  pageOf,
  settable,
  type Tables,
  withDefaults,
} from '../../../lib/index.ts';
import type { RuleStore } from '../rules/rule-store.ts';
import { ID_PARAM } from '../schemas.ts';
import type { Deliveries } from './deliveries.ts';
import { DELIVERIES, type DeliveryRow } from './delivery-tables.ts';
import type { AlertSettings } from './mail/smtp.ts';
import type { Messages } from './messages.ts';
import type { Target, TargetBody } from './target.ts';
import type { Present, TargetKind } from './target-kind.ts';
import { DELIVERY, TARGET_FIXED, type TargetSchemas } from './target-schemas.ts';
import type { TargetStore } from './target-store.ts';

/** The body of a request after its schema: each field is of its type, and the common ones have their defaults. */
interface TargetInput extends TargetBody {
  readonly secret?: string;
  readonly [name: string]: unknown;
}

/**
 * Checks that a schema cannot make: which fields of a target belong together. Every message says what to change.
 * Pure. `present`: the target that is to be replaced.
 */
export function targetProblems(given: TargetInput, kinds: readonly TargetKind[], present?: Present): InputError[] {
  const kind = kinds.find(({ name }) => name === given.kind);
  if (!kind) return [];
  return [...formProblems('targets', kind, kinds, given), ...(kind.problems?.(given, present) ?? [])];
}

/** A body that passed all checks, without its secret. */
function targetOf({ secret: _, ...given }: TargetInput, kinds: readonly TargetKind[]): TargetBody {
  return withDefaults(kinds.find(({ name }) => name === given.kind)?.fields ?? [], given);
}

/** The target that a change replaces. */
const asPresent = (target: Target, hasSecret: boolean): Present => ({ ...target, hasSecret });

/** Each target has a queue of its own. */
export const MOST_TARGETS = 200;

interface TargetRouteParts {
  readonly host: Host<AlertSettings>;
  readonly kinds: readonly TargetKind[];
  readonly schemas: TargetSchemas;
  readonly targets: TargetStore;
  readonly rules: RuleStore;
  readonly deliveries: Deliveries;
  readonly messages: Messages;
}

/** The routes below `/_alerts/targets`. */
export function addTargetRoutes(parts: TargetRouteParts): void {
  addReading(parts);
  addCreation(parts);
  addChange(parts);
  addRemoval(parts);
  addTest(parts);
}

/** Errors: INVALID, ADDRESS_REFUSED, OUTBOUND_FAILED. */
async function checked(
  { host, kinds }: TargetRouteParts,
  given: TargetInput,
  present: Present | undefined,
  signal: AbortSignal,
): Promise<TargetBody> {
  const errors = targetProblems(given, kinds, present);
  if (errors.length > 0) throw invalid(errors);
  const body = targetOf(given, kinds);
  const address = kinds.find(({ name }) => name === body.kind)?.addressOf?.(body);
  // If the policy refuses the address now, every message would fail: the caller should know at once.
  if (address !== undefined) await host.outbound.check(address, signal);
  return body;
}

const shown = ({ targets }: TargetRouteParts, { createdAt, changedAt, ...target }: Target) => ({
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
function lacking({ host, kinds }: TargetRouteParts, { kind }: Target): { readonly warning?: string } {
  const warning = kinds.find(({ name }) => name === kind)?.lacks?.(host.settings);
  return warning === undefined ? {} : { warning };
}

function addReading(parts: TargetRouteParts): void {
  const { host, targets, schemas } = parts;
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
      return { data: page.map((target) => shown(parts, target)), next };
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
    handle: ({ params }) => ({ data: shown(parts, targets.get(params.id ?? '')) }),
  });
}

function addCreation(parts: TargetRouteParts): void {
  const { host, targets, schemas } = parts;
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
      const target = await targets.create(await checked(parts, body, undefined, caller.signal), body.secret);
      const message = `The target ${target.name} is created.`;
      const answer = { message, data: shown(parts, target), ...lacking(parts, target) };
      return json(answer, { status: 201, location: `/_alerts/targets/${target.id}` });
    },
  });
}

function addChange(parts: TargetRouteParts): void {
  const { host, targets, schemas } = parts;
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
      before(shown(parts, present));
      const given = settable(body, TARGET_FIXED, present.id);
      const next = await checked(parts, given, asPresent(present, targets.hasSecret(present.id)), caller.signal);
      const target = await targets.change(present.id, next, given.secret);
      const message = `The target ${target.name} is changed.`;
      return { message, data: shown(parts, target), ...lacking(parts, target) };
    },
  });
}

function addRemoval(parts: TargetRouteParts): void {
  const { host, targets, rules, deliveries } = parts;
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
      before(shown(parts, target));
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

function addTest({ host, targets, deliveries, messages }: TargetRouteParts): void {
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

/** Lists sent and waiting messages. `GET /_alerts/deliveries`. */
export function addDeliveryRoutes(host: Host, tables: Tables): void {
  host.route<unknown, DeliveriesQuery>({
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
