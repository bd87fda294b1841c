/** A message to the broker of a target: one connection for each message, QoS 1. It counts when the broker has confirmed it. */
import { type Outbound, type Talk, unlessAborted } from '../../../../lib/index.ts';
import type { DeliveryRow } from '../delivery-tables.ts';
import { bodyOf, messageIdOf } from '../message-text.ts';
import type { Sent } from '../sent.ts';

/** The broker and the topic of a target. */
export interface BrokerTarget {
  readonly url: string;
  readonly topic: string;
  readonly username?: string | undefined;
}

/** The payload is the same at each try, so that a receiver can drop duplicates. MQTT 3.1.1 has no headers: the id is inside. */
export const payloadOf = (message: DeliveryRow): string =>
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

/** Resolves with the confirmation of the broker. */
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
