/** Routes as a plugin defines them: one definition gives the router, the checks, the OpenAPI document and the table of who may call what. */
import type { Readable } from 'node:stream';
import type { ErrorCode } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Caller } from '../meter/contract.ts';

/** A JSON Schema (2020-12), as data. */
export type Schema = Readonly<Record<string, unknown>>;

/** Who may call: everybody; who may read; who may control meters and change their settings; who may change configs. */
export type Access = 'public' | 'viewer' | 'operator' | 'admin';

/** Who called, once let in. */
export interface Identity {
  /** Of the API key, for people; `anybody` where no key is needed. */
  readonly name: string;
  /** Of the API key; null where none was needed. */
  readonly keyId: string | null;
  readonly role: Exclude<Access, 'public'>;
  /** The units that the caller is limited to; null: all of them. */
  readonly units: readonly string[] | null;
  /** Where the call came from: the peer, or what a trusted proxy said of it. */
  readonly address: string;
  /** False once the key was revoked or has expired. */
  stillValid(): boolean;
}

export interface Request<Body = unknown, Query = unknown> {
  /** The `{unit_id}` of the path, well formed; empty on a path without one. */
  readonly unitId: string;
  /** Checked against the route's schema, defaults filled in. */
  readonly query: Query;
  readonly body: Body;
  readonly identity: Identity;
  /** Whom the meter works for; pass it on to `meter.run`. */
  readonly caller: Caller;
  /** Tells the audit log what was there before this request, where the handler knows it. Secrets are masked there. */
  before(value: unknown): void;
  readonly log: Log;
}

/** A body that is not JSON: passed through as it comes, broken off when the stream breaks. */
export interface FileAnswer {
  readonly file: { readonly name: string; readonly size: number | undefined; readonly stream: Readable };
}

/** A text for other programs than people's, with its media type. */
export interface TextAnswer {
  readonly text: string;
  readonly contentType: string;
}

export interface Route<Body = unknown, Query = unknown> {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Below the base path, `/{unit_id}/clock`; `/` is the base path itself. */
  readonly path: string;
  /** Beside the base path and not below it: for programs that look in a fixed place. */
  readonly besideBase?: true;
  readonly access: Access;
  readonly summary: string;
  readonly description?: string;
  /** Schema of each query parameter. One that is not named here is refused with 422. */
  readonly query?: Readonly<Record<string, Schema>>;
  /** Schema of the JSON body; properties that it does not name are refused. A route without one takes no body but `{}`. */
  readonly body?: Schema;
  /** Properties of the answer beside `status`, `file` for a binary body, `text` for one of plain text. */
  readonly answer: Readonly<Record<string, Schema>> | 'file' | 'text';
  /** Names in `answer` that may be absent. */
  readonly optional?: readonly string[];
  /** What this route can answer beside the errors every route has. */
  readonly errors: readonly ErrorCode[];
  /** A malformed unit_id is 422 here: the path would create it. Elsewhere it is 404. */
  readonly createsUnit?: true;
  /**
   * For a path without a unit: it shows and changes nothing of units beyond those of `request.identity`. Without this
   * word such a path is closed to callers who are limited to some units.
   */
  readonly filtersUnits?: true;
  /** Returns the answer without `status: "ok"`, which the host adds. */
  handle(request: Request<Body, Query>): Promise<object | FileAnswer | TextAnswer> | object;
}

/** One WebSocket client, already admitted. Text messages only. */
export interface Client {
  /** Queues a JSON message; returns at once. Does nothing after the client has gone. */
  send(message: object): void;
  /** Bytes that the network has not taken yet. */
  readonly buffered: number;
  close(code: 1000 | 1001 | 1008 | 1011 | 1013, reason: string): void;
  /** Aborts when the client has gone, for whatever reason. */
  readonly gone: AbortSignal;
}

export interface SocketRoute {
  readonly path: string;
  readonly access: Access;
  readonly summary: string;
  readonly description?: string;
  /** Schemas of the messages that the gateway sends. */
  readonly messages: readonly Schema[];
  readonly errors: readonly ErrorCode[];
  /** As of a `Route`. */
  readonly filtersUnits?: true;
  /** Throws a GatewayError to refuse before the upgrade; the client then gets the HTTP answer a GET would get. */
  admit(request: Request): void | Promise<void>;
  /** `request.caller.signal` and `client.gone` end together. A throw closes the client with 1011. */
  open(client: Client, request: Request): void;
}
