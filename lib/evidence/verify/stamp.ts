/** Reads what a time stamp (RFC 3161) is about: of which hash it is, and its time. Its own signature is checked by openssl, with the certificates of the authority. */

/** What a time stamp says. */
export interface StampFacts {
  /** The hash that was stamped. */
  readonly imprint: Uint8Array;
  /** RFC 3339 in UTC. */
  readonly at: string;
}

interface Value {
  readonly tag: number;
  readonly body: Uint8Array;
}

const SEQUENCE = 0x30;
const OCTETS = 0x04;
const TIME = 0x18;
const TAGGED = 0xa0;

/** Undefined where the bytes are no answer of a time stamp server that grants a stamp. */
export function readStamp(answer: Uint8Array): StampFacts | undefined {
  const [whole, ...behind] = valuesIn(answer) ?? [];
  if (!whole || behind.length > 0) return undefined;
  const [status, token] = inside(whole, SEQUENCE);
  const [granted] = inside(status, SEQUENCE);
  if (granted?.body.length !== 1 || (granted.body[0] ?? 9) > 1) return undefined;
  const [signedData] = inside(inside(token, SEQUENCE)[1], TAGGED);
  const [content] = inside(inside(inside(signedData, SEQUENCE)[2], SEQUENCE)[1], TAGGED);
  if (content?.tag !== OCTETS) return undefined;
  const [info] = valuesIn(content.body) ?? [];
  const [, , about, , time] = inside(info, SEQUENCE);
  const [, imprint] = inside(about, SEQUENCE);
  const at = time?.tag === TIME ? timeOf(new TextDecoder().decode(time.body)) : undefined;
  return imprint?.tag === OCTETS && at !== undefined ? { imprint: imprint.body, at } : undefined;
}

/** The values in one of this tag; none in another. */
function inside(value: Value | undefined, tag: number): readonly Value[] {
  return value?.tag === tag ? (valuesIn(value.body) ?? []) : [];
}

/** DER: tag, length, content, one after another. Undefined where a length does not fit. */
function valuesIn(bytes: Uint8Array): readonly Value[] | undefined {
  const values: Value[] = [];
  let at = 0;
  while (at < bytes.length) {
    const tag = bytes[at] ?? 0;
    let length = bytes[at + 1] ?? 0;
    let begin = at + 2;
    if (length > 0x84 || length === 0x80) return undefined;
    if (length > 0x80) {
      const digits = bytes.subarray(begin, begin + length - 0x80);
      begin += digits.length;
      length = digits.reduce((sum, digit) => sum * 256 + digit, 0);
    }
    if (begin + length > bytes.length) return undefined;
    values.push({ tag, body: bytes.subarray(begin, begin + length) });
    at = begin + length;
  }
  return values;
}

/** `20261122090000Z`, perhaps with a fraction of a second. */
function timeOf(text: string): string | undefined {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d(?:\.\d+)?)Z$/.exec(text) ?? [];
  return year === undefined ? undefined : `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
}
