/** Requests to the gateway, and its answers or refusals. Knows no operation by name, but what an address of live events needs. */
import { GatewayProblem, problemOf, strange } from './error.ts';

/** Which gateway, and with which rights. */
export interface ClientOptions {
  /** `http://127.0.0.1:8100/api/nl43`; an address without a path gets this usual one. */
  readonly baseUrl: string | URL;
  /** In place of the path of `baseUrl`: empty for a gateway whose setting `base_path` is empty. */
  readonly basePath?: string | undefined;
  /** API key; undefined when the gateway needs no key. */
  readonly key?: string | undefined;
  /** Ends every call that has no signal of its own. */
  readonly signal?: AbortSignal | undefined;
}

/** Parameters of a query; those that are undefined are left out. */
export type Query = Readonly<Record<string, string | number | undefined>>;

export interface Call {
  readonly method?: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly query?: Query;
  readonly body?: object;
  /** In place of `body`: a file, with its media type. */
  readonly file?: Blob;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** Of a gateway whose setting `base_path` was not changed. */
const USUAL_PATH = '/api/nl43';
/** As many as one page can have: the default is 100. */
const MOST = 1_000;

/** Every function rejects with a `GatewayProblem`. */
export class Calls {
  readonly #base: string;
  readonly #key: string | undefined;
  protected readonly signal: AbortSignal | undefined;

  constructor({ baseUrl, basePath, key, signal }: ClientOptions) {
    const { origin, pathname } = new URL(baseUrl);
    this.#base = `${origin}${basePath ?? (pathname === '/' ? USUAL_PATH : pathname)}`.replace(/\/$/, '');
    this.#key = key;
    this.signal = signal;
  }

  /** Any call that has no function of its own. `path` is below the base path and begins with a slash. */
  async call<Answer>(path: string, call: Call = {}): Promise<Answer> {
    const response = await this.#fetch(path, call);
    const answer: unknown = await response.json().catch((error: unknown) => {
      if (error instanceof SyntaxError) throw strange(response);
      throw this.#broken(error, call.signal, 'The answer of the gateway broke off');
    });
    return answer as Answer;
  }

  /** The same for files and CSV. */
  async blob(path: string, call: Call = {}): Promise<Blob> {
    return (await this.#fetch(path, call)).blob();
  }

  /**
   * A file, as a stream. `from` is the byte to go on at, and `etag` that of the bytes before: if the file has changed
   * meanwhile, `start` of the answer is 0. A transfer that breaks off ends the stream with an error, never with a short file.
   */
  async open(
    path: string,
    call: Call & { readonly from?: number; readonly etag?: string | undefined } = {},
  ): Promise<Download> {
    const { from = 0, etag, ...rest } = call;
    const range = from > 0 ? { Range: `bytes=${from}-`, ...(etag && { 'If-Range': etag }) } : {};
    // A file is sent as it is: compressed bytes could not be counted, nor gone on with.
    const headers = { Accept: '*/*', 'Accept-Encoding': 'identity', ...range, ...rest.headers };
    return downloadOf(await this.#fetch(path, { ...rest, headers }));
  }

  /** All pages of a list, such as `/_alerts/events`: those that answer `next`. */
  async all<Item>(path: string, query: Query = {}): Promise<readonly Item[]> {
    const all: Item[] = [];
    for (let cursor: string | undefined; ; ) {
      const call = { query: { ...query, limit: MOST, cursor } };
      const { data, next } = await this.call<{ data: readonly Item[]; next: string | null }>(path, call);
      all.push(...data);
      if (next === null) return all;
      cursor = next;
    }
  }

  protected async data<Data>(path: string, call: Call = {}): Promise<Data> {
    return (await this.call<{ data: Data }>(path, call)).data;
  }

  /** A browser cannot send a key with a handshake: it is exchanged for a ticket that works once. */
  protected async liveAddress(tries: number, signal: AbortSignal | undefined): Promise<URL> {
    const url = new URL(`${this.#base}/_live`);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    if (this.#key !== undefined) {
      const { ticket } = await this.call<{ ticket: string }>('/_tickets', { method: 'POST', body: {}, signal });
      url.searchParams.set('ticket', ticket);
    } else if (tries > 0) {
      // A browser does not say why a handshake failed: this call rejects if the gateway needs a key now.
      await this.call('/_about', { signal });
    }
    return url;
  }

  async #fetch(
    path: string,
    { method = 'GET', query = {}, body, file, signal = this.signal, headers: more }: Call,
  ): Promise<Response> {
    const url = new URL(`${this.#base}${path}`);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const headers: Record<string, string> = { Accept: 'application/json' };
    if (this.#key !== undefined) headers.Authorization = `Bearer ${this.#key}`;
    if (body) headers['Content-Type'] = 'application/json';
    if (file) headers['Content-Type'] = file.type;
    Object.assign(headers, more);
    const response = await fetch(url, {
      method,
      headers,
      cache: 'no-store',
      ...(body && { body: JSON.stringify(body) }),
      ...(file && { body: file }),
      ...(signal && { signal }),
    }).catch((error: unknown) => {
      throw this.#broken(error, signal, 'The gateway does not answer');
    });
    if (!response.ok) throw await problemOf(response);
    return response;
  }

  /** The error of a caller when there is no answer; a caller that has ended the call gets its own error. */
  #broken(error: unknown, signal = this.signal, what: string): unknown {
    return signal?.aborted ? error : new GatewayProblem('NO_GATEWAY', `${what}${causeOf(error)}.`);
  }
}

/** Node says why, such as ECONNREFUSED or a certificate that is not trusted; a browser does not. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? ` (${code})` : '';
}

export interface Download {
  /** Bytes of the whole file; undefined where the gateway does not know. */
  readonly size: number | undefined;
  /** The first byte of `bytes`, counted from 0: what was asked for, or 0. */
  readonly start: number;
  /** Changes with the file. */
  readonly etag: string | undefined;
  /** The name that the gateway gives the file. */
  readonly name: string | undefined;
  readonly bytes: ReadableStream<Uint8Array>;
}

function downloadOf(response: Response): Download {
  const { headers, body } = response;
  const [, start, whole] = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get('Content-Range') ?? '') ?? [];
  const length = headers.get('Content-Length');
  const size = whole ?? length;
  return {
    size: size === null || size === undefined ? undefined : Number(size),
    start: Number(start ?? 0),
    etag: headers.get('ETag') ?? undefined,
    name: nameIn(headers.get('Content-Disposition') ?? ''),
    bytes: body ?? new Blob([]).stream(),
  };
}

function nameIn(disposition: string): string | undefined {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  return encoded ? decodeURIComponent(encoded) : /filename="([^"]*)"/.exec(disposition)?.[1];
}
