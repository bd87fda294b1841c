/**
 * Commands, notes, exclusions and observations from topics. They call the routes of the API with an API key: role,
 * units, rate limit, checks and audit log are the same. All other messages on these topics are counted and ignored.
 */
import { type Host, isGatewayError, iso, messageOf } from '../../lib/index.ts';
import type { Arrived } from './broker.ts';
import type { Message } from './outgoing-queue.ts';
import type { MqttSettings } from './settings.ts';
import type { Topics } from './topics.ts';

export interface TopicReader {
  /** Messages that were ignored, since the start. */
  readonly refused: number;
  /** Never throws and never waits. */
  arrived(message: Arrived): void;
}

interface ReaderParts {
  /** The log line of an ignored message. */
  readonly text: string;
  /** `notes`, of which too many may be under way. */
  readonly noun: string;
  /** Why a message is ignored. */
  whyNot(message: Arrived): string | undefined;
  run(message: Arrived, refuse: (why: string) => void): Promise<void>;
}

type MqttHost = Host<MqttSettings>;
type Answer = (message: Message) => Promise<void>;

/** The shortest time between two log lines of one reader, ms. */
const LOG_MS = 60_000;
const MOST_UNDER_WAY = 16;

function readerOf({ clock, log }: MqttHost, { text, noun, whyNot, run }: ReaderParts): TopicReader {
  let [refused, underWay, loggedAt] = [0, 0, Number.NEGATIVE_INFINITY];
  const refuse = (why: string, topic: string) => {
    refused += 1;
    if (clock.elapsed() - loggedAt < LOG_MS) return;
    loggedAt = clock.elapsed();
    log.warn({ refused, topic: topic.slice(0, 100), why }, text);
  };
  return {
    get refused() {
      return refused;
    },
    arrived(message) {
      const tooMany = underWay < MOST_UNDER_WAY ? undefined : `too many ${noun} are under way`;
      const why = whyNot(message) ?? tooMany;
      if (why !== undefined) return refuse(why, message.topic);
      underWay += 1;
      run(message, (reason) => refuse(reason, message.topic))
        .catch((error: unknown) => log.error({ reason: messageOf(error) }, 'a message from a topic was not answered'))
        .finally(() => {
          underWay -= 1;
        });
    },
  };
}

/** The result of a route, as the message on the topic `result`; `errors`: the wrong fields of the input, each with its path. Never throws. */
async function outcomeOf(host: MqttHost, call: Parameters<Host['call']>[0]) {
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

const callOf = ({ settings, signal }: MqttHost) => ({ key: settings.command_key, from: 'mqtt', signal }) as const;

/** Each name is a route of the API, and an operation of the families. */
export const COMMAND_NAMES = ['start', 'stop', 'pause', 'resume', 'reset', 'store'] as const;
const LONGEST = 6;

/** Answers each command on its own topic, also when it is refused. */
export function commandsFrom(host: MqttHost, topics: Topics, answer: Answer): TopicReader {
  const commandIn = (payload: Buffer) =>
    payload.length > LONGEST ? undefined : COMMAND_NAMES.find((name) => name === payload.toString('latin1'));
  return readerOf(host, {
    text: 'a message on a command topic was ignored',
    noun: 'commands',
    whyNot({ topic, payload, retain }) {
      if (!host.configs.get(topics.unitOf(topic, 'command') ?? '')) return 'its topic does not belong to a unit';
      // If the broker retains a command, it would run again with each connection.
      if (retain) return 'it is retained';
      return commandIn(payload) === undefined ? 'it is not a known command' : undefined;
    },
    async run({ topic, payload }) {
      const unitId = topics.unitOf(topic, 'command') ?? '';
      const command = commandIn(payload);
      const outcome = await outcomeOf(host, { ...callOf(host), path: `/{unit_id}/${command}`, unitId });
      const result = JSON.stringify({ time: iso(host.clock.now()), command, ...outcome });
      await answer({ topic: topics.of(unitId, 'result'), payload: result, retain: false });
    },
  });
}

/** A note has at most 2,000 characters; in JSON each may need six bytes. */
const MOST_BYTES = 16_384;

/** Notes and exclusions. Answers each message about a unit on its topic `result`, unless the message is retained. */
export function notesFrom(host: MqttHost, topics: Topics, answer: Answer): TopicReader {
  return readerOf(host, {
    text: 'a note was not written',
    noun: 'notes',
    whyNot({ topic, retain }) {
      if (!host.configs.get(topics.unitOf(topic, 'note') ?? '')) return 'its topic does not belong to a unit';
      // The note would be written again with each connection.
      return retain ? 'it is retained' : undefined;
    },
    async run({ topic, payload }, refuse) {
      const unitId = topics.unitOf(topic, 'note') ?? '';
      const body = objectIn(payload);
      const detail = `A note is one JSON object of up to ${MOST_BYTES} bytes.`;
      const outcome = body
        ? await outcomeOf(host, { ...callOf(host), path: '/{unit_id}/notes', unitId, body })
        : { ok: false, code: 'MALFORMED_JSON', detail };
      if (!outcome.ok && 'detail' in outcome) refuse(String(outcome.detail));
      const result = JSON.stringify({ time: iso(host.clock.now()), command: 'note', ...outcome });
      await answer({ topic: topics.of(unitId, 'result'), payload: result, retain: false });
    },
  });
}

function objectIn(payload: Buffer): object | undefined {
  if (payload.length > MOST_BYTES) return undefined;
  try {
    const given: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
    return typeof given === 'object' && given !== null && !Array.isArray(given) ? given : undefined;
  } catch {
    return undefined;
  }
}

/** Observations of stations: CSV, JSON with one object a line, and one JSON object without a time, which is about now. */
export function observationsFrom(host: MqttHost, topics: Topics): TopicReader {
  return readerOf(host, {
    text: 'an observation was not kept',
    noun: 'messages',
    whyNot: ({ topic }) => (topics.stationOf(topic) ? undefined : 'its topic does not belong to a station'),
    async run({ topic, payload, retain }, refuse) {
      const upload = withTime(payload, retain ? null : iso(host.clock.now()));
      const call = { path: '/_stations/{id}/observations', params: { id: topics.stationOf(topic) ?? '' }, upload };
      await host.call({ ...callOf(host), ...call }).catch((error: unknown) => refuse(messageOf(error)));
    },
  });
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
