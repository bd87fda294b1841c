/**
 * A route of SLMM's API: where it is, who may call it, and what of the gateway answers it. Most ask one route of the gateway
 * and put its answer into another shape, so that roles, checks and behaviour are those of that route.
 */
import type { Access, AskedRoute, Host, Request, Route, Schema, WordError } from '../../lib/index.ts';
import { wordError } from './shapes.ts';

/** The settings of this plugin, with defaults filled in. */
export interface SlmmSettings {
  readonly enabled: boolean;
  readonly base_path: string;
  readonly streams: number;
}

/** A body or a query of SLMM. */
export type SlmmValues = Readonly<Record<string, unknown>>;

/** A route of SLMM, by its path and what it answers. */
export interface SlmmRoute {
  readonly method: Route['method'];
  /** Below the base path of SLMM. */
  readonly path: string;
  /** At the root of the server, not below the base path. */
  readonly atRoot?: true;
  readonly access: Access;
  /** Only names and types, as SLMM checks them; the route that is asked knows the rest. Other properties are ignored. */
  readonly body?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly params?: Readonly<Record<string, Schema>>;
  readonly query?: Readonly<Record<string, Schema>>;
  /** Its answer is a file. */
  readonly file?: true;
  readonly wordError?: WordError;
  /** As of a `Route`. */
  cost?(request: Request<SlmmValues, SlmmValues>): number;
  answer(request: Request<SlmmValues, SlmmValues>, gateway: SlmmGateway): Promise<object> | object;
}

/** What handlers use for their answers. */
export interface SlmmGateway {
  readonly host: Host<SlmmSettings>;
  /** The JSON that a route of the gateway answers to this caller. */
  ask(request: Request<SlmmValues, SlmmValues>, asked: AskedRoute): Promise<SlmmValues>;
}

/** For handlers, of the host of this plugin. */
export const gatewayOf = (host: Host<SlmmSettings>): SlmmGateway => ({
  host,
  async ask(request, asked) {
    const { content } = await host.ask(request, asked);
    return content.kind === 'json' ? (content.data as SlmmValues) : {};
  },
});

/** Registers a route of SLMM with its access, checks and words for errors. */
export function addRoute(gateway: SlmmGateway, route: SlmmRoute): void {
  const { method, path, access, body, required = [], params, query } = route;
  gateway.host.route<SlmmValues, SlmmValues>({
    method,
    path: `${route.atRoot ? '' : gateway.host.settings.base_path}${path}`,
    besideBase: true,
    undocumented: true,
    access,
    // A path without a unit is limited to the units of the caller, because the route that it asks is.
    ...(!path.includes('{unit_id}') && { filtersUnits: true }),
    summary: 'A route of the API of SLMM',
    ...(body && { body: { type: 'object', properties: body, required, additionalProperties: true } }),
    ...(body && required.length === 0 && { bodyMayBeAbsent: true }),
    ...(params && { params }),
    ...(query && { query }),
    answer: route.file ? 'file' : {},
    errors: [],
    wordError: route.wordError ?? wordError,
    ...(route.cost && { cost: route.cost }),
    handle: (request) => route.answer(request, gateway),
  });
}

const IDENTITY = (answer: SlmmValues): object => answer;

/** A route that exists in both APIs under the same path: its answer in SLMM's format. */
export const same = (
  method: SlmmRoute['method'],
  path: string,
  access: Access,
  shape: (answer: SlmmValues) => object = IDENTITY,
  more: Pick<SlmmRoute, 'body' | 'required' | 'query'> = {},
): SlmmRoute => ({
  method,
  path,
  access,
  ...more,
  async answer(request, { ask }) {
    const { query } = request;
    const body = more.body && withoutNulls(request.body, Object.keys(more.body));
    return shape(await ask(request, { method, path, query, ...(body && { body }) }));
  },
});

/** The named properties that have a value: null and absent are the same there. */
export const withoutNulls = (body: SlmmValues, names: readonly string[]): SlmmValues =>
  Object.fromEntries(
    names.flatMap((name) => (body[name] === undefined || body[name] === null ? [] : [[name, body[name]]])),
  );

/** What happened, in words; a warning is part of them. */
export const message = ({ message: text, warning }: SlmmValues): object => ({
  message: [text, warning].filter(Boolean).join(' '),
});
