/** Targets that are phones: of everybody who has turned alerts on there, or only of some people. */
import { languageOf, PLAIN_TEXT } from '../../../../lib/built-in.ts';
import type { TargetKind } from '../target-kind.ts';
import { NO_CONTACT } from './push-sender.ts';
import { contactOf } from './vapid.ts';

interface PushFields {
  readonly people?: readonly string[];
}

export const pushKind: TargetKind<PushFields> = {
  name: 'push',
  title: 'notification on telephones (Web Push)',
  fields: [
    {
      name: 'people',
      label: 'People and API keys; nobody named: all',
      example: 'Anna',
      schema: {
        type: 'array',
        minItems: 1,
        maxItems: 50,
        uniqueItems: true,
        items: {
          type: 'string',
          minLength: 1,
          maxLength: 64,
          pattern: PLAIN_TEXT,
          description: 'the name of a person or of an API key',
        },
        description: 'Names of people and API keys whose phones get messages. Default: all that have subscribed.',
      },
    },
  ],
  lacks: (settings) => (contactOf(settings) === undefined ? NO_CONTACT : undefined),
  phonesOf: ({ people }) => people,
  async send({ people, language }, [message], { push, unitOf, signal }) {
    if (!message) return { ok: true, outcome: 'There was nothing to send.' };
    const reader = { unit: unitOf(String(message.event.unit_id ?? '')), language: languageOf(language) };
    return push.send(message, people, reader, signal);
  },
};
