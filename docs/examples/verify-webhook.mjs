/** Checks that a webhook is from your gateway, unchanged and not old (Standard Webhooks). No package is needed. */
import { createHmac, timingSafeEqual } from 'node:crypto';

const MOST_SECONDS = 300;

/** `body`: the text exactly as it came. `now`: seconds since 1970. */
export function verify(secret, headers, body, now = Date.now() / 1_000) {
  const timestamp = Number(headers['webhook-timestamp']);
  if (!(Math.abs(now - timestamp) <= MOST_SECONDS)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const expected = createHmac('sha256', key).update(signed).digest();
  return String(headers['webhook-signature'])
    .split(' ')
    .some((one) => {
      const given = Buffer.from(one.replace(/^v1,/, ''), 'base64');
      return one.startsWith('v1,') && given.length === expected.length && timingSafeEqual(given, expected);
    });
}
