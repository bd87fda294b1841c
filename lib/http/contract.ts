/** Routes as a plugin defines them: one definition gives the router, the checks, the OpenAPI document and the table of who may call what. */
import type { Readable } from 'node:stream';
import type { Arrival } from '../access/contract.ts';
import type { Access, Role } from '../domain/ids.ts';
import type { ErrorCode, ErrorPage, WordError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Caller } from '../meter/contract.ts';

/** A JSON Schema (2020-12), as data. */
export type Schema = Readonly<Record<string, unknown>>;

export type { Access };

/** Who called, once let in. */
export interface Identity {
  /** Of the API key, for people; `anybody` where no key is needed. */
  readonly name: string;
  /** Of the API key; null where none was needed, and for a person who signed in. */
  readonly keyId: string | null;
  /** Of somebody who signed in, in one word: `person 1a2b3c4d`; and of the session. Absent for a key; a proxy signs in without a session. */
  readonly owner?: string;
  readonly session?: string;
  readonly role: Role;
  /** The units that the caller is limited to; null: all of them. */
  readonly units: readonly string[] | null;
  /** Where the call came from: the peer, or what a trusted proxy said of it. */
  readonly address: string;
  /** False once the key was revoked or has expired, or the session has ended. */
  stillValid(): boolean;
  /** Aborts when the session ends before its time: its WebSockets are closed at once. */
  readonly ended?: AbortSignal;
}

/** Path parameters other than `{unit_id}`, by name: text, decoded, checked against the route's `params`. */
export type PathParameters = Readonly<Record<string, string>>;

/** A file as the body of a request. */
export interface Upload {
  /** One of these media types. */
  readonly contentType: string | readonly string[];
  /** Most bytes. */
  readonly limit: number;
}

/** A request as a handler gets it: let in, checked, with defaults filled in. */
export interface Request<Body = unknown, Query = unknown> {
  /** `HEAD` wants the headers of the answer only. */
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** As it was asked for, with the base path and without the query; without the base path where another route asks. */
  readonly path: string;
  /** The `{unit_id}` of the path, well formed; empty on a path without one. */
  readonly unitId: string;
  readonly params: PathParameters;
  /** Checked against the route's schema, defaults filled in. Parameters that the route does not know are left out. */
  readonly query: Query;
  readonly body: Body;
  /** The bytes of a route with `upload`, as they come. Reading it throws BODY_TOO_LARGE, or when the caller goes. Empty elsewhere. */
  readonly upload: AsyncIterable<Buffer>;
  readonly identity: Identity;
  readonly arrival?: Arrival;
  /** Whom the meter works for; pass it on to `meter.perform`. */
  readonly caller: Caller;
  /** The caller sent `If-None-Match: *`: of a route that creates something, what is there already must not be changed (412). */
  readonly onlyNew?: boolean;
  /** The header `Accept-Language`, as it was sent. */
  readonly language?: string | undefined;
  /** Tells the audit log the value before this request, if the handler knows it. Secrets are masked there. */
  before(value: unknown): void;
  /** On a route that is public or of viewers, and no GET: tells the audit log who changed something, and with the rights of which role. */
  recordAs?(who: string, role: Role): void;
  readonly log: Log;
}

/** First and last byte, both included, counted from 0. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Bytes for a download: passed through as they come, broken off when the stream breaks, never compressed. */
export interface FileContent {
  readonly kind: 'file';
  /** For the dialog of a browser. It may come from a device: it is made harmless. */
  readonly name: string;
  /** Bytes of the whole file; undefined where it is not known. */
  readonly size: number | undefined;
  /** The bytes, or a function that opens them; with a size it takes `Range` and gives only these bytes. It is not called for `HEAD` and for 304. */
  readonly bytes: Readable | ((range?: ByteRange) => Readable | Promise<Readable>);
  /** Called with each chunk when the network has it: nobody reads it any more. */
  readonly release?: ((chunk: Uint8Array) => void) | undefined;
  /** Default `application/octet-stream`. */
  readonly contentType?: string | undefined;
  /** When the file was last changed, ms UTC. */
  readonly modifiedAt?: number | undefined;
}

