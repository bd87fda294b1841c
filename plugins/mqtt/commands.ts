/**
 * Commands, notes, exclusions and observations from topics. They call the routes of the API with an API key: role,
 * units, rate limit, checks and audit log are the same. All other messages on these topics are counted and ignored.
 */
import { type Host, isGatewayError, iso, messageOf } from '../../lib/index.ts';
import type { Arrived } from './broker.ts';
import type { Message } from './outgoing-queue.ts';
import type { MqttSettings } from './settings.ts';
import type { Topics } from './topics.ts';

/** The answer of the route, or its error; `errors`: the wrong fields of the input, each with its path. */
type CallOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: string; readonly detail: string; readonly errors?: readonly object[] };

/** The result of a route, as the message on the topic `result`. Never throws. */
async function outcomeOf(host: Host<MqttSettings>, call: Parameters<Host['call']>[0]): Promise<CallOutcome> {
  try {
    return { ok: true, ...(await host.call(call)) };
  } catch (error) {
    if (isGatewayError(error)) {
      const { code, message, errors } = error;
      return { ok: false, code, detail: message, ...(errors && { errors }) };
    }
    host.log.error({ unit_id: call.unitId, path: call.path, reason: messageOf(error) }, 'a call from a topic failed');
    return { ok: false, code: 'INTERNAL', detail: 'An error in the gateway.' };
  }
}

/** The shortest time between two log lines, ms. */
const LOG_MS = 60_000;

/**
 * Messages that the gateway ignored: all are counted, and one in a minute is logged. `text`: the message of the log.
 */
