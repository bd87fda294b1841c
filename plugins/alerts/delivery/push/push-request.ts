/** One request to a push service: the message encrypted for one browser (RFC 8291), signed for the service (RFC 8292). */
import { createECDH } from 'node:crypto';
import type { PhoneAddress } from './phones.ts';
import { type VapidPair, vapidHeader } from './vapid.ts';

/** The text, and the topic that it replaces. */
export interface PushMessage {
  readonly address: PhoneAddress;
  /** At most 3,993 bytes as UTF-8. */
  readonly text: string;
  /** A newer message replaces a message with the same topic that was not fetched (RFC 8030, 5.4). */
  readonly topic: string;
  readonly urgency: 'normal' | 'high';
}

/** The sender, for the push service. */
export interface PushOrigin {
  readonly pair: VapidPair;
  /** `mailto:` or `https:`. */
  readonly contact: string;
  /** ms since 1970 UTC. */
  readonly now: number;
}

/** The time in seconds for which the push service keeps a message for a phone that is off. */
const KEPT_S = 86_400;

/** Each call encrypts with a key of its own. */
export async function pushRequestOf(message: PushMessage, { pair, contact, now }: PushOrigin) {
  const { endpoint, p256dh, auth } = message.address;
  // Loaded only where somebody has subscribed.
  const { default: library } = await import('http_ece');
  const privateKey = createECDH('prime256v1');
  privateKey.generateKeys();
  const keys = { version: 'aes128gcm', dh: p256dh, authSecret: auth, privateKey } as const;
  return {
    url: endpoint,
    headers: {
      'content-type': 'application/octet-stream',
      'content-encoding': 'aes128gcm',
      'user-agent': 'slm-gateway',
      authorization: vapidHeader(pair, endpoint, contact, now),
      ttl: String(KEPT_S),
      urgency: message.urgency,
      topic: message.topic,
    },
    body: library.encrypt(Buffer.from(message.text), keys),
  };
}