/** Text or bytes of a known media type whose length is not known before the end, such as CSV or ZIP. */
export interface StreamContent {
  readonly kind: 'stream';
  readonly contentType: string;
  /** Pieces of text that are made while they are sent: leaving the iteration, because the caller has gone, ends their making. */
  readonly stream: Readable | AsyncIterable<string>;
  /** Makes it a download of this name. */
  readonly name?: string | undefined;
}

/** Text that is at hand as a whole. */
export interface TextContent {
  readonly kind: 'text';
  readonly text: string;
  readonly contentType: string;
}

/** `{"status": "ok", ...data}`. */
export interface JsonContent {
  readonly kind: 'json';
  readonly data: object;
}

/** The body of an answer, by its kind. */
export type Content = JsonContent | TextContent | FileContent | StreamContent;

/** Status and headers of an answer. */
export interface ReplyOptions {
  /** Default 200. The route has to name it in `statuses`. 303 needs a `Location` among the headers. */
  readonly status?: 200 | 201 | 202 | 303 | undefined;
  /** Where the new thing is: a path below the base path, such as `/_jobs/12`. */
  readonly location?: string | undefined;
  /** A text that changes whenever the content does, without quotes. The caller may then ask with `If-None-Match`. */
  readonly etag?: string | undefined;
  /** Beside those that every answer carries, or in place of one of them. */
  readonly headers?: Readonly<Record<string, string | string[]>> | undefined;
}

/** An answer that is more than an object with status 200; `json`, `text`, `file` and `stream` of lib/index.ts make it. */
export interface Reply extends ReplyOptions {
  readonly content: Content;
}

/** A route with everything that is known of it. Router, checks, OpenAPI document and access table are made of it. */
export interface Route<Body = unknown, Query = unknown> {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Below the base path, `/{unit_id}/clock` or `/_jobs/{id}`; `/` is the base path itself. A GET answers HEAD, too. */
  readonly path: string;
  /** Beside the base path and not below it: for programs that look in a fixed place. */
  readonly besideBase?: true;
  readonly access: Access;
  /** What programs call it, `startMeasurement`. Default: from the words of the path, see docs/plugins.md. */
  readonly operation?: string;
  readonly summary: string;
  readonly description?: string;
  /**
   * Schema of each path parameter other than `{unit_id}`; each needs one. What does not fit is the first
   * `..._NOT_FOUND` of `errors`, else `NOT_FOUND`; without such an error of its own a PUT answers 422.
   */
  readonly params?: Readonly<Record<string, Schema>>;
  /** Schema of each query parameter. One that is not named here is ignored. */
  readonly query?: Readonly<Record<string, Schema>>;
  /** Schema of the JSON body; properties that it does not name are refused. A route without one takes no body but `{}`. */
  readonly body?: Schema;
  /** With `body`: bytes that its largest body needs, where they may be more than the setting `body_limit`. */
  readonly bodyBytes?: number;
  /** With `body`: a request without one is the same as `{}`. */
  readonly bodyMayBeAbsent?: true;
  /** The body is a file of this type and no JSON. */
  readonly upload?: Upload;
  /** Properties of a JSON answer in addition to `status`, `file` for bytes, `text` for text. */
  readonly answer: Readonly<Record<string, Schema>> | 'file' | 'text';
  /**
   * Media types of answers that are no JSON. Default `application/octet-stream` for a file, `text/plain` for text; beside
   * a JSON `answer` those that can be had in its place.
   */
  readonly contentTypes?: readonly string[];
  /** Of a success. Default: only 200. */
  readonly statuses?: readonly (200 | 201 | 202 | 303)[];
  /** Names in `answer` that may be absent. */
  readonly optional?: readonly string[];
  /** The answer can carry an ETag, so that 304 may come. A file without one can still be asked for in ranges. */
  readonly etag?: true;
  /** What this route can answer in addition to the errors that every route has. */
  readonly errors: readonly ErrorCode[];
  /** A malformed unit_id is 422 here: the path would create it. Elsewhere it is 404. */
  readonly createsUnit?: true;
  /**
   * For a path without a unit: it shows and changes only the units of `request.identity`. Without this
   * property such a path is closed to callers who are limited to some units.
   */
  readonly filtersUnits?: true;
  /** Stays out of the OpenAPI document: a route that repeats the API of another program, whose errors `wordError` words as that one does. */
  readonly undocumented?: true;
  readonly wordError?: WordError;
  /** How an error of such a route looks to a browser that asks for a page. */
  readonly errorPage?: ErrorPage;
  /**
   * What the answer to this request costs, in days of one meter that it looks at. Such answers take turns, so that no caller can
   * use up memory and time; beyond a queue they are refused with BUSY. Absent or 0: the answer is cheap.
   */
  cost?(request: Request<Body, Query>): number;
  /**
   * Returns a `Reply`, or the JSON answer without `status: "ok"`, which the host adds. A JSON answer that is frozen, and does not change
   * within either, is put into text only once, however often it is returned.
   */
  handle(request: Request<Body, Query>): Promise<object> | object;
}

