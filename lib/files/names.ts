/**
 * Coding of names on a card. The meter's FTP server passes on bytes: UTF-8, or Shift-JIS from computers in Japan. In
 * Shift-JIS the second byte of a letter may equal a backslash (0x5C), so bytes become text before any search.
 */
import { GatewayError } from '../errors.ts';

export type NameCoding = 'utf-8' | 'shift_jis';

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const JAPANESE = new TextDecoder('shift_jis', { fatal: true });
const LENIENT = new TextDecoder('utf-8');

type Decoder = { decode(bytes: Uint8Array): string };

function textOf(bytes: Uint8Array, decoder: Decoder): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Each line of a listing as UTF-8, or else as Shift-JIS; a line that is neither has the letter U+FFFD. `coding`:
 * Shift-JIS if a line uses it; undefined if all lines are ASCII.
 */
export function readNames(bytes: Buffer): { readonly text: string; readonly coding: NameCoding | undefined } {
  const whole = textOf(bytes, UTF8);
  if (whole !== undefined) return { text: whole, coding: whole.length === bytes.length ? undefined : 'utf-8' };
  let coding: NameCoding = 'utf-8';
  const lines = bytes
    .toString('latin1')
    .split('\n')
    .map((line) => {
      const own = Buffer.from(line, 'latin1');
      const utf8 = textOf(own, UTF8);
      if (utf8 !== undefined) return utf8;
      const japanese = textOf(own, JAPANESE);
      // A letter may have two codes: a name that would be sent back in other bytes could not be found.
      if (japanese === undefined || !bytesOfName(japanese, 'shift_jis')?.equals(own)) return LENIENT.decode(own);
      coding = 'shift_jis';
      return japanese;
    });
  return { text: lines.join('\n'), coding };
}

/** Undefined if a letter has no code. */
export function bytesOfName(name: string, coding: NameCoding): Buffer | undefined {
  if (coding === 'utf-8') return Buffer.from(name);
  table ??= shiftJis();
  const codes: number[] = [];
  for (const letter of name) {
    const code = letter < '\x80' ? [letter.charCodeAt(0)] : table.get(letter);
    if (!code) return undefined;
    codes.push(...code);
  }
  return Buffer.from(codes);
}

let table: ReadonlyMap<string, readonly number[]> | undefined;

/** Made for the first such name. Rows 0xED and 0xEE repeat letters that also have codes elsewhere. */
function shiftJis(): ReadonlyMap<string, readonly number[]> {
  const letters = new Map<string, readonly number[]>();
  const learn = (...code: readonly number[]) => {
    const letter = textOf(Uint8Array.from(code), JAPANESE);
    if (letter !== undefined && !letters.has(letter)) letters.set(letter, code);
  };
  for (let single = 0xa1; single <= 0xdf; single++) learn(single);
  for (let lead = 0x81; lead <= 0xfc; lead++) {
    if ((lead > 0x9f && lead < 0xe0) || lead === 0xed || lead === 0xee) continue;
    for (let trail = 0x40; trail <= 0xfc; trail++) learn(lead, trail);
  }
  return letters;
}

export interface CardPath {
  /** Without doubled or trailing slashes; `/` for the root. */
  readonly path: string;
  readonly parent: string;
  /** Last segment; empty for the root. */
  readonly name: string;
}

/** Schema of a path on a card, as far as a schema can describe it. */
export const CARD_PATH = {
  type: 'string',
  minLength: 1,
  maxLength: 1_024,
  pattern: '^/(?!(?:.*/)?\\.\\.(?:/|$))[^\\u0000-\\u001f\\u007f-\\u009f]*$',
  description: 'an absolute path on the card of the meter, without `..` and control characters',
} as const;

/** FAT32 with long names allows 260 characters; UTF-8 needs up to four bytes for each. */
const LONGEST_BYTES = 1_024;

/**
 * Paths from callers: absolute, `/`-separated. Refused are paths that could leave the card, end the FTP command line,
 * or mislead. `pointer`: place in the request. Throws INVALID.
 */
export function cardPath(given: string, pointer: string): CardPath {
  const fault = faultOf(given);
  if (fault) throw new GatewayError('INVALID', `The path ${fault}.`, { errors: [{ path: pointer, message: fault }] });
  const segments = given.split('/').filter((segment) => segment !== '' && segment !== '.');
  return { path: `/${segments.join('/')}`, parent: `/${segments.slice(0, -1).join('/')}`, name: segments.at(-1) ?? '' };
}

function faultOf(given: string): string | undefined {
  if (!given.startsWith('/')) return 'must be absolute: it has to begin with /';
  if (Buffer.byteLength(given) > LONGEST_BYTES) return `must not be longer than ${LONGEST_BYTES} bytes`;
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(given)) return 'must not contain control characters or line breaks';
  if (!given.isWellFormed()) return 'must be well-formed Unicode';
  if (given.split(/[/\\]/).includes('..')) return 'must not contain ..';
  return undefined;
}

export const serverOf = ({ host, ftpPort }: { readonly host: string; readonly ftpPort: number }): string =>
  `${host.toLowerCase()} ${ftpPort}`;

export const inside = (folder: string, name: string): string => (folder === '/' ? `/${name}` : `${folder}/${name}`);
