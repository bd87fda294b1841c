/** Targets that are called by HTTP. */
import { isBrokerUrl, SECRET_SCHEMA, URL_SCHEMA } from '../addresses.ts';
import type { TargetKind } from '../target-kind.ts';
import { sendWebhook } from './webhook.ts';

interface WebhookFields {
  readonly url: string;
}

const PREFIX = 'whsec_';
const SECRET = /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/;
const WANTED = `${PREFIX} and the base64 of 24 to 64 random bytes, the same at the receiver`;

/** One call for each event. */
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
    return sendWebhook({ outbound, clock, url, secret }, message, signal);
  },
};
