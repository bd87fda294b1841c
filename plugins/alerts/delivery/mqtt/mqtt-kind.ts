/** Targets that are a topic of an MQTT broker. */
import { type InputError, PLAIN_TEXT } from '../../../../lib/index.ts';
import { isBrokerUrl, SECRET_SCHEMA, URL_SCHEMA } from '../addresses.ts';
import type { TargetKind } from '../target-kind.ts';
import { type BrokerTarget, sendMqtt } from './mqtt-message.ts';

/** One message for each event. */
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
