/**
 * A webhook by Standard Webhooks (standardwebhooks.com, specification 1.0). The receiver can check that a message is
 * from this gateway, unchanged and new. The id of a message is the same at each try.
 */
import { createHmac } from 'node:crypto';
import { bodyOf, messageIdOf } from '../messages.ts';
import { isBrokerUrl, SECRET_SCHEMA, type TargetKind, URL_SCHEMA } from '../target-kind.ts';

const PREFIX = 'whsec_';

/** `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`; the key is the base64 after `whsec_`. */
export function signatureOf(secret: string, id: string, timestamp: number, body: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

interface WebhookFields {
  readonly url: string;
}

const SECRET = /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/;
const WANTED = `${PREFIX} and the base64 of 24 to 64 random bytes, the same at the receiver`;

export const webhookKind: TargetKind<WebhookFields> = {
  name: 'webhook',
  title: 'webhook',
  fields: [
    {
      name: 'url',
      label: 'Address of the webhook',
      schema: URL_SCHEMA,
      needed: true,
      example: 'https://example.org/hook',
    },
    { name: 'secret', label: 'Secret that signs the messages', schema: SECRET_SCHEMA, generated: PREFIX },
  ],
  problems({ url = '', secret }, present) {
    if (isBrokerUrl(url)) return [{ path: '/url', message: 'must begin with https:// or http://' }];
    if (secret !== undefined) return SECRET.test(secret) ? [] : [{ path: '/secret', message: `must be ${WANTED}` }];
    const isKept = present?.kind === 'webhook' && present.hasSecret;
    return isKept ? [] : [{ path: '/secret', message: `is needed: ${WANTED}` }];
  },
  addressOf: ({ url }) => url,
  async send({ url }, [message], { outbound, clock, secret, signal }) {
    if (!message) return { ok: true, outcome: 'There was nothing to send.' };
    if (secret === undefined) return { ok: false, outcome: 'The secret of the target is lost: set it again.' };
    const [id, body] = [messageIdOf(message), bodyOf(message)];
    const timestamp = Math.floor(clock.now() / 1_000);
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'slm-gateway',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatureOf(secret, id, timestamp, body),
    };
    const { status } = await outbound.post({ url, headers, body }, signal);
    const redirect = status >= 300 && status < 400 ? ' Redirects are not followed: enter the address it leads to.' : '';
    return { ok: status >= 200 && status < 300, outcome: `The target answered ${status}.${redirect}` };
  },
};
