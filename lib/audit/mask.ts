/** Limits the data of a request for the audit log: no secrets, and a limited size. */

const SECRET =
  /pass(?:word|phrase)?$|secret|token|ticket|credential|user_?name|authorization|^(?:api_?)?key$|^link$|^signature$|^endpoint$|^p256dh$|^auth$/i;
const MOST_BYTES = 4_096;
const MASK = '***';

/**
 * A copy in which every text under a name that sounds like a secret is `***`; a value that is too large becomes its
 * size.
 */
export function withoutSecrets(value: unknown): unknown {
  if (value === undefined) return null;
  const copy = maskedPart(value, 0);
  const size = Buffer.byteLength(JSON.stringify(copy));
  return size > MOST_BYTES ? { left_out_bytes: size } : copy;
}

function maskedPart(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > 8) return MASK;
  if (Array.isArray(value)) return value.map((part) => maskedPart(part, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      SECRET.test(name) && (typeof part === 'string' || typeof part === 'number') ? MASK : maskedPart(part, depth + 1),
    ]),
  );
}
