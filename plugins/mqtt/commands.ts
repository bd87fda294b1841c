/**
 * Commands from a topic. They call the routes of the API with an API key: role, units, rate limit and audit log are the
 * same. All other messages on these topics are counted and ignored.
 */
import { type Host, iso, messageOf } from '../../lib/index.ts';
import type { Arrived } from './broker.ts';
import { outcomeOf } from './outcome.ts';
import type { Message } from './outgoing-queue.ts';
import { Refusals } from './refusals.ts';
import type { MqttSettings } from './settings.ts';
import type { Topics } from './topics.ts';

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
