/**
 * Observations of stations from a topic. They call the route of the API with an API key: role, units, rate limit and
 * audit log are the same. Refused messages are counted and logged.
 */
import { type Host, iso, messageOf } from '../../lib/index.ts';
import type { Arrived } from './broker.ts';
import { Refusals } from './refusals.ts';
import type { MqttSettings } from './settings.ts';
import type { Topics } from './topics.ts';

/** The most messages under way. */
const MOST_UNDER_WAY = 16;

/** Takes CSV, JSON with one object a line, and one JSON object without a time, which is about now. */
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
