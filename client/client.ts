/** The gateway's API as functions. Works in browsers and in Node 22 and newer, with nothing but fetch and WebSocket. */

import { type Download, downloadOf } from './download.ts';
import { GatewayProblem, problemOf, strange } from './error.ts';
import { type LiveOptions, liveEvents } from './live.ts';
import type { SetConfigAnswer } from './schemas.ts';
import type {
  About,
  AlertEvent,
  AlertPreview,
  AlertRule,
  AlertTarget,
  Budget,
  CardFile,
  ClockSync,
  Config,
  ConfigChange,
  Drift,
  Examination,
  Extent,
  Frame,
  History,
  Indices,
  Job,
  KeptFile,
  LiveEvent,
  LogEntry,
  NewAlertRule,
  NewAlertTarget,
  NewScheduleEntry,
  Profile,
  ReconciledHour,
  Schedule,
  Session,
  Unit,
  UnitBudget,
} from './types.ts';

export interface ClientOptions {
  /** With the base path: `http://127.0.0.1:8100/api/nl43`. */
  readonly baseUrl: string | URL;
  /** API key; undefined where the gateway needs none. */
  readonly key?: string | undefined;
  /** Ends every call that has no signal of its own. */
  readonly signal?: AbortSignal | undefined;
}

export type Query = Readonly<Record<string, string | number | undefined>>;
/** What can be done to a measurement: POST of the same name. */
export type Control = 'start' | 'stop' | 'pause' | 'resume' | 'reset' | 'store';

export interface Call {
  readonly method?: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly query?: Query;
  readonly body?: object;
  /** In place of `body`: a file, with its media type. */
  readonly file?: Blob;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** As many as one page can have: the default is 100. */
const MOST = 1_000;

/** Every function rejects with a `GatewayProblem`. */
export class Client {
  readonly #base: string;
  readonly #key: string | undefined;
  readonly #signal: AbortSignal | undefined;

