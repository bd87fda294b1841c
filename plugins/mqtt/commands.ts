/**
 * Commands from a topic. They are calls of the API's own routes in the name of an API key: role, units, rate and audit log are
 * the same. Everything else that a broker may send is counted and ignored.
 */
import { type Host, isGatewayError, iso, messageOf } from '../../lib/index.ts';
import type { Arrived } from './broker.ts';
import type { Message } from './outgoing-queue.ts';
import type { MqttSettings } from './settings.ts';
import type { Topics } from './topics.ts';

/** Each is a route of the API, and an operation of the families. */
export const COMMAND_NAMES = ['start', 'stop', 'pause', 'resume', 'reset', 'store'] as const;
const COMMANDS: ReadonlySet<string> = new Set(COMMAND_NAMES);
const LONGEST = 6;
/** Most commands under way. */
const MOST_RUNNING = 16;
/** Least time between two log lines about messages that are no commands, ms. */
const LOG_MS = 60_000;

/** Answers each command on its own topic, also when it is refused. */
export class Commands {
  readonly #host: Host<MqttSettings>;
  readonly #topics: Topics;
  readonly #answer: (message: Message) => Promise<void>;
  #running = 0;
  #refused = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(host: Host<MqttSettings>, topics: Topics, answer: (message: Message) => Promise<void>) {
    this.#host = host;
    this.#topics = topics;
    this.#answer = answer;
  }

  /** Messages that were no commands. */
  get refused(): number {
    return this.#refused;
  }

  /** Never throws and never waits. */
  arrived(message: Arrived): void {
    const unitId = this.#topics.unitOf(message.topic);
    const why = this.#whyNot(unitId, message);
    if (why !== undefined || unitId === undefined) this.#refuse(why ?? '');
    else this.#begin(unitId, message.payload.toString('latin1'));
  }

  #whyNot(unitId: string | undefined, { payload, retain }: Arrived): string | undefined {
    if (unitId === undefined || !this.#host.configs.get(unitId)) return 'its topic does not belong to a unit';
    // A command that the broker has retained would run again with each connection.
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
    const outcome = await this.#outcome(unitId, command);
    const payload = JSON.stringify({ time: iso(this.#host.clock.now()), command, ...outcome });
    await this.#answer({ topic: this.#topics.of(unitId, 'result'), payload, retain: false });
  }

  async #outcome(unitId: string, command: string): Promise<object> {
    const host = this.#host;
    const { signal, settings } = host;
    try {
      const call = { path: `/{unit_id}/${command}`, unitId, key: settings.command_key, from: 'mqtt', signal };
      return { ok: true, ...(await host.call(call)) };
    } catch (error) {
      if (isGatewayError(error)) return { ok: false, code: error.code, detail: error.message };
      host.log.error({ unit_id: unitId, command, reason: messageOf(error) }, 'a command failed');
      return { ok: false, code: 'INTERNAL', detail: 'An error in the gateway.' };
    }
  }

  #refuse(why: string): void {
    this.#refused += 1;
    const now = this.#host.clock.elapsed();
    if (now - this.#loggedAt < LOG_MS) return;
    this.#loggedAt = now;
    this.#host.log.warn({ refused: this.#refused, why }, 'a message on a command topic was ignored');
  }
}
