/**
 * Notes and exclusions from a topic. They call the route of the API with an API key: role, units, rate limit, checks and
 * audit log are the same. Refused messages are counted and logged.
 */
import { type Host, iso, messageOf } from '../../lib/index.ts';
import type { Arrived } from './broker.ts';
import { outcomeOf } from './outcome.ts';
import type { Message } from './outgoing-queue.ts';
import { Refusals } from './refusals.ts';
import type { MqttSettings } from './settings.ts';
import type { Topics } from './topics.ts';

/** The most messages under way. */
const MOST_UNDER_WAY = 16;
/** A note has at most 2,000 characters; in JSON each may need six bytes. */
const MOST_BYTES = 16_384;

/** Answers each message about a unit on its topic `result`, unless the message is retained. */
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