  constructor({ baseUrl, key, signal }: ClientOptions) {
    this.#base = String(baseUrl).replace(/\/$/, '');
    this.#key = key;
    this.#signal = signal;
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

  about = (signal?: AbortSignal) => this.#data<About>('/_about', { signal });
  units = (query?: Query) => this.#data<readonly Unit[]>('/_status', query ? { query } : {});
  config = (unitId: string) => this.#data<Config>(`${at(unitId)}/config`);
  session = (unitId: string, signal?: AbortSignal) => this.#data<Session>(`${at(unitId)}/session`, { signal });
  history = (unitId: string, query: Query, signal?: AbortSignal) =>
    this.#data<History>(`${at(unitId)}/history`, { query, signal });
  extent = (unitId: string) => this.#data<Extent>(`${at(unitId)}/history/extent`);
  indices = (unitId: string, query: Query, signal?: AbortSignal) =>
    this.#data<Indices>(`${at(unitId)}/indices`, { query, signal });
  /** One page, the youngest first: 100 events unless `limit` says otherwise. */
  alerts = (query: Query) => this.#data<readonly AlertEvent[]>('/_alerts/events', { query });
  alertRules = () => this.all<AlertRule>('/_alerts/rules');
  addAlertRule = (body: NewAlertRule) => this.call<{ message: string }>('/_alerts/rules', { method: 'POST', body });
  changeAlertRule = (id: string, body: NewAlertRule) =>
    this.call<{ message: string }>(`/_alerts/rules/${id}`, { method: 'PUT', body });
  removeAlertRule = (id: string) => this.call<{ message: string }>(`/_alerts/rules/${id}`, { method: 'DELETE' });
  /** The events that a level rule would have had. */
  previewAlertRule = (rule: NewAlertRule, from: string, to: string) =>
    this.#data<readonly AlertPreview[]>('/_alerts/rules/preview', { method: 'POST', body: { rule, from, to } });
  alertTargets = () => this.all<AlertTarget>('/_alerts/targets');
  addAlertTarget = (body: NewAlertTarget) =>
    this.call<{ message: string }>('/_alerts/targets', { method: 'POST', body });
  /** Without a secret the present one stays. */
  changeAlertTarget = (id: string, body: NewAlertTarget) =>
    this.call<{ message: string }>(`/_alerts/targets/${id}`, { method: 'PUT', body });
  removeAlertTarget = (id: string) => this.call<{ message: string }>(`/_alerts/targets/${id}`, { method: 'DELETE' });
  testAlertTarget = (id: string) =>
    this.call<{ message: string; delivered: boolean }>(`/_alerts/targets/${id}/test`, { method: 'POST' });
  acknowledge = (id: string, note: string) =>
    this.call<{ message: string }>(`/_alerts/events/${id}/ack`, { method: 'POST', body: { note } });
  /** Looks for what is wrong, step by step; takes about ten seconds. */
  doctor = (unitId: string) => this.#data<Examination>(`${at(unitId)}/doctor`, { query: { timeout_s: 60 } });
  budgets = () => this.all<UnitBudget>('/_budget');
  budget = (unitId: string) => this.all<Budget>(`${at(unitId)}/budget`);
  jobs = (query: Query = {}) => this.#data<readonly Job[]>('/_jobs', { query });

  /** Creates the unit if it does not exist. */
  configure = (unitId: string, body: ConfigChange) =>
    this.call<SetConfigAnswer>(`${at(unitId)}/config`, { method: 'PUT', body });
  /** Rejects with PRECONDITION_FAILED if the unit exists: then nothing is changed. */
  create = (unitId: string, body: ConfigChange) =>
    this.call<SetConfigAnswer>(`${at(unitId)}/config`, { method: 'PUT', body, headers: { 'If-None-Match': '*' } });
  remove = (unitId: string) => this.call<{ message: string }>(`${at(unitId)}/config`, { method: 'DELETE' });
  control = (unitId: string, control: Control) =>
    this.call<{ message: string; warning?: string }>(`${at(unitId)}/${control}`, { method: 'POST' });

  /** A setting of the meter by its path: `clock`, `frequency-weighting`. Asks the meter. */
  setting = (unitId: string, path: string) => this.call<Readonly<Record<string, string>>>(`${at(unitId)}/${path}`);
  set = (unitId: string, path: string, body: object) =>
    this.call<Readonly<Record<string, string>> & { readonly message: string }>(`${at(unitId)}/${path}`, {
      method: 'PUT',
      body,
    });
  /** A switch of the meter: `ftp/enable`, `wake`. */
  post = (unitId: string, path: string) => this.call<{ message: string }>(`${at(unitId)}/${path}`, { method: 'POST' });

  /** Reads the display of the meter now. Takes a second or two. */
  live = (unitId: string) => this.call<{ data: Readonly<Record<string, unknown>> }>(`${at(unitId)}/live`);

  async files(unitId: string, path: string): Promise<readonly CardFile[]> {
    const answer = await this.call<{ files: readonly CardFile[] }>(`${at(unitId)}/ftp/files`, { query: { path } });
    return answer.files;
  }

  /** Copies on the gateway, at most 1,000 of them. */
  keptFiles = (unitId: string, query: Query = { limit: 1_000 }) =>
    this.#data<readonly KeptFile[]>(`${at(unitId)}/files`, { query });
  reconciliation = (unitId: string, query: Query) =>
    this.all<ReconciledHour>(`${at(unitId)}/files/reconciliation`, query);
  /** Fetches what is new on the card; a job. */
  mirror = (unitId: string) => this.call<{ message: string; job: string }>(`${at(unitId)}/mirror`, { method: 'POST' });

  /** Sets the clock of the meter to the time of its place. */
  syncClock = (unitId: string) =>
    this.call<{ message: string; data: ClockSync }>(`${at(unitId)}/clock/sync`, { method: 'POST' });
  /** A whole measurement from start to files, without anybody at the meter; a job. */
  startCycle = (unitId: string, profile?: string) =>
    this.call<{ message: string; job: string }>(`${at(unitId)}/cycle/start`, {
      method: 'POST',
      body: profile === undefined ? {} : { profile },
    });
  stopCycle = (unitId: string) =>
    this.call<{ message: string; job: string }>(`${at(unitId)}/cycle/stop`, { method: 'POST', body: {} });
  schedule = (unitId: string) => this.#data<Schedule>(`${at(unitId)}/schedule`);
  /** Without a zone that of the unit counts; without entries nothing runs by itself. */
  setSchedule = (
    unitId: string,
    body: { readonly zone?: string | null; readonly entries: readonly NewScheduleEntry[] },
  ) => this.call<{ message: string; data: Schedule }>(`${at(unitId)}/schedule`, { method: 'PUT', body });
  profiles = () => this.all<Profile>('/_profiles');
  saveProfile = (name: string, body: Pick<Profile, 'description' | 'settings'>) =>
    this.call<{ message: string }>(`/_profiles/${encodeURIComponent(name)}`, { method: 'PUT', body });
  removeProfile = (name: string) =>
    this.call<{ message: string }>(`/_profiles/${encodeURIComponent(name)}`, { method: 'DELETE' });
  applyProfile = (name: string, units: readonly string[]) =>
    this.call<{ message: string }>(`/_profiles/${encodeURIComponent(name)}/apply`, { method: 'POST', body: { units } });
  drift = (name: string) => this.all<Drift>(`/_profiles/${encodeURIComponent(name)}/drift`);
  /** The newest first. */
  log = (unitId: string, query: Query) =>
    this.call<{ data: readonly LogEntry[]; next: string | null }>(`${at(unitId)}/log`, { query });

  download = (unitId: string, path: string) =>
    this.blob(`${at(unitId)}/ftp/download`, { method: 'POST', body: { remote_path: path } });

  /**
   * Endless: leave the loop or abort the signal to end it. Rejects if the key is refused. A slow loop misses frames and
   * readings, and `missed` counts them.
   */
  events(given: LiveOptions = {}): AsyncGenerator<LiveEvent, void> {
    const options = { ...(this.#signal && { signal: this.#signal }), ...given };
    return liveEvents((tries) => this.#liveAddress(tries, options.signal), options);
  }

  /** Frames of one meter, most often ten a second, and what happens to its stream. Endless, as `events`. */
  async *frames(unitId: string, options: Omit<LiveOptions, 'units' | 'events'> = {}): AsyncGenerator<Frame, void> {
    let before = 0;
    for await (const event of this.events({ ...options, units: [unitId], events: ['frame'] })) {
      const missed = before + event.missed;
      before = event.event === 'frame' ? 0 : missed;
      if (event.event === 'frame') yield { time: event.time, missed, ...event.data };
    }
  }

  /** A browser cannot send a key with a handshake: it is exchanged for a ticket that works once. */
  async #liveAddress(tries: number, signal: AbortSignal | undefined): Promise<URL> {
    const url = new URL(`${this.#base}/_live`);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    if (this.#key !== undefined) {
      const { ticket } = await this.call<{ ticket: string }>('/_tickets', { method: 'POST', body: {}, signal });
      url.searchParams.set('ticket', ticket);
    } else if (tries > 0) {
      // A browser does not say why a handshake failed: this call rejects if the gateway needs a key now.
      await this.about(signal);
    }
    return url;
  }

  async #data<Data>(path: string, call: Call = {}): Promise<Data> {
    return (await this.call<{ data: Data }>(path, call)).data;
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

  async #fetch(
    path: string,
    { method = 'GET', query = {}, body, file, signal = this.#signal, headers: more }: Call,
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
  #broken(error: unknown, signal = this.#signal, what: string): unknown {
    return signal?.aborted ? error : new GatewayProblem('NO_GATEWAY', `${what}${causeOf(error)}.`);
  }
}

const at = (unitId: string): string => `/${encodeURIComponent(unitId)}`;

/** Node says why, such as ECONNREFUSED or a certificate that is not trusted; a browser does not. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? ` (${code})` : '';
}
