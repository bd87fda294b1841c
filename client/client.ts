/** The gateway's API as functions. Works in browsers and in Node 22 and newer, with nothing but fetch and WebSocket. */
import { GatewayProblem, problemOf } from './error.ts';
import { type LiveOptions, liveEvents } from './live.ts';
import type {
  About,
  AlertEvent,
  AlertPreview,
  AlertRule,
  Budget,
  CardFile,
  Config,
  ConfigChange,
  Extent,
  History,
  Indices,
  Job,
  LiveEvent,
  NewAlertRule,
  Session,
  Unit,
} from './types.ts';

export interface ClientOptions {
  /** With the base path: `http://127.0.0.1:8100/api/nl43`. */
  readonly baseUrl: string | URL;
  /** API key; undefined where the gateway needs none. */
  readonly key?: string | undefined;
}

export type Query = Readonly<Record<string, string | number | undefined>>;
/** What can be done to a measurement: POST of the same name. */
export type Control = 'start' | 'stop' | 'pause' | 'resume' | 'reset' | 'store';

interface Call {
  readonly method?: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly query?: Query;
  readonly body?: object;
  readonly signal?: AbortSignal | undefined;
}

/** Every function rejects with a `GatewayProblem`. */
export class Client {
  readonly #base: string;
  readonly #key: string | undefined;

  constructor({ baseUrl, key }: ClientOptions) {
    this.#base = String(baseUrl).replace(/\/$/, '');
    this.#key = key;
  }

  /** Any call that has no function of its own. `path` is below the base path and begins with a slash. */
  async call<Answer>(path: string, call: Call = {}): Promise<Answer> {
    const response = await this.#fetch(path, call);
    return (await response.json()) as Answer;
  }

  /** The same for files and CSV. */
  async blob(path: string, call: Call = {}): Promise<Blob> {
    return (await this.#fetch(path, call)).blob();
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
  alerts = (query: Query) => this.#data<readonly AlertEvent[]>('/_alerts/events', { query });
  alertRules = () => this.#data<readonly AlertRule[]>('/_alerts/rules');
  addAlertRule = (body: NewAlertRule) => this.call<{ message: string }>('/_alerts/rules', { method: 'POST', body });
  removeAlertRule = (id: string) => this.call<{ message: string }>(`/_alerts/rules/${id}`, { method: 'DELETE' });
  /** The events that a level rule would have had. */
  previewAlertRule = (rule: NewAlertRule, from: string, to: string) =>
    this.#data<readonly AlertPreview[]>('/_alerts/rules/preview', { method: 'POST', body: { rule, from, to } });
  acknowledge = (id: string, note: string) =>
    this.call<{ message: string }>(`/_alerts/events/${id}/ack`, { method: 'POST', body: { note } });
  budget = (unitId: string) => this.#data<readonly Budget[]>(`${at(unitId)}/budget`);
  jobs = () => this.#data<readonly Job[]>('/_jobs');

  /** Creates the unit where it is not there. */
  configure = (unitId: string, body: ConfigChange) =>
    this.call<{ message: string; data: Config; sleep_mode?: string; warning?: string }>(`${at(unitId)}/config`, {
      method: 'PUT',
      body,
    });
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

  download = (unitId: string, path: string) =>
    this.blob(`${at(unitId)}/ftp/download`, { method: 'POST', body: { remote_path: path } });

  /** Endless: leave the loop or abort the signal to end it. Rejects when the key is not taken. */
  events(options: LiveOptions = {}): AsyncGenerator<LiveEvent, void> {
    return liveEvents(() => this.#liveAddress(), options);
  }

  /** A browser cannot send a key with a handshake: it is changed for a ticket that is good once. */
  async #liveAddress(): Promise<URL> {
    const url = new URL(`${this.#base}/_live`);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    if (this.#key !== undefined) {
      const { ticket } = await this.call<{ ticket: string }>('/_tickets', { method: 'POST', body: {} });
      url.searchParams.set('ticket', ticket);
    }
    return url;
  }

  async #data<Data>(path: string, call: Call = {}): Promise<Data> {
    return (await this.call<{ data: Data }>(path, call)).data;
  }

  async #fetch(path: string, { method = 'GET', query = {}, body, signal }: Call): Promise<Response> {
    const url = new URL(`${this.#base}${path}`);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const headers: Record<string, string> = { Accept: 'application/json' };
    if (this.#key !== undefined) headers.Authorization = `Bearer ${this.#key}`;
    if (body) headers['Content-Type'] = 'application/json';
    const response = await fetch(url, {
      method,
      headers,
      cache: 'no-store',
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    }).catch((error: unknown) => {
      if (signal?.aborted) throw error;
      throw new GatewayProblem('NO_GATEWAY', 'The gateway does not answer.');
    });
    if (!response.ok) throw await problemOf(response);
    return response;
  }
}

const at = (unitId: string): string => `/${encodeURIComponent(unitId)}`;