class Refusals {
  readonly #host: Pick<Host, 'clock' | 'log'>;
  readonly #text: string;
  #count = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(host: Pick<Host, 'clock' | 'log'>, text: string) {
    this.#host = host;
    this.#text = text;
  }

  /** Since the start. */
  get count(): number {
    return this.#count;
  }

  add(why: string, topic?: string): void {
    this.#count += 1;
    const now = this.#host.clock.elapsed();
    if (now - this.#loggedAt < LOG_MS) return;
    this.#loggedAt = now;
    const about = { refused: this.#count, ...(topic !== undefined && { topic: topic.slice(0, 100) }), why };
    this.#host.log.warn(about, this.#text);
  }
}

/** Each name is a route of the API, and an operation of the families. */
export const COMMAND_NAMES = ['start', 'stop', 'pause', 'resume', 'reset', 'store'] as const;
const COMMANDS: ReadonlySet<string> = new Set(COMMAND_NAMES);
const LONGEST = 6;
/** The most commands under way. */
const MOST_RUNNING = 16;

/** Answers each command on its own topic, also when it is refused. */
export class Commands {
  readonly #host: Host<MqttSettings>;
  readonly #topics: Topics;
  readonly #answer: (message: Message) => Promise<void>;
  readonly #refusals: Refusals;
  #running = 0;

  constructor(host: Host<MqttSettings>, topics: Topics, answer: (message: Message) => Promise<void>) {
    this.#host = host;
    this.#topics = topics;
    this.#answer = answer;
    this.#refusals = new Refusals(host, 'a message on a command topic was ignored');
  }

  /** Counts messages that were no commands. */
  get refused(): number {
    return this.#refusals.count;
  }

  /** Never throws and never waits. */
  arrived(message: Arrived): void {
    const unitId = this.#topics.unitOf(message.topic, 'command');
    const why = this.#whyNot(unitId, message);
    if (why !== undefined || unitId === undefined) this.#refusals.add(why ?? '');
    else this.#begin(unitId, message.payload.toString('latin1'));
  }

  #whyNot(unitId: string | undefined, { payload, retain }: Arrived): string | undefined {
    if (unitId === undefined || !this.#host.configs.get(unitId)) return 'its topic does not belong to a unit';
    // If the broker retains a command, it would run again with each connection.
    if (retain) return 'it is retained';
    if (payload.length > LONGEST || !COMMANDS.has(payload.toString('latin1'))) return 'it is not a known command';
    return this.#running < MOST_RUNNING ? undefined : 'too many commands are under way';
  }

  #begin(unitId: string, command: string): void {
    this.#running += 1;
    this.#run(unitId, command)
      .catch((error: unknown) => this.#host.log.error({ reason: messageOf(error) }, 'a command could not be answered'))
      .finally(() => {
        this.#running -= 1;
      });
  }

  async #run(unitId: string, command: string): Promise<void> {
    const { clock, signal, settings } = this.#host;
    const call = { path: `/{unit_id}/${command}`, unitId, key: settings.command_key, from: 'mqtt', signal };
    const outcome = await outcomeOf(this.#host, call);
    const payload = JSON.stringify({ time: iso(clock.now()), command, ...outcome });
    await this.#answer({ topic: this.#topics.of(unitId, 'result'), payload, retain: false });
  }
}

const MOST_UNDER_WAY = 16;
/** A note has at most 2,000 characters; in JSON each may need six bytes. */
const MOST_BYTES = 16_384;

/**
 * Notes and exclusions from a topic. They call the route of the API with an API key: role, units, rate limit, checks
 * and audit log are the same. Refused messages are counted and logged.
 *
 * Answers each message about a unit on its topic `result`, unless the message is retained.
 */
export class NotesFromTopic {
  readonly #host: Host<MqttSettings>;
  readonly #topics: Topics;
  readonly #answer: (message: Message) => Promise<void>;
  readonly #refusals: Refusals;
  #underWay = 0;

  constructor(host: Host<MqttSettings>, topics: Topics, answer: (message: Message) => Promise<void>) {
    this.#host = host;
    this.#topics = topics;
    this.#answer = answer;
    this.#refusals = new Refusals(host, 'a note was not written');
  }

  /** Counts messages that gave no note. */
  get refused(): number {
    return this.#refusals.count;
  }

  /** Never throws and never waits. */
  arrived({ topic, payload, retain }: Arrived): void {
    const unitId = this.#topics.unitOf(topic, 'note');
    if (unitId === undefined || !this.#host.configs.get(unitId))
      this.#refusals.add('its topic does not belong to a unit', topic);
    // The note would be written again with each connection.
    else if (retain) this.#refusals.add('it is retained', topic);
    else if (this.#underWay >= MOST_UNDER_WAY) this.#refusals.add('too many notes are under way', topic);
    else this.#begin(unitId, topic, payload);
  }

  #begin(unitId: string, topic: string, payload: Buffer): void {
    this.#underWay += 1;
    this.#write(unitId, topic, payload)
      .catch((error: unknown) => this.#host.log.error({ reason: messageOf(error) }, 'a note could not be answered'))
      .finally(() => {
        this.#underWay -= 1;
      });
  }

  async #write(unitId: string, topic: string, payload: Buffer): Promise<void> {
    const host = this.#host;
    const body = objectIn(payload);
    const { signal, settings, clock } = host;
    const call = { path: '/{unit_id}/notes', unitId, key: settings.command_key, from: 'mqtt', signal };
    const outcome =
      body === undefined
        ? ({
            ok: false,
            code: 'MALFORMED_JSON',
            detail: `A note is one JSON object of up to ${MOST_BYTES} bytes.`,
          } as const)
        : await outcomeOf(host, { ...call, body });
    if (!outcome.ok) this.#refusals.add(outcome.detail, topic);
    const said = JSON.stringify({ time: iso(clock.now()), command: 'note', ...outcome });
    await this.#answer({ topic: this.#topics.of(unitId, 'result'), payload: said, retain: false });
  }
}

/** Undefined for everything else. */
function objectIn(payload: Buffer): object | undefined {
  if (payload.length > MOST_BYTES) return undefined;
  try {
    const given: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
    return typeof given === 'object' && given !== null && !Array.isArray(given) ? given : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Observations of stations from a topic. They call the route of the API with an API key: role, units, rate limit and
 * audit log are the same. Refused messages are counted and logged.
 *
 * Takes CSV, JSON with one object a line, and one JSON object without a time, which is about now.
 */
export class Observations {
  readonly #host: Host<MqttSettings>;
  readonly #topics: Topics;
  readonly #refusals: Refusals;
  #underWay = 0;

  constructor(host: Host<MqttSettings>, topics: Topics) {
    this.#host = host;
    this.#topics = topics;
    this.#refusals = new Refusals(host, 'an observation was not kept');
  }

  /** Counts messages that were not kept. */
  get refused(): number {
    return this.#refusals.count;
  }

  /** Never throws and never waits. */
  arrived(message: Arrived): void {
    const id = this.#topics.stationOf(message.topic);
    if (id === undefined) this.#refusals.add('its topic does not belong to a station', message.topic);
    else if (this.#underWay >= MOST_UNDER_WAY) this.#refusals.add('too many messages are under way', message.topic);
    else this.#begin(id, message);
  }

  #begin(id: string, message: Arrived): void {
    this.#underWay += 1;
    this.#keep(id, message)
      .catch((error: unknown) => this.#refusals.add(messageOf(error), message.topic))
      .finally(() => {
        this.#underWay -= 1;
      });
  }

  async #keep(id: string, { payload, retain }: Arrived): Promise<void> {
    const { clock, signal, settings, call } = this.#host;
    const upload = withTime(payload, retain ? null : iso(clock.now()));
    const path = '/_stations/{id}/observations';
    await call({ path, params: { id }, upload, key: settings.command_key, from: 'mqtt', signal });
  }
}

/** Sensors often send values without a time. The time of a retained message is unknown, so it gets none. */
function withTime(payload: Buffer, now: string | null): Buffer {
  try {
    const given: unknown = JSON.parse(payload.toString());
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return payload;
    const all = 'time' in given || now === null ? given : { time: now, ...given };
    // On one line, as the route needs it.
    return Buffer.from(JSON.stringify(all));
  } catch {
    return payload;
  }
}
