/** A message to the broker of a target: one connection for each message, QoS 1. It counts when the broker has confirmed it. */
import { type InputError, type Outbound, PLAIN_TEXT, type Talk, unlessAborted } from '../../../../lib/built-in.ts';
import type { DeliveryRow } from '../../tables.ts';
import { bodyOf, messageIdOf } from '../messages.ts';
import type { Sent } from '../target.ts';
import { isBrokerUrl, SECRET_SCHEMA, type TargetKind, URL_SCHEMA } from '../target-kind.ts';

interface BrokerTarget {
  readonly url: string;
  readonly topic: string;
  readonly username?: string | undefined;
}

/** The payload is the same at each try, so that a receiver can drop duplicates. MQTT 3.1.1 has no headers: the id is inside. */
const payloadOf = (message: DeliveryRow): string =>
  JSON.stringify({ id: messageIdOf(message), ...JSON.parse(bodyOf(message)) });

/** Errors: as `Outbound.converse`. */
export async function sendMqtt(
  outbound: Outbound,
  { url, topic, username }: BrokerTarget,
  password: string | undefined,
  message: DeliveryRow,
  signal: AbortSignal,
): Promise<Sent> {
  const credentials = { ...(username && { username }), ...(password !== undefined && { password }) };
  await outbound.converse(
    url,
    (connection, limit) => publish(connection, credentials, topic, payloadOf(message), limit),
    signal,
  );
  return { ok: true, outcome: 'The broker confirmed it.' };
}

async function publish(
  connection: Parameters<Talk<void>>[0],
  credentials: { readonly username?: string; readonly password?: string },
  topic: string,
  payload: string,
  signal: AbortSignal,
): Promise<void> {
  // Loaded only where there is such a target.
  const { default: mqtt } = await import('mqtt');
  const client = new mqtt.MqttClient(() => connection, {
    // Every broker accepts 3.1.1. The connection is already open, and has its deadline.
    protocolVersion: 4,
    clean: true,
    reconnectPeriod: 0,
    keepalive: 0,
    connectTimeout: 3_600_000,
    ...credentials,
  });
  // If the broker refuses, its reason comes together with the end of the connection.
  let refusal: Error | undefined;
  const broken = new Promise<never>((_resolve, reject) => {
    client.on('error', (error) => {
      refusal ??= error;
      reject(error);
    });
    client.on('close', () => reject(new Error('the broker closed the connection')));
  });
  broken.catch(() => {});
  try {
    await unlessAborted(Promise.race([client.publishAsync(topic, payload, { qos: 1 }), broken]), signal);
    client.end();
  } catch (error) {
    client.end(true);
    throw refusal ?? error;
  }
}

export const mqttKind: TargetKind<BrokerTarget> = {
  name: 'mqtt',
  title: 'MQTT, a topic of a broker',
  fields: [
    {
      name: 'url',
      label: 'Address of the broker',
      schema: URL_SCHEMA,
      needed: true,
      example: 'mqtts://example.org:8883',
    },
    {
      name: 'topic',
      label: 'Topic',
      example: 'site/alerts',
      needed: true,
      schema: {
        type: 'string',
        maxLength: 200,
        pattern: '^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$',
        description: 'a topic of a broker: words of letters, digits, dashes and underscores with slashes between them',
      },
    },
    {
      name: 'username',
      label: 'User at the broker',
      schema: {
        type: 'string',
        minLength: 1,
        maxLength: 256,
        pattern: PLAIN_TEXT,
        description: 'the user at a broker',
      },
    },
    { name: 'secret', label: 'Password at the broker', schema: SECRET_SCHEMA },
  ],
  problems({ url, username, secret }, present): InputError[] {
    if (url !== undefined && !isBrokerUrl(url))
      return [{ path: '/url', message: 'must begin with mqtts:// or mqtt://' }];
    const isKept = present?.kind === 'mqtt' && present.hasSecret;
    if (isKept && secret === undefined && url !== present.url)
      return [{ path: '/secret', message: 'is needed again: the stored password is for another broker' }];
    if ((isKept || secret !== undefined) && username === undefined)
      return [{ path: '/username', message: 'is needed together with a password' }];
    return [];
  },
  addressOf: ({ url }) => url,
  async send(target, [message], { outbound, secret, signal }) {
    if (!message) return { ok: true, outcome: 'There was nothing to send.' };
    return sendMqtt(outbound, target, secret, message, signal);
  },
};
