/** One route asks another with the rights of its caller: same process, same checks of role, units and input, no HTTP. */
import { Readable } from 'node:stream';
import { reaches, suffices } from '../domain/ids.ts';
import { GatewayError } from '../errors.ts';
import type { AskRoute, Identity, Request } from './contract.ts';
import { replyOf } from './reply.ts';
import { type CompiledRoute, hasUnit, type RouteTable } from './routes.ts';

export function createRouteAsker(table: Pick<RouteTable, 'routes'>): AskRoute {
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
    return replyOf(await found.route.handle({ method, path, unitId, upload: Readable.from([]), ...own, ...read }));
  };
}

/** The caller may use the route that asks; the other route may need more rights. */
function checkReach({ route }: CompiledRoute, identity: Identity, unitId: string): void {
  const inReach = hasUnit(route.path) ? reaches(identity, unitId) : route.filtersUnits || identity.units === null;
  if (!suffices(identity.role, route.access) || !inReach)
    throw new GatewayError('FORBIDDEN', 'This API key does not have the needed role, or is not for this unit.');
}
