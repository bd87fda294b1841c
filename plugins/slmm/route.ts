/**
 * A route of SLMM's API. Most routes call one route of the gateway and change the shape of its answer, so that roles,
 * checks and behaviour are the same.
 */
import { type AskedRoute, tables, type WordError } from '../../lib/built-in.ts';
import type { Access, GatewayError, Host, Request, Route, Schema } from '../../lib/index.ts';

/** ISO, UTC, without zone, with six digits of fraction or none. */
export function slmmTime(at: number | string | null | undefined): string | null {
  if (at === null || at === undefined) return null;
  const text = new Date(at).toISOString().slice(0, -1);
  return text.endsWith('.000') ? text.slice(0, -4) : `${text}000`;
}

export const slmmLevel = (level: number | null | undefined): string | null =>
  level === null || level === undefined ? null : tables.levelText(level);

/** In SLMM every wrong input is 422, with a list of places. */
const INPUT = ['INVALID', 'MALFORMED_JSON', 'NOT_JSON'];

/** `detail` is a text, and for wrong input a list. The value itself is never repeated: it may be a password. */
const wordError: WordError = (error) =>
  INPUT.includes(error.code) ? { status: 422, body: { detail: placesOf(error) } } : plain(error);

/** For the few cases in which SLMM answers wrong input with 400 and a text: errors of the handler itself. */
export const wordRefusal: WordError = (error) => {
  if (error.code === 'INVALID' && !error.errors) return { status: 400, body: { detail: error.message } };
  return error.code.startsWith('DEVICE_REFUSED') || error.code === 'DEVICE_WRONG_STATE'
    ? { status: 400, body: { detail: error.message } }
    : wordError(error);
};

const plain = ({ status, message }: GatewayError) => ({ status, body: { detail: message } });

function placesOf({ code, message, errors = [{ path: '', message }] }: GatewayError): object[] {
  return errors.map((one) => ({
    type: code === 'MALFORMED_JSON' ? 'json_invalid' : one.message === 'is required' ? 'missing' : 'value_error',
    loc: ['body', ...one.path.split('/').slice(1)],
    msg: one.message,
    input: null,
  }));
}

export interface SlmmSettings {
  readonly enabled: boolean;
  readonly base_path: string;
  readonly streams: number;
}

export type SlmmValues = Readonly<Record<string, unknown>>;
export type SlmmRequest = Request<SlmmValues, SlmmValues>;

export interface SlmmRoute {
  readonly method: Route['method'];
  readonly path: string;
  readonly atRoot?: true;
  readonly access: Access;
  /** Only names and types, as SLMM checks them; the called route checks the rest. Other properties are ignored. */
  readonly body?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly params?: Readonly<Record<string, Schema>>;
  readonly query?: Readonly<Record<string, Schema>>;
  readonly file?: true;
  readonly wordError?: WordError;
  cost?(request: SlmmRequest): number;
  answer(request: SlmmRequest, gateway: SlmmGateway): Promise<object> | object;
}

export interface SlmmGateway {
  readonly host: Host<SlmmSettings>;
  /** The JSON of a route of the gateway, for this caller. */
  ask(request: SlmmRequest, asked: AskedRoute): Promise<SlmmValues>;
}

export const gatewayOf = (host: Host<SlmmSettings>): SlmmGateway => ({
  host,
  async ask(request, asked) {
    const { content } = await host.ask(request, asked);
    return content.kind === 'json' ? (content.data as SlmmValues) : {};
  },
});

export function addRoute(gateway: SlmmGateway, route: SlmmRoute): void {
  const { method, path, access, body, required = [], params, query } = route;
  gateway.host.route<SlmmValues, SlmmValues>({
    method,
    path: `${route.atRoot ? '' : gateway.host.settings.base_path}${path}`,
    besideBase: true,
    undocumented: true,
    access,
    // A path without a unit is limited to the units of the caller by the called route.
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

export const slmmRoute = (
  method: SlmmRoute['method'],
  path: string,
  access: Access,
  more: Omit<SlmmRoute, 'method' | 'path' | 'access' | 'answer'>,
  answer: SlmmRoute['answer'],
): SlmmRoute => ({ method, path, access, ...more, answer });

const IDENTITY = (answer: SlmmValues): object => answer;

/** A route that exists in both APIs under the same path: its answer in SLMM's format. */
export const same = (
  method: SlmmRoute['method'],
  path: string,
  access: Access,
  shape: (answer: SlmmValues) => object = IDENTITY,
  more: Pick<SlmmRoute, 'body' | 'required' | 'query'> = {},
): SlmmRoute => {
  const answer: SlmmRoute['answer'] = async (request, { ask }) => {
    const { query } = request;
    const body = more.body && withoutNulls(request.body, Object.keys(more.body));
    return shape(await ask(request, { method, path, query, ...(body && { body }) }));
  };
  return slmmRoute(method, path, access, more, answer);
};

/** The named properties that have a value: in SLMM, null and absent are the same. */
export const withoutNulls = (body: SlmmValues, names: readonly string[]): SlmmValues =>
  Object.fromEntries(
    names.flatMap((name) => (body[name] === undefined || body[name] === null ? [] : [[name, body[name]]])),
  );

/** The message of the answer, with its warning. */
export const message = ({ message: text, warning }: SlmmValues): object => ({
  message: [text, warning].filter(Boolean).join(' '),
});
