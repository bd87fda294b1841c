/** Fields that several kinds of targets have. Data only. */
import { PLAIN_TEXT } from '../../../lib/index.ts';

/** An address. The kind of the target says which schemes are accepted. */
export const URL_SCHEMA = {
  type: 'string',
  minLength: 1,
  maxLength: 2_000,
  description: 'For a webhook: https://example.org/hook. For a broker: mqtts://example.org:8883',
} as const;

/** A secret is write-only. */
export const SECRET_SCHEMA = {
  type: 'string',
  minLength: 1,
  maxLength: 256,
  pattern: PLAIN_TEXT,
  writeOnly: true,
  description:
    'for a webhook: whsec_ and the base64 of 24 to 64 random bytes; for a broker: the password. Never shown; a PUT without it keeps it',
} as const;

/** Whether an address is `mqtt:` or `mqtts:`. */
export const isBrokerUrl = (url: string): boolean => /^\s*mqtts?:/i.test(url);
