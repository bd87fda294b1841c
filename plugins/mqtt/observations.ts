/**
 * Observations of stations from a topic. They are calls of the API's own route in the name of an API key: role, units, rate and audit
 * log are the same. What cannot be kept is counted and logged.
 */
import { type Host, iso, messageOf } from '../../lib/index.ts';
import type { Arrived } from './broker.ts';
import type { MqttSettings } from './settings.ts';
import type { Topics } from './topics.ts';

/** Most messages under way. */
const MOST_UNDER_WAY = 16;
/** Least time between two log lines about messages that are not kept, ms. */
const LOG_MS = 60_000;

/** Takes CSV, JSON with one object a line, and one JSON object without a time, which is about now. */
export class Observations {
  readonly #host: Host<MqttSettings>;
  readonly #topics: Topics;
  #underWay = 0;
  #refused = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(host: Host<MqttSettings>, topics: Topics) {
    this.#host = host;
    this.#topics = topics;
  }

  /** Messages that were not kept. */
  get refused(): number {
    return this.#refused;
  }

  /** Never throws and never waits. */
  arrived(message: Arrived): void {
    const id = this.#topics.stationOf(message.topic);
    if (id === undefined) this.#refuse(message.topic, 'its topic does not belong to a station');
    else if (this.#underWay >= MOST_UNDER_WAY) this.#refuse(message.topic, 'too many messages are under way');
    else this.#begin(id, message);
  }

  #begin(id: string, message: Arrived): void {
    this.#underWay += 1;
    this.#keep(id, message)
      .catch((error: unknown) => this.#refuse(message.topic, messageOf(error)))
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

  #refuse(topic: string, why: string): void {
    this.#refused += 1;
    const now = this.#host.clock.elapsed();
    if (now - this.#loggedAt < LOG_MS) return;
    this.#loggedAt = now;
    this.#host.log.warn({ refused: this.#refused, topic: topic.slice(0, 100), why }, 'an observation was not kept');
  }
}

/** Sensors often send values alone. What the broker has retained is of a time that nobody knows. */
function withTime(payload: Buffer, now: string | null): Buffer {
  try {
    const given: unknown = JSON.parse(payload.toString());
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return payload;
    const all = 'time' in given || now === null ? given : { time: now, ...given };
    // On one line, as the route takes it.
    return Buffer.from(JSON.stringify(all));
  } catch {
    return payload;
  }
}
