/** The routes of things that people name, such as permits: list, show, create or replace, remove. */
import { type ErrorCode, GatewayError } from '../errors.ts';
import { settable } from '../http/checks.ts';
import type { Identity, Request, Route, Schema } from '../http/contract.ts';
import { json } from '../http/reply.ts';
import type { Host } from './contract.ts';

type RouteWords = Pick<Route, 'operation' | 'summary' | 'description'>;

/** One kind of named things. */
interface NamedThings<Given extends object> {
  /** `/_permits`; `/_permits/{name}` is one of them. */
  readonly path: string;
  /** Schema of the name in the path. */
  readonly param: Readonly<Record<string, Schema>>;
  /** Word for messages: `permit`. */
  readonly noun: string;
  readonly notFound: ErrorCode;
  readonly schema: Schema;
  /** The body of a PUT. */
  readonly body: Pick<Route, 'body' | 'bodyBytes'>;
  /** Fields that GET shows and PUT cannot change; the name is the first. */
  readonly fixed: readonly string[];
  /** Further errors of a PUT. */
  readonly errors?: readonly ErrorCode[];
  /** For GET: see `Route`. */
  readonly reading?: Pick<Route, 'filtersUnits' | 'etag'>;
  /** All that the caller may see. */
  list(identity: Identity): readonly object[];
  /** Undefined also where the caller may not see it. Default: found in the list. */
  find?(name: string, identity: Identity): object | undefined;
  /** As GET shows it then. Errors: INVALID, STORAGE_FULL, STORAGE_FAILED. */
  put(name: string, given: Given, request: Request<Given>): Promise<object>;
  /** Errors: INVALID, STORAGE_FULL, STORAGE_FAILED. */
  remove(name: string): Promise<unknown>;
  readonly words: {
    readonly list: RouteWords;
    /** Absent: the list is enough. */
    readonly show?: RouteWords;
    readonly put: RouteWords;
    readonly remove: RouteWords;
  };
}

/** Everybody may read them, and admins change them. The audit log gets the value before each change. */
export function addNamedRoutes<Given extends object>(host: Pick<Host, 'route'>, things: NamedThings<Given>): void {
  const { path, param, noun, notFound, schema, fixed, reading, words } = things;
  const [parameter = ''] = Object.keys(param);
  const one = { path: `${path}/{${parameter}}`, params: param };
  const nameIn = ({ params }: Pick<Request, 'params'>): string => params[parameter] ?? '';
  const find = (request: Pick<Request, 'params' | 'identity'>): object | undefined => {
    const name = nameIn(request);
    if (things.find) return things.find(name, request.identity);
    return things.list(request.identity).find((each) => Reflect.get(each, parameter) === name);
  };
  const needed = (request: Pick<Request, 'params' | 'identity'>): object => {
    const found = find(request);
    if (!found) throw new GatewayError(notFound, `There is no ${noun} ${nameIn(request)}.`);
    return found;
  };
  host.route({
    method: 'GET',
    path,
    access: 'viewer',
    ...words.list,
    ...reading,
    answer: { data: { type: 'array', items: schema } },
    errors: [],
    handle: ({ identity }) => ({ data: things.list(identity) }),
  });
  if (words.show)
    host.route({
      ...one,
      method: 'GET',
      access: 'viewer',
      ...words.show,
      ...reading,
      answer: { data: schema },
      errors: [notFound],
      handle: (request) => ({ data: needed(request) }),
    });
  host.route<Given, unknown>({
    ...one,
    method: 'PUT',
    access: 'admin',
    ...words.put,
    ...things.body,
    answer: { message: { type: 'string' }, data: schema },
    statuses: [200, 201],
    errors: [...(things.errors ?? []), 'STORAGE_FULL', 'STORAGE_FAILED'],
    async handle(request) {
      const name = nameIn(request);
      const present = find(request);
      request.before(present ?? null);
      const data = await things.put(name, settable(request.body, fixed, name), request);
      const message = `The ${noun} ${name} is ${present ? 'changed' : 'created'}.`;
      return json({ message, data }, present ? {} : { status: 201, location: `${path}/${name}` });
    },
  });
  host.route({
    ...one,
    method: 'DELETE',
    access: 'admin',
    ...words.remove,
    answer: { message: { type: 'string' } },
    errors: [notFound, 'STORAGE_FULL', 'STORAGE_FAILED'],
    async handle(request) {
      request.before(needed(request));
      await things.remove(nameIn(request));
      return { message: `The ${noun} ${nameIn(request)} is removed.` };
    },
  });
}
