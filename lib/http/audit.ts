/**
 * Reports requests to the audit log: every request that may change something and was let in, with its outcome. The
 * record is on the disk before the request is answered. Actions of viewers are not recorded: otherwise a key of the lowest
 * role could fill the disk. On routes that are public or for viewers, the handler reports a change and its actor.
 * The earlier value of a setting is the last answer of the gateway about it; no meter is asked only for the log.
 */
import type { AuditWriter } from '../audit/contract.ts';
import type { Role } from '../domain/ids.ts';
import { GatewayError } from '../errors.ts';
import type { Identity, Reply, Route } from './contract.ts';
import type { RouteTable } from './routes.ts';

export interface Known {
  asked?: { readonly params: object; readonly query: object };
  body?: unknown;
  before?: unknown;
  /** On a route that is public or for viewers: who changed something, and with which role. */
  actor?: { readonly who: string; readonly role: Role };
}

export interface Subject {
  readonly route: Route;
  /** The id of the request. */
  readonly request: string;
  readonly identity: Identity;
  readonly unitId: string;
  /** All parameters of the path, the unit among them. */
  readonly inPath: Readonly<Record<string, string>>;
}

type Perform = (known: Known) => Promise<Reply>;
type Audited = (subject: Subject, perform: Perform) => Promise<Reply>;
/** How requests of a route are recorded; undefined: they are not recorded. */
export type AuditOf = (route: Route) => Audited | undefined;

const MOST_REMEMBERED = 10_000;

export function auditFor(log: AuditWriter | undefined, table: Pick<RouteTable, 'routes'>): AuditOf {
  if (!log) return () => undefined;
  const settable = new Set(table.routes.filter(({ route }) => route.method === 'PUT').map(({ route }) => route.path));
  const units = new Set(table.routes.filter(({ route }) => route.createsUnit).map(({ route }) => route.path));
  const memory = new Map<string, unknown>();
  const remember = (subject: Subject, channel: () => unknown, answer: Reply) => {
    const { route, unitId } = subject;
    if (!settable.has(route.path)) return;
    // A unit of this name that comes later may be another meter.
    if (route.method === 'DELETE' && units.has(route.path))
      for (const known of memory.keys()) if (known.startsWith(`${unitId} `)) memory.delete(known);
    const key = keyOf(subject, channel());
    memory.delete(key);
    // The answer to a DELETE or POST has no values of the setting; the values known so far are out of date.
    if (route.method !== 'GET' && route.method !== 'PUT') return;
    memory.set(key, valuesOf(answer));
    const [oldest] = memory.keys();
    if (memory.size > MOST_REMEMBERED && oldest !== undefined) memory.delete(oldest);
  };
  const remembered = async (subject: Subject, perform: Perform) => {
    const answer = await perform({});
    remember(subject, () => channelOf(valuesOf(answer)), answer);
    return answer;
  };
  const recorded = async (subject: Subject, perform: Perform) => {
    const known: Known = {};
    try {
      const answer = await perform(known);
      completed(known, memory, subject);
      remember(subject, () => channelOf(known.body), answer);
      await tell(log, subject, known, { status: answer.status ?? 200, answer: valuesOf(answer) });
      return answer;
    } catch (error) {
      const { status, code, message } = failureOf(error);
      completed(known, memory, subject);
      await tell(log, subject, known, { status, code, answer: message });
      throw error;
    }
  };
  const openly = async (subject: Subject, perform: Perform) => {
    const known: Known = {};
    const answer = await perform(known);
    remember(subject, () => channelOf(known.body), answer);
    if (known.actor) await tell(log, subject, known, { status: answer.status ?? 200, answer: valuesOf(answer) });
    return answer;
  };
  return (route) => {
    if (changes(route)) return recorded;
    if (route.method !== 'GET') return openly;
    return settable.has(route.path) ? remembered : undefined;
  };
}

const changes = ({ method, access }: Route): boolean => method !== 'GET' && access !== 'viewer' && access !== 'public';

/** A handler that reports the value before (or that there was no value) is right. */
function completed(known: Known, memory: ReadonlyMap<string, unknown>, subject: Subject): void {
  if (!('before' in known)) known.before = memory.get(keyOf(subject, channelOf(known.body)));
}

function tell(
  log: AuditWriter,
  { route, request, identity, unitId }: Subject,
  { asked, body, before, actor }: Known,
  outcome: { status: number; code?: string; answer: unknown },
): Promise<void> {
  return log.add({
    request,
    who: actor?.who ?? identity.name,
    keyId: identity.keyId,
    role: actor?.role ?? identity.role,
    address: identity.address,
    method: route.method,
    route: route.path,
    unitId,
    params: asked && named(asked),
    body,
    before,
    status: outcome.status,
    code: outcome.code,
    answer: outcome.answer,
  });
}

/** The log has the unit in a field of its own. */
function named({ params, query }: NonNullable<Known['asked']>): Record<string, unknown> {
  const { unit_id: _, ...rest }: Record<string, unknown> = { ...params, ...query };
  return rest;
}

function failureOf(error: unknown): { status: number; code: string; message: string } {
  if (error instanceof GatewayError) return { status: error.status, code: error.code, message: error.message };
  return { status: 500, code: 'INTERNAL', message: 'An error in the gateway.' };
}

const keyOf = ({ route, unitId, inPath }: Subject, channel: unknown): string =>
  `${unitId} ${route.path} ${JSON.stringify(inPath)} ${channel ?? ''}`;

const channelOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'channel' in value ? value.channel : undefined;

/** Without the message for people; for a file only name and size. */
function valuesOf({ content }: Reply): unknown {
  if (content.kind === 'file') return { file: content.name, size: content.size };
  if (content.kind !== 'json') return {};
  const { message: _, ...values } = content.data as { message?: unknown };
  return values;
}
