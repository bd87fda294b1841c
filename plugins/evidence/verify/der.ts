/** The form of DER (ITU-T X.690): a tag, a length, a content. What it holds is read by the library; here it is only cut and held to its one proper form. */

export interface DerValue {
  readonly tag: number;
  /** With tag and length. */
  readonly whole: Uint8Array;
  readonly content: Uint8Array;
}

/** The tag of a list of values in their order. */
export const SEQUENCE = 0x30;
export const SET = 0x31;
export const BITS = 0x03;
export const OCTETS = 0x04;
/** The tag `[0]` of a structure. */
export const TAGGED_0 = 0xa0;

const CONSTRUCTED = 0x20;
const LONG_TAG = 0x1f;
const DEEPEST = 32;

/** The values that lie one after another. Undefined where a length does not fit or is longer than it needs to be. */
export function derValues(bytes: Uint8Array): readonly DerValue[] | undefined {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length; ) {
    const value = valueAt(bytes, at);
    if (!value) return undefined;
    values.push(value);
    at += value.whole.length;
  }
  return values;
}

/** The values in a value of this tag, as many as expected; an empty list where it is another one. */
export function derInside(value: DerValue | undefined, tag: number, count?: number): readonly DerValue[] {
  const values = value?.tag === tag ? (derValues(value.content) ?? []) : [];
  return count === undefined || values.length === count ? values : [];
}

/** Whether the bytes are one value, and all in it has its one proper length. */
export function isDer(bytes: Uint8Array): boolean {
  return derValues(bytes)?.length === 1 && isProper(bytes, 0);
}

function isProper(bytes: Uint8Array, depth: number): boolean {
  if (depth > DEEPEST) return false;
  const values = derValues(bytes);
  return values?.every(({ tag, content }) => !(tag & CONSTRUCTED) || isProper(content, depth + 1)) ?? false;
}

function valueAt(bytes: Uint8Array, at: number): DerValue | undefined {
  const tag = bytes[at] ?? 0;
  const first = bytes[at + 1] ?? 0x80;
  const digits = first < 0x80 ? 0 : first - 0x80;
  if ((tag & LONG_TAG) === LONG_TAG || first === 0x80 || digits > 3) return undefined;
  const begin = at + 2 + digits;
  const length = digits === 0 ? first : bytes.subarray(at + 2, begin).reduce((sum, digit) => sum * 256 + digit, 0);
  const isShortest = digits === 0 || length >= (digits === 1 ? 0x80 : 256 ** (digits - 1));
  if (!isShortest || begin + length > bytes.length) return undefined;
  return { tag, whole: bytes.subarray(at, begin + length), content: bytes.subarray(begin, begin + length) };
}

export function derOf(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const digits: number[] = [];
  if (length >= 0x80) for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) digits.unshift(rest % 256);
  const head = digits.length === 0 ? [tag, length] : [tag, 0x80 + digits.length, ...digits];
  const whole = new Uint8Array(head.length + length);
  whole.set(head);
  let at = head.length;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