/** One WebSocket client, already admitted. Text messages only. */
export interface Client<Message = unknown> {
  /** Queues a JSON message; returns at once. Does nothing after the client has gone. A string is JSON already. */
  send(message: object | string): void;
  /** Bytes that the network has not taken yet. */
  readonly buffered: number;
  /**
   * Messages of the client that fit `accepts` of the route. One that does not is answered with an error (`detail`,
   * `code`, `errors`), and the connection stays. On a route without `accepts` what the client sends is dropped.
   */
  onMessage(listener: (message: Message) => void): void;
  close(code: 1000 | 1001 | 1008 | 1011 | 1013, reason: string): void;
  /** Aborts when the client has gone, for whatever reason. */
  readonly gone: AbortSignal;
}

/** A WebSocket, as a route. */
export interface SocketRoute<Message = unknown, Query = unknown> {
  readonly path: string;
  /** As of a `Route`. */
  readonly besideBase?: true;
  /** As of a `Route`. */
  readonly undocumented?: true;
  readonly access: Access;
  /** As of a `Route`. Default: `watchLive` for `/{unit_id}/live`. */
  readonly operation?: string;
  readonly summary: string;
  readonly description?: string;
  /** As of a `Route`. */
  readonly params?: Readonly<Record<string, Schema>>;
  readonly query?: Readonly<Record<string, Schema>>;
  /** Schemas of the messages that the gateway sends. */
  readonly messages: readonly Schema[];
  /** Schema of what a client may send. Its size and rate are bounded for all routes alike. */
  readonly accepts?: Schema;
  readonly errors: readonly ErrorCode[];
  /** As of a `Route`. */
  readonly filtersUnits?: true;
  /** Throws a GatewayError to refuse before the upgrade; the client then gets the HTTP answer a GET would get. */
  admit(request: Request<unknown, Query>): void | Promise<void>;
  /** `request.caller.signal` and `client.gone` end together. A throw closes the client with 1011. */
  open(client: Client<Message>, request: Request<unknown, Query>): void;
}

/** A folder of files for browsers, such as a web page with its scripts. */
export interface Assets {
  /** Below the server root, not below the base path: `/`, `/docs`. `index.html` answers for a folder. */
  readonly path: string;
  /** Read when the gateway starts: what is added later is not served. */
  readonly folder: string | URL;
  /** Content-Security-Policy of these files; that of the API would let nothing run. */
  readonly csp: string;
  /**
   * Addresses within the page, which `index.html` answers too: `/m/{unit_id}`. The one of `/` also answers, with 404, a browser at an address where nothing is. In every `index.html`, `{{root}}` becomes the
   * relative way from the address to the root of the server, so that a page works behind a proxy with a path prefix as well,
   * and `{{api}}` the base path without its first slash.
   */
  readonly pages?: readonly string[];
}
