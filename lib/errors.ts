/**
 * Table of all errors that a caller can get: code, HTTP status, meaning. Documentation, OpenAPI and answers read this
 * table. `retryS`: when to ask again, seconds, if it is always the same. It is about the time between two beats of an
 * instance, or of a restart. The text for a person (`detail`) is written where the error is raised. It names the event,
 * never a stack, a path of this machine or a secret.
 */
export const ERRORS = Object.freeze({
  MALFORMED_JSON: { status: 400, means: 'the body is not well-formed JSON' },
  MALFORMED_REQUEST: {
    status: 400,
    means: 'the request is not well-formed HTTP, not a WebSocket handshake, or its query is not UTF-8',
  },
  SIGN_IN_FAILED: {
    status: 400,
    means: 'the sign-in was not begun in this browser, is too old or used, or the issuer did not confirm it',
  },
  UNAUTHENTICATED: {
    status: 401,
    means:
      'an API key or a session is needed, or this one is unknown, expired or ended; or a name and a password are not right',
  },
  FORBIDDEN: { status: 403, means: 'this API key does not have the needed role, or is not for this unit' },
  SIGN_IN_REFUSED: { status: 403, means: 'the issuer knows this person, but the person has no rights here' },
  FOREIGN_ORIGIN: { status: 403, means: 'a web page of another origin; see the setting allowed_origins' },
  TCP_DISABLED: { status: 403, means: 'TCP communication is disabled for the device' },
  FTP_DISABLED: { status: 403, means: 'FTP is disabled for the device' },
  ADDRESS_REFUSED: {
    status: 403,
    means: 'the settings do not let the gateway connect to this address or port',
  },
  NOT_FOUND: { status: 404, means: 'there is no such path' },
  UNIT_NOT_FOUND: { status: 404, means: 'no device config for this unit_id' },
  FILE_NOT_FOUND: { status: 404, means: 'the file or folder is not on the card of the meter' },
  JOB_NOT_FOUND: { status: 404, means: 'there is no such job, or this API key is not for its unit' },
  ALERT_NOT_FOUND: {
    status: 404,
    means: 'there is no such rule, event or target of alerts, or this API key is not for its units',
  },
  PERSON_NOT_FOUND: { status: 404, means: 'there is no person of this name, or this one is not for your units' },
  INVITATION_NOT_FOUND: { status: 404, means: 'the invitation or code is unknown, was used, or has ended' },
  SESSION_NOT_FOUND: { status: 404, means: 'there is no session of this id, or it is of somebody else' },
  INSTANCE_NOT_FOUND: { status: 404, means: 'no instance of this name or id shares the database' },
  KEY_NOT_FOUND: { status: 404, means: 'there is no API key of this id, or this one is not for its units' },
  CALIBRATION_NOT_FOUND: { status: 404, means: 'the unit has no such entry in its log of calibrations' },
  NOTE_NOT_FOUND: { status: 404, means: 'the unit has no such note or exclusion' },
  ASSESSMENT_NOT_FOUND: { status: 404, means: 'there is no preset or calendar of this name' },
  PERMIT_NOT_FOUND: { status: 404, means: 'there is no such permit, or this API key is not for its units' },
  SEAL_NOT_FOUND: { status: 404, means: 'the day of the unit is not sealed, or has no row at this time' },
  PLAN_NOT_FOUND: { status: 404, means: 'there is no picture of a plan, or the meter does not stand on it' },
  STATION_NOT_FOUND: { status: 404, means: 'there is no such station, or this API key is not for its units' },
  SHARE_NOT_FOUND: { status: 404, means: 'there is no share of this id or link, or it has ended' },
  REPORT_NOT_FOUND: {
    status: 404,
    means:
      'there is no such report, document, template or letterhead, or this API key is not for all units of the report',
  },
  PROFILE_NOT_FOUND: { status: 404, means: 'there is no profile of this name' },
  METHOD_NOT_ALLOWED: { status: 405, means: 'the path exists, this method does not; see Allow' },
  REQUEST_TIMEOUT: { status: 408, means: 'the request did not arrive whole in time' },
  UNIT_EXISTS: { status: 409, means: 'there is a device config for this unit_id already' },
  NOT_SUPPORTED: { status: 409, means: 'the family of this meter cannot do this; nothing was sent' },
  DEVICE_WRONG_STATE: { status: 409, means: 'the meter refused: not possible in its present state (R+0004)' },
  TOO_LATE: {
    status: 409,
    means: 'the action was due at a certain time and came too late; it was not done',
  },
  STORE_NAMES_TAKEN: {
    status: 409,
    means: 'the card has data under every store name that was tried; nothing was overwritten',
  },
  JOB_RUNNING: { status: 409, means: 'a job of this kind runs already, with other settings or another file' },
  SEAL_OUTDATED: {
    status: 409,
    means: 'the levels of the day are no longer those of its latest seal: they were changed, or removed by their age',
  },
  INSTANCE_RUNS: { status: 409, means: 'the instance is active, or gives signs of life: stop it first' },
  PROFILE_IN_USE: { status: 409, means: 'a schedule uses this profile' },
  PRECONDITION_FAILED: {
    status: 412,
    means: 'what the request would create exists already, and If-None-Match: * forbids to change it',
  },
  BODY_TOO_LARGE: { status: 413, means: 'the body is larger than allowed' },
  URI_TOO_LONG: { status: 414, means: 'the path and query are longer than allowed' },
  NOT_JSON: { status: 415, means: 'the body is not JSON in UTF-8' },
  RANGE_NOT_SATISFIABLE: { status: 416, means: 'the range begins after the end of the file' },
  EXPECTATION_FAILED: { status: 417, means: 'the only supported Expect is 100-continue' },
  WRONG_HOST: { status: 421, means: 'the gateway does not answer to this Host; see the setting allowed_hosts' },
  INVALID: { status: 422, means: 'the request has wrong or unknown values; see errors' },
  DEVICE_REFUSED_PARAMETER: { status: 422, means: 'the meter refused the value (R+0002)' },
  UPGRADE_REQUIRED: { status: 426, means: 'this path is a WebSocket' },
  TOO_MANY_REQUESTS: { status: 429, means: 'too many requests, or too many wrong passwords; see Retry-After' },
  HEADERS_TOO_LARGE: { status: 431, means: 'the headers are larger than allowed' },
  INTERNAL: { status: 500, means: 'an error in the gateway; its log has the cause under the request id' },
  DEVICE_REFUSED_COMMAND: { status: 502, means: 'the meter does not know the command (R+0001, R+0003)' },
  DEVICE_GARBLED: { status: 502, means: 'the meter answered something that cannot be read' },
  DEVICE_UNREACHABLE: { status: 502, means: 'the connection to the meter was refused, reset or lost' },
  DEVICE_WEDGED: { status: 502, means: 'the control port refuses while FTP answers: power-cycle the meter' },
  OUTCOME_UNKNOWN: {
    status: 502,
    means: 'the connection to the meter was lost before the reply; not sent again',
  },
  FTP_FAILED: { status: 502, means: 'the FTP server of the meter refused or broke off' },
  FTP_LOGIN_FAILED: { status: 502, means: 'the meter refused the FTP login' },
  FTP_DATA_CONNECTION: { status: 502, means: 'the FTP data connection could not be opened' },
  ISSUER_FAILED: { status: 502, means: 'the issuer that signs people in does not answer, or not as it should' },
  OUTBOUND_FAILED: { status: 502, means: 'an outside address could not be called, or did not answer in time' },
  DEVICE_BUSY: { status: 503, means: 'too many commands wait for this meter; see Retry-After' },
  BUSY: { status: 503, means: 'too many long answers are asked for at once; see Retry-After' },
  NOT_READY: { status: 503, means: 'a part of the gateway does not work; detail names it' },
  TOO_MANY_STREAMS: { status: 503, means: 'too many WebSockets are open; see the settings and Retry-After' },
  OWNER_CHANGING: {
    status: 503,
    means: 'no instance of the gateway is active at this moment; see Retry-After',
    retryS: 5,
  },
  STANDBY: {
    status: 503,
    means: 'this instance of the gateway is a standby; the answer names the active one',
    retryS: 5,
  },
  STOPPING: { status: 503, means: 'the gateway is stopping; see Retry-After', retryS: 5 },
  STORAGE_FAILED: {
    status: 503,
    means: 'the gateway cannot write or read its data now; nothing was changed, or the text says that it is not known',
  },
  DEVICE_TIMEOUT: { status: 504, means: 'no connection to the meter, or no answer from it, in time' },
  QUEUE_TIMEOUT: { status: 504, means: 'the request waited behind others until its deadline' },
  PLUGIN_TIMEOUT: { status: 504, means: 'a plugin did not answer in time; detail names it' },
  STORAGE_FULL: { status: 507, means: 'the disk of the data folder is full; nothing was changed' },
} as const satisfies Record<string, { status: number; means: string; retryS?: number }>);

