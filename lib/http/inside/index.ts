/**
 * Calls of routes from inside the process, with the same checks: of callers that do not use HTTP (key, role, unit, rate,
 * audit log), and of other routes (role, units, input).
 */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { AuditWriter } from '../../audit/contract.ts';
import { reaches, suffices } from '../../domain/ids.ts';
import { GatewayError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { AccessQuestion } from '../arrival.ts';
import { auditFor, type Known } from '../audit.ts';
import type { Identity, Request } from '../contract.ts';
import { replyOf } from '../reply.ts';
import { type CompiledRoute, hasUnit, type RouteTable } from '../routes.ts';
import type { AskRoute, CallRoute } from './contract.ts';

/** The holder of the API key of this name. Errors: UNAUTHENTICATED, FORBIDDEN, TOO_MANY_REQUESTS. */
export type KeyHolders = (
  name: string,
  visit: Pick<AccessQuestion, 'access' | 'scope' | 'unitId' | 'address'>,
) => Identity;

interface Parts {
  readonly table: Pick<RouteTable, 'routes'>;
  readonly holders: KeyHolders;
  readonly audit: AuditWriter;
  /** Longest wait for the meter, ms. */
  readonly deadlineMs: number;
  readonly log: Log;
}

/** For POST routes. */
export function createInsideCalls({ table, holders, audit, deadlineMs, log }: Parts): CallRoute {
  // The answer of such a route is not a setting that a later change could be compared with.
  const auditOf = auditFor(audit, { routes: [] });
  return async ({ path, unitId = '', params = {}, body, upload, key, from, signal }) => {
    const found = table.routes.find(({ route }) => route.method === 'POST' && route.path === path);
    const isOther = (taken: unknown, given: unknown) => (taken === undefined) !== (given === undefined);
    if (!found || isOther(found.route.body, body) || isOther(found.route.upload, upload)) {
      const taking = upload ? 'a file' : body ? 'a body' : 'no body';
      throw new GatewayError('NOT_FOUND', `There is no POST ${path} that takes ${taking}.`);
    }
    const { route, readParams, readQuery, checkBody, scope } = found;
    if (upload && route.upload && upload.length > route.upload.limit)
      throw new GatewayError('BODY_TOO_LARGE', `At most ${route.upload.limit} bytes are taken.`);
    const identity = holders(key, { access: route.access, scope, unitId, address: from });
    const request = randomUUID();
    const perform = async (known: Known) => {
      const checked = structuredClone(body ?? {});
      if (body) checkBody(checked);
      known.body = checked;
      const before = (value: unknown) => {
        known.before = value;
      };
      const input = { params: readParams(params) as Record<string, string>, query: readQuery({}), body: checked };
      const caller = { signal, deadlineMs, who: identity.keyId ?? key };
      const own = {
        upload: Readable.from(upload ? [upload] : []),
        log: log.child({ request, unit_id: unitId }),
        before,
      };
      return replyOf(await route.handle({ method: 'POST', path, unitId, identity, caller, ...input, ...own }));
    };
    const audited = auditOf(route);
    const subject = { route, request, identity, unitId, inPath: params };
    const reply = await (audited ? audited(subject, perform) : perform({}));
    return reply.content.kind === 'json' ? reply.content.data : {};
  };
}

/** The other route sees the path that a caller from outside uses, with the base path. */
export function createRouteAsker(table: Pick<RouteTable, 'routes'>, basePath: string): AskRoute {
  return async (request, asked) => {
    const { method, path, unitId = request.unitId, params = {}, query = {}, body = {} } = asked;
    const found = table.routes.find(({ route }) => route.method === method && route.path === path);
    if (!found) throw new GatewayError('NOT_FOUND', `There is no ${method} ${path} here: its plugin is not loaded.`);
    checkReach(found, request.identity, unitId);
    const input = structuredClone(body);
    found.checkBody(input);
    const read = {
      params: found.readParams(params) as Request['params'],
      query: found.readQuery(query),
      body: input,
    };
    const { identity, caller, log, before } = request;
    const own = { identity, caller, log, before: (value: unknown) => before.call(request, value) };
    const named: Readonly<Record<string, string>> = { unit_id: unitId, ...read.params };
    const filled = basePath + path.replace(/\{(\w+)\}/g, (place, name) => named[name] ?? place);
    return replyOf(
      await found.route.handle({ method, path: filled, unitId, upload: Readable.from([]), ...own, ...read }),
    );
  };
}

/** The caller may use the first route; the other route may need more rights. */
function checkReach({ route }: CompiledRoute, identity: Identity, unitId: string): void {
  const inReach = hasUnit(route.path) ? reaches(identity, unitId) : route.filtersUnits || identity.units === null;
  if (!suffices(identity.role, route.access) || !inReach)
    throw new GatewayError('FORBIDDEN', 'This API key does not have the needed role, or is not for this unit.');
}
