/** Routes as a plugin defines them. Router, checks, OpenAPI document and access table are made from one definition. */
import type { Readable } from 'node:stream';
import type { Arrival } from '../access/contract.ts';
import type { Access, Role } from '../domain/ids.ts';
import type { ErrorCode, ErrorPage, WordError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Caller } from '../meter/contract.ts';

/** A JSON Schema (2020-12), as data. */
export type Schema = Readonly<Record<string, unknown>>;

export type { Access };

/** The caller of an admitted request. */
export interface Identity {
  /** Name of the API key, for people; `anybody` if no key is needed. */
  readonly name: string;
  /** Id of the API key; null if no key was needed, and for a person who signed in. */
  readonly keyId: string | null;
  /**
   * Person who signed in, with the session, in one word: `person 1a2b3c4d`. Absent for a key. A proxy signs in without
   * a session.
   */
  readonly owner?: string;
  readonly session?: string;
  readonly role: Role;
  /** The units that the caller may use; null: all units. */
  readonly units: readonly string[] | null;
  /** The tags by which `units` are chosen; `units` then follows the tags of the configs. Null or absent: not by tag. */
  readonly tags?: readonly string[] | null;
  /** Address of the caller: the peer, or the address that a trusted proxy reports. */
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
  /** Accepted media types. */
  readonly contentType: string | readonly string[];
  /** Largest size, bytes. */
  readonly limit: number;
}

/** A request as a handler gets it: let in, checked, with defaults filled in. */
export interface Request<Body = unknown, Query = unknown> {
  /** `HEAD` wants the headers of the answer only. */
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /**
   * Path of the request with the base path and without the query. When another route asks, the base path is missing.
   */
  readonly path: string;
  /** The `{unit_id}` of the path, well formed; empty on a path without one. */
  readonly unitId: string;
  readonly params: PathParameters;
  /** Checked against the route's schema, defaults filled in. Parameters that the route does not know are left out. */
  readonly query: Query;
  readonly body: Body;
  /**
   * The bytes of a route with `upload`, as they arrive. Reading them throws BODY_TOO_LARGE, or when the caller
   * disconnects. Empty elsewhere.
   */
  readonly upload: AsyncIterable<Buffer>;
  readonly identity: Identity;
  readonly arrival?: Arrival;
  /** Caller on whose behalf the meter works; pass it on to `meter.perform`. */
  readonly caller: Caller;
  /**
   * The caller sent `If-None-Match: *`: a route that creates something must then not change an existing thing (412).
   */
  readonly onlyNew?: boolean;
  /** The header `Accept-Language`, as it was sent. */
  readonly language?: string | undefined;
  /** Reports the value before this request to the audit log, if the handler knows the value. The log masks secrets. */
  before(value: unknown): void;
  /**
   * Reports to the audit log who changed something, and the role of the rights used. For routes that are public or for
   * viewers, other than GET.
   */
  recordAs?(who: string, role: Role): void;
  readonly log: Log;
}

/** First and last byte, both included, counted from 0. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Bytes for a download: passed through as they arrive, broken off when the stream breaks, never compressed. */
export interface FileContent {
  readonly kind: 'file';
  /** File name for the browser. A name that comes from a device is made harmless. */
  readonly name: string;
  /** Size of the whole file, bytes; undefined if it is unknown. */
  readonly size: number | undefined;
  /**
   * The bytes, or a function that opens them; with a size it receives `Range` and returns only these bytes. It is not
   * called for `HEAD` and 304.
   */
  readonly bytes: Readable | ((range?: ByteRange) => Readable | Promise<Readable>);
  /** Called with each chunk after the network has taken it: the chunk is then free. */
  readonly release?: ((chunk: Uint8Array) => void) | undefined;
  /** Default `application/octet-stream`. */
  readonly contentType?: string | undefined;
  /** When the file was last changed, ms UTC. */
  readonly modifiedAt?: number | undefined;
}

