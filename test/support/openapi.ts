/** Holds answers and WebSocket messages against the OpenAPI document of the gateway that gave them. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export interface SeenAnswer {
  readonly method: string;
  /** Path of the request as sent; a query is ignored. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string | null;
  /** Parsed JSON; not looked at where the content is not JSON. */
  readonly body?: unknown;
}

/** Throws an error that names route, status and what differs. Answers of paths that the document lacks must be 404 or 405. */
export type AnswerCheck = (answer: SeenAnswer) => void;

/** Throws an error that names the message when no message of the document for this path fits. */
export type MessageCheck = (path: string, message: unknown) => void;

type Json = Record<string, unknown>;
interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Json>>;
  readonly components: { readonly responses?: Readonly<Record<string, Json>> };
}

/** `base`: the path that the document was read below. */
export const answerCheck = kept(answersAgainst);
export const messageCheck = kept(messagesAgainst);

/** Keeps the checks by the text of their document: worlds have the same one. */
function kept<Check>(make: (document: unknown, base: string) => Check): (document: unknown, base: string) => Check {
  const checks = new Map<string, Check>();
  return (document, base) => {
    const text = JSON.stringify([base, document]);
    const check = checks.get(text) ?? make(document, base);
    checks.set(text, check);
    return check;
  };
}

/** OpenAPI has no word for WebSocket: the messages are in `x-websocket` of the GET. */
function messagesAgainst(document: unknown, base: string): MessageCheck {
  const ajv = schemasOf(document);
  const compile = (pointer: string) => ajv.getSchema(pointer) ?? ajv.compile({ $ref: pointer });
  const streams = routesOf(document as Document, base).flatMap(({ path, item, matches }) => {
    const about = (item.get as { 'x-websocket'?: { messages: object[] } } | undefined)?.['x-websocket'];
    const place = `${pointerTo(path, 'get')}/x-websocket/messages`;
    return about
      ? [{ matches, kinds: about.messages.map((_, index) => compile(`openapi${encodeURI(`${place}/${index}`)}`)) }]
      : [];
  });
  return (path, message) => {
    const [pathname = ''] = path.split('?');
    const stream = streams.find(({ matches }) => matches.test(pathname));
    if (!stream) throw new Error(`WS ${pathname} is no stream of the document`);
    if (stream.kinds.some((validate) => validate(message))) return;
    const why = stream.kinds.map(({ errors }, index) => `${index + 1}: ${ajv.errorsText(errors)}`).join('; ');
    throw new Error(`WS ${pathname}: no message of the document is like ${JSON.stringify(message)} (${why})`);
  };
}

/** The schemas are compiled for the answers. Another test checks the document itself (test/http/openapi.test.ts). */
function schemasOf(document: unknown): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true, meta: false, validateSchema: false });
  addFormats.default(ajv);
  for (const name of ['timezone', 'tag']) ajv.addFormat(name, true);
  ajv.addSchema({ ...(document as Json), $id: 'openapi' });
  return ajv;
}

const routesOf = ({ paths, servers }: Document, base: string) =>
  Object.entries(paths).map(([path, item]) => ({
    path,
    item,
    matches: matcher((item.servers as Document['servers'] | undefined) ?? servers, base, path),
  }));

function answersAgainst(document: unknown, base: string): AnswerCheck {
  const ajv = schemasOf(document);
  const routes = routesOf(document as Document, base);

  return (answer) => {
    const [pathname = ''] = answer.path.split('?');
    // A path without a template comes first (OpenAPI 3.1, 4.8.8.2).
    const found = routes
      .filter((route) => route.matches.test(pathname))
      .toSorted((a, b) => weight(a.path) - weight(b.path));
    const route = found.find((one) => operationOf(one.item, answer.method)) ?? found[0];
    if (!route) return expectOutside(answer, 404, 'openapi#/components/schemas/Problem', ajv);
    const operation = operationOf(route.item, answer.method);
    if (!operation) return expectOutside(answer, 405, 'openapi#/components/schemas/Problem', ajv);
    checkDocumented(answer, route.path, operation, document as Document, ajv);
  };
}

/** The fewer templates the better; of two equal paths, the path that does not begin with a template. */
const weight = (path: string): number => 2 * path.split('{').length + Number(path.startsWith('/{'));

function operationOf(item: Json, method: string): string | undefined {
  const name = method === 'HEAD' ? 'get' : method.toLowerCase();
  return name in item ? name : undefined;
}

/** A server is named by its way from the document. */
function matcher(servers: Document['servers'], base: string, path: string): RegExp {
  const { pathname } = new URL(servers[0]?.url ?? '', new URL(`${base}/openapi.json`, 'http://localhost'));
  const escaped = `${pathname.replace(/\/$/, '')}${path === '/' ? '' : path}`.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll(/\{[^}]+\}/g, '[^/]+')}/?$`);
}

const pointerTo = (path: string, operation: string): string =>
  `#/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}/${operation}`;

function checkDocumented(answer: SeenAnswer, path: string, operation: string, document: Document, ajv: Ajv2020): void {
  const where = `${answer.method} ${answer.path}: ${answer.status}`;
  const item = document.paths[path] as Json;
  const { responses } = item[operation] as { responses: Record<string, { $ref?: string; content?: Json }> };
  const written = responses[answer.status];
  // Equal answers of many operations are in one place.
  const pointer = written?.$ref ?? `${pointerTo(path, operation)}/responses/${answer.status}`;
  const shared = document.components.responses?.[written?.$ref?.split('/').at(-1) ?? ''];
  const response = (written?.$ref ? shared : written) as { content?: Json } | undefined;
  if (!response) throw new Error(`${where} is not in the document`);
  if (answer.method === 'HEAD' || !response.content) return;
  const types = Object.keys(response.content);
  const type = types.find((one) => answer.contentType?.startsWith(one));
  if (!type) throw new Error(`${where} has type ${answer.contentType}, not ${types.join(', ')}`);
  if (type === 'application/json') {
    checkBody(answer, `openapi${encodeURI(`${pointer}/content/application~1json/schema`)}`, ajv);
  }
}

function expectOutside(answer: SeenAnswer, status: number, schema: string, ajv: Ajv2020): void {
  const where = `${answer.method} ${answer.path}: ${answer.status}`;
  if (answer.status !== status) throw new Error(`${where} is no documented operation; ${status} expected`);
  if (answer.method !== 'HEAD') checkBody(answer, schema, ajv);
}

function checkBody(answer: SeenAnswer, ref: string, ajv: Ajv2020): void {
  const validate = ajv.getSchema(ref) ?? ajv.compile({ $ref: ref });
  if (!validate(answer.body)) {
    const where = `${answer.method} ${answer.path}: ${answer.status}`;
    throw new Error(
      `${where} differs from the document: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(answer.body)}`,
    );
  }
}