/** The `code` of an error, as callers get it. */
export type ErrorCode = keyof typeof ERRORS;

/** Errors of every operation that sends commands to a meter. */
export const COMMAND_ERRORS: readonly ErrorCode[] = Object.freeze([
  'UNIT_NOT_FOUND',
  'TCP_DISABLED',
  'ADDRESS_REFUSED',
  'NOT_SUPPORTED',
  'DEVICE_WRONG_STATE',
  'DEVICE_REFUSED_PARAMETER',
  'DEVICE_REFUSED_COMMAND',
  'DEVICE_GARBLED',
  'DEVICE_UNREACHABLE',
  'DEVICE_WEDGED',
  'OUTCOME_UNKNOWN',
  'DEVICE_BUSY',
  'STOPPING',
  'DEVICE_TIMEOUT',
  'QUEUE_TIMEOUT',
] as const);

/** Errors of every operation on the card of a meter. */
export const CARD_ERRORS: readonly ErrorCode[] = Object.freeze([
  'UNIT_NOT_FOUND',
  'FTP_DISABLED',
  'ADDRESS_REFUSED',
  'NOT_SUPPORTED',
  'FILE_NOT_FOUND',
  'DEVICE_UNREACHABLE',
  'FTP_FAILED',
  'FTP_LOGIN_FAILED',
  'FTP_DATA_CONNECTION',
  'DEVICE_BUSY',
  'STOPPING',
  'DEVICE_TIMEOUT',
  'QUEUE_TIMEOUT',
] as const);