/** Text or bytes of a known media type, but of unknown length, such as CSV or ZIP. */
export interface StreamContent {
  readonly kind: 'stream';
  readonly contentType: string;
  /**
   * Pieces of text that are made during sending. When the caller disconnects, the iteration ends and no more text is
   * made.
   */
  readonly stream: Readable | AsyncIterable<string>;
  /** File name of a download; absent: not a download. */
  readonly name?: string | undefined;
}

/** Text that is complete in memory. */
export interface TextContent {
  readonly kind: 'text';
  readonly text: string;
  readonly contentType: string;
}

/** `{"status": "ok", ...data}`. */
interface JsonContent {
  readonly kind: 'json';
  readonly data: object;
}

/** The body of an answer, by its kind. */
export type Content = JsonContent | TextContent | FileContent | StreamContent;

/** Status and headers of an answer. */
export interface ReplyOptions {
  /** Default 200. The route has to name it in `statuses`. 303 needs a `Location` among the headers. */
  readonly status?: 200 | 201 | 202 | 303 | undefined;
  /** Path of the new thing, below the base path, such as `/_jobs/12`. */
  readonly location?: string | undefined;
  /** A text that changes whenever the content does, without quotes. The caller may then ask with `If-None-Match`. */
  readonly etag?: string | undefined;
  /** In addition to the headers of every answer, or in place of one of them. */
  readonly headers?: Readonly<Record<string, string | string[]>> | undefined;
}

/** An answer that is more than an object with status 200; `json`, `text`, `file` and `stream` of lib/index.ts make it. */
export interface Reply extends ReplyOptions {
  readonly content: Content;
}

/** A route with all facts about it. Router, checks, OpenAPI document and access table are made from it. */
export interface Route<Body = unknown, Query = unknown> {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Below the base path, `/{unit_id}/clock` or `/_jobs/{id}`; `/` is the base path itself. A GET answers HEAD, too. */
  readonly path: string;
  /** Beside the base path and not below it: for programs that expect a fixed path. */
  readonly besideBase?: true;
  readonly access: Access;
  /**
   * Name of the operation for programs, `startMeasurement`. Default: from the words of the path, see docs/plugins.md.
   */
  readonly operation?: string;
  readonly summary: string;
  readonly description?: string;
  /**
   * Schema of each path parameter other than `{unit_id}`; each parameter needs a schema. For a value that does not
   * match, the answer is the first `..._NOT_FOUND` of `errors`, else `NOT_FOUND`. A PUT without such an error answers
   * 422.
   */
  readonly params?: Readonly<Record<string, Schema>>;
  /** Schema of each query parameter. Other parameters are ignored. */
  readonly query?: Readonly<Record<string, Schema>>;
  /**
   * Schema of the JSON body; properties that the schema does not name are refused. A route without a schema takes no
   * body but `{}`.
   */
  readonly body?: Schema;
  /** With `body`: size of its largest body in bytes, if that may exceed the setting `body_limit`. */
  readonly bodyBytes?: number;
  /** With `body`: a request without a body is the same as `{}`. */
  readonly bodyMayBeAbsent?: true;
  /** The body is a file of this type and not JSON. */
  readonly upload?: Upload;
  /** Properties of a JSON answer in addition to `status`, `file` for bytes, `text` for text. */
  readonly answer: Readonly<Record<string, Schema>> | 'file' | 'text';
  /**
   * Media types of answers other than JSON. Default `application/octet-stream` for a file, `text/plain` for text.
   * Beside a JSON `answer`: the types that a caller can choose in its place.
   */
  readonly contentTypes?: readonly string[];
  /** Statuses of a success. Default: only 200. */
  readonly statuses?: readonly (200 | 201 | 202 | 303)[];
  /** Names in `answer` that may be absent. */
  readonly optional?: readonly string[];
  /** The answer can have an ETag, so that 304 is possible. A file without an ETag can still be asked for in ranges. */
  readonly etag?: true;
  /** Errors of this route in addition to the errors of every route. */
  readonly errors: readonly ErrorCode[];
  /** A malformed unit_id is 422 here, because the path would create the unit. Elsewhere it is 404. */
  readonly createsUnit?: true;
  /**
   * For a path without a unit: it shows and changes only the units of `request.identity`. Without this property such a
   * path is closed to callers that are limited to some units.
   */
  readonly filtersUnits?: true;
  /**
   * Not in the OpenAPI document: the route repeats the API of another program, and `wordError` words its errors like
   * that program.
   */
  readonly undocumented?: true;
  readonly wordError?: WordError;
  /** How an error of such a route looks in a browser that asks for a page. */
  readonly errorPage?: ErrorPage;
  /**
   * Cost of the answer to this request, in days of one meter that it reads. Costly answers take turns, so that no
   * caller can use up memory and time. Above a limit of waiting requests they are refused with BUSY. Absent or 0: the
   * answer is cheap.
   */
  cost?(request: Request<Body, Query>): number;
  /**
   * Returns a `Reply`, or the JSON answer without `status: "ok"`, which the host adds. A JSON answer that is deeply
   * frozen becomes text only once, however often it is returned.
   */
  handle(request: Request<Body, Query>): Promise<object> | object;
}

