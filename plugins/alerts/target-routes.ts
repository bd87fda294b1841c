/** Targets and what was delivered to them. Secrets go in and never out. */
import { type Host, type InputError, invalid, iso, isTimeZone, json, messageOf, type Tables } from '../../lib/index.ts';
import type { Deliveries } from './deliveries.ts';
import { DELIVERIES, type DeliveryRow } from './delivery-tables.ts';
import type { Outbox } from './outbox.ts';
import type { RuleBook } from './rule-book.ts';
import { NEXT, PAGE, PARAMS, type PageQuery } from './schemas.ts';
import type { Target, TargetBody } from './target.ts';
import type { TargetBook } from './target-book.ts';
import { DELIVERY, TARGET, TARGET_BODY } from './target-schemas.ts';

/** Each has a queue of its own. */
const MOST_TARGETS = 200;

type Asked = Readonly<Record<string, unknown>> & { readonly secret?: string };

export interface TargetRouteParts {
  readonly host: Host;
  readonly tables: Tables;
  readonly targets: TargetBook;
  readonly rules: RuleBook;
  readonly deliveries: Deliveries;
  readonly outbox: Outbox;
}

export function targetPages({ host, tables, targets, rules, deliveries, outbox }: TargetRouteParts): void {
  const checked = async ({ secret, ...asked }: Asked, hasSecret: boolean, signal: AbortSignal) => {
    const errors = problemsOf(asked, secret !== undefined, hasSecret);
    if (errors.length > 0) throw invalid(errors);
    // An address that is refused now would fail each time: better to say so at once.
    if (asked.kind === 'webhook') await host.outbound.check(String(asked.url), signal);
    return asked as unknown as TargetBody;
  };

  host.route({
    method: 'GET',
    path: '/_alerts/targets',
    access: 'admin',
    summary: 'List where alerts are sent to',
    answer: { data: { type: 'array', items: TARGET }, next: NEXT },
    errors: [],
    handle: () => ({ data: targets.list().map(shownTarget), next: null }),
  });

  host.route<Asked, unknown>({
    method: 'POST',
    path: '/_alerts/targets',
    access: 'admin',
    summary: 'Create a target: a webhook or mail addresses',
    body: TARGET_BODY,
    answer: { message: { type: 'string' }, data: TARGET },
    statuses: [201],
    errors: ['ADDRESS_REFUSED', 'OUTBOUND_FAILED'],
    async handle({ body, caller }) {
      if (targets.list().length >= MOST_TARGETS)
        throw invalid([{ path: '', message: `there are ${MOST_TARGETS} targets, no more are taken: remove some` }]);
      const target = await targets.create(await checked(body, false, caller.signal), body.secret);
      deliveries.follow(target.id);
      const answer = { message: `The target ${target.name} is created.`, data: shownTarget(target) };
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
    errors: ['ALERT_NOT_FOUND'],
    handle: ({ params }) => ({ data: shownTarget(targets.get(params.id ?? '')) }),
  });

  host.route<Asked, unknown>({
    method: 'PUT',
    path: '/_alerts/targets/{id}',
    params: PARAMS,
    access: 'admin',
    summary: 'Replace a target; without a secret the present one stays',
    body: TARGET_BODY,
    answer: { message: { type: 'string' }, data: TARGET },
    errors: ['ALERT_NOT_FOUND', 'ADDRESS_REFUSED', 'OUTBOUND_FAILED'],
    async handle({ params, body, before, caller }) {
      const present = targets.get(params.id ?? '');
      before(shownTarget(present));
      const next = await checked(body, present.kind === 'webhook', caller.signal);
      const target = await targets.change(present.id, next, body.secret);
      deliveries.follow(target.id);
      return { message: `The target ${target.name} is changed.`, data: shownTarget(target) };
    },
  });

  host.route({
    method: 'DELETE',
    path: '/_alerts/targets/{id}',
    params: PARAMS,
    access: 'admin',
    summary: 'Remove a target, with what waits for it',
    answer: { message: { type: 'string' } },
    errors: ['ALERT_NOT_FOUND'],
    async handle({ params, before }) {
      const target = targets.get(params.id ?? '');
      const users = rules.list().filter((rule) => [...rule.targets, ...(rule.escalate_to ?? [])].includes(target.id));
      if (users.length > 0)
        throw invalid([
          {
            path: '/id',
            message: `is named by ${users.length} rules (${users[0]?.name} ...): take it out of them first`,
          },
        ]);
      before(shownTarget(target));
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
    summary: 'Send a test to a target and tell what happened',
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
    summary: 'List what was sent and what waits, the youngest first',
    query: {
      target: { type: 'string', pattern: '^[1-9][0-9]{0,14}$', description: 'the id of a target' },
      state: { type: 'string', enum: ['waiting', 'done', 'failed'] },
      ...PAGE,
    },
    answer: { data: { type: 'array', items: DELIVERY }, next: NEXT },
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
      const page = found.slice(0, limit);
      return { data: page.map(shownDelivery), next: found.length > limit ? String(page.at(-1)?.id) : null };
    },
  });
}

function problemsOf({ kind, url, to, zone }: Asked, givesSecret: boolean, hasSecret: boolean): InputError[] {
  const [needed, foreign] = kind === 'webhook' ? ['url', 'to'] : ['to', 'url'];
  const given: Readonly<Record<string, unknown>> = { url, to };
  const errors: InputError[] = [];
  if (given[needed] === undefined) errors.push({ path: `/${needed}`, message: `is needed for the kind ${kind}` });
  if (given[foreign] !== undefined)
    errors.push({ path: `/${foreign}`, message: `is not for the kind ${kind}: leave it out` });
  if (kind === 'webhook' && !givesSecret && !hasSecret)
    errors.push({
      path: '/secret',
      message: 'is needed: whsec_ and the base64 of 24 random bytes, the same at the receiver',
    });
  if (kind === 'mail' && givesSecret)
    errors.push({ path: '/secret', message: 'is not for the kind mail: leave it out' });
  if (zone !== undefined && !isTimeZone(String(zone)))
    errors.push({ path: '/zone', message: 'is no time zone; give an IANA name such as Europe/Berlin' });
  return errors;
}

const shownTarget = ({ createdAt, changedAt, ...target }: Target) => ({
  ...target,
  secret_set: target.kind === 'webhook',
  created_at: iso(createdAt),
  changed_at: iso(changedAt),
});

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
