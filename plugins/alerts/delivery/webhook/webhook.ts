/**
 * A webhook by Standard Webhooks (standardwebhooks.com, specification 1.0). The receiver can check that a message is
 * from this gateway, unchanged and new. The id of a message is the same at each try.
 */
import { createHmac } from 'node:crypto';
import type { Clock, Outbound } from '../../../../lib/index.ts';
import type { DeliveryRow } from '../delivery-tables.ts';
import { bodyOf, messageIdOf } from '../message-text.ts';
import type { Sent } from '../sent.ts';

/** The prefix of secrets in Standard Webhooks; base64 follows. */
export const SECRET_PREFIX = 'whsec_';

/** `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`; the key is the base64 after `whsec_`. */
export function signatureOf(secret: string, id: string, timestamp: number, body: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

/** One call: address, secret and body. */
export interface WebhookParts {
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly url: string;
  readonly secret: string;
}

/** Errors: as `Outbound.post`. */
export async function sendWebhook(parts: WebhookParts, message: DeliveryRow, signal: AbortSignal): Promise<Sent> {
  const { outbound, clock, url, secret } = parts;
  const id = messageIdOf(message);
  const timestamp = Math.floor(clock.now() / 1_000);
  const body = bodyOf(message);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'slm-gateway',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatureOf(secret, id, timestamp, body),
  };
  const { status } = await outbound.post({ url, headers, body }, signal);
  const ok = status >= 200 && status < 300;
  const redirect = status >= 300 && status < 400 ? ' Redirects are not followed: enter the address it leads to.' : '';
  return { ok, outcome: `The target answered ${status}.${redirect}` };
}