/** One admitted WebSocket client. Text messages only. */
export interface Client<Message = unknown> {
  /**
   * Queues a JSON message; returns at once. Does nothing after the client has disconnected. A string is sent as it is,
   * as JSON.
   */
  send(message: object | string): void;
  /** Bytes that the network has not taken yet. */
  readonly buffered: number;
  /**
   * Messages of the client that match `accepts` of the route. The answer to any other message is an error (`detail`,
   * `code`, `errors`), and the connection stays open. A route without `accepts` drops all messages.
   */
  onMessage(listener: (message: Message) => void): void;
  close(code: 1000 | 1001 | 1008 | 1011 | 1013, reason: string): void;
  /** Aborts when the client has disconnected, for any reason. */
  readonly gone: AbortSignal;
}

/** A WebSocket, as a route. */
export interface SocketRoute<Message = unknown, Query = unknown> {
  readonly path: string;
  /** As in `Route`. */
  readonly besideBase?: true;
  /** As in `Route`. */
  readonly undocumented?: true;
  readonly access: Access;
  /** As in `Route`. Default: `watchLive` for `/{unit_id}/live`. */
  readonly operation?: string;
  readonly summary: string;
  readonly description?: string;
  /** As in `Route`. */
  readonly params?: Readonly<Record<string, Schema>>;
  readonly query?: Readonly<Record<string, Schema>>;
  /** Schemas of the messages that the gateway sends. */
  readonly messages: readonly Schema[];
  /** Schema of messages of the client. Their size and rate are limited for all routes. */
  readonly accepts?: Schema;
  readonly errors: readonly ErrorCode[];
  /** As in `Route`. */
  readonly filtersUnits?: true;
  /** Throws a GatewayError to refuse before the upgrade; the client then gets the HTTP answer of a GET. */
  admit(request: Request<unknown, Query>): void | Promise<void>;
  /** `request.caller.signal` and `client.gone` end together. A throw closes the client with 1011. */
  open(client: Client<Message>, request: Request<unknown, Query>): void;
}

/** A folder of files for browsers, such as a web page with its scripts. */
export interface Assets {
  /** Below the server root, not below the base path: `/`, `/docs`. `index.html` is the answer for a folder. */
  readonly path: string;
  /** Read when the gateway starts: files that are added later are not served. */
  readonly folder: string | URL;
  /** Content-Security-Policy of these files; the policy of the API would allow no script. */
  readonly csp: string;
  /**
   * Addresses within the page for which the answer is also `index.html`: `/m/{unit_id}`. The page of `/` is also the
   * answer, with 404, to a browser at an unknown address.
   * In every `index.html`, `{{root}}` becomes the relative path from the address to the root of the server. So a page
   * works behind a proxy with a path prefix. `{{api}}` becomes the base path without its first slash.
   */
  readonly pages?: readonly string[];
}