/** One place in the input and its fault; `path` is a JSON pointer into body, query or params. */
export interface InputError {
  readonly path: string;
  readonly message: string;
}

interface Extras {
  readonly cause?: unknown;
  readonly errors?: readonly InputError[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** The only error type that modules throw on purpose. Any other error is a bug and becomes INTERNAL. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly errors: readonly InputError[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, detail: string, extras: Extras = {}) {
    super(detail, { cause: extras.cause });
    this.name = 'GatewayError';
    this.code = code;
    this.errors = extras.errors;
    const row: { readonly status: number; readonly retryS?: number } = ERRORS[code];
    this.headers = { ...(row.retryS !== undefined && { 'Retry-After': String(row.retryS) }), ...extras.headers };
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

/**
 * Why a file could not be opened at the start. The message is one line for the person who starts the gateway: the fault
 * and its repair. It is shown without a stack.
 */
export class OpeningError<Problem extends string> extends Error {
  readonly problem: Problem;

  constructor(problem: Problem, message: string, cause?: unknown) {
    super(message, { cause });
    this.problem = problem;
  }
}

/** UNIT_NOT_FOUND (404), also for units that the caller may not see. */
export const unknownUnit = (unitId: string): GatewayError =>
  new GatewayError('UNIT_NOT_FOUND', `There is no device config for ${unitId}.`);

/** Whether an error of a file operation means that the disk, or the quota of this user, is full. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');

/** Whether it is an error of the table; with `codes`: one of these codes. */
export const isGatewayError = (error: unknown, ...codes: ErrorCode[]): error is GatewayError =>
  error instanceof GatewayError && (codes.length === 0 || codes.includes(error.code));

/** The words of any thrown value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** An error in the form of another API: its status and its JSON. */
export type WordError = (error: GatewayError) => { readonly status: number; readonly body: object };

/** An error as a page for people, with the Content-Security-Policy of the page. `language`: as `Request.language`. */
export type ErrorPage = (
  error: GatewayError,
  language: string | undefined,
) => { readonly html: string; readonly policy: string };
