/**
 * How names are written on a card. The meter's FTP server passes on bytes: UTF-8, or Shift-JIS from computers in Japan. In
 * Shift-JIS the second byte of a letter may be that of a backslash (0x5C), so bytes are read as text before anything is looked for in them.
 */

/** How the bytes of a name are written. */
export type NameCoding = 'utf-8' | 'shift_jis';

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const JAPANESE = new TextDecoder('shift_jis', { fatal: true });
const LENIENT = new TextDecoder('utf-8');

type Decoder = { decode(bytes: Uint8Array): string };

/** Undefined where the bytes are no text of this coding. */
function textOf(bytes: Uint8Array, decoder: Decoder): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Each line of a listing as UTF-8, or else as Shift-JIS. What is neither has the letter U+FFFD. `coding`: Shift-JIS if a line is;
 * undefined where all is ASCII, which both write alike.
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
      // A letter may have two codes: a name that would go back to the meter in other bytes could not be asked for.
      if (japanese === undefined || !bytesOfName(japanese, 'shift_jis')?.equals(own)) return LENIENT.decode(own);
      coding = 'shift_jis';
      return japanese;
    });
  return { text: lines.join('\n'), coding };
}

/** Undefined where a letter has no code. */
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

/** Made with the first such name, by reading every code. Rows 0xED and 0xEE have letters again that stand elsewhere, too. */
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
