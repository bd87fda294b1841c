/** Targets that get mail: one mail for all events of a minute. */
import type { TargetKind } from '../target-kind.ts';
import { sendMail } from './mail.ts';
import { lacksServer } from './smtp.ts';

interface MailFields {
  readonly to: readonly string[];
}

/** Needs the mail server of the settings. */
export const mailKind: TargetKind<MailFields> = {
  name: 'mail',
  title: 'mail',
  fields: [
    {
      name: 'to',
      label: 'Mail addresses',
      example: 'site@example.org',
      needed: true,
      schema: {
        type: 'array',
        minItems: 1,
        maxItems: 20,
        uniqueItems: true,
        items: {
          type: 'string',
          maxLength: 254,
          pattern: "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$",
          description: 'one mail address such as site@example.org, without a name',
        },
      },
    },
  ],
  lacks: lacksServer,
  gather: { most: 50, ms: 60_000 },
  recipients: ({ to }) => to,
  async send({ id, to }, messages, parts) {
    const links = await Promise.all(messages.map((message) => parts.links.linkFor({ id, to }, message)));
    return sendMail(to, messages, parts, links);
  },
};
