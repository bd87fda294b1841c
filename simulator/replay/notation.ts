/**
 * Bytes as one line of text and back. Printable ASCII is written as it is, spaces too. Every other byte is a name or two
 * hexadecimal digits in angle brackets: `<CR>` `<LF>` `<SUB>` `<NUL>` `<E9>`. A byte `<` is written `<3C>`. A `<` that opens
 * none of these means itself, as in older transcripts. A space at the end is `<20>`, because editors cut spaces there.
 */
const NAMES: Readonly<Record<string, number>> = { CR: 0x0d, LF: 0x0a, SUB: 0x1a, NUL: 0x00 };
const WORDS = new Map(Object.entries(NAMES).map(([name, byte]) => [byte, name]));
const MARK = /<(CR|LF|SUB|NUL|[0-9A-F]{2})>/g;
const LT = 0x3c;
const BLANK = 0x20;

/** Any bytes; `parseBytes` reads the text back. */
export function formatBytes(bytes: Uint8Array): string {
  const words = Array.from(bytes, (byte) => (isPlain(byte) ? String.fromCharCode(byte) : marked(byte)));
  if (bytes.at(-1) === BLANK) words[words.length - 1] = marked(BLANK);
  return words.join('');
}

/** Throws a TypeError on a character that does not represent a byte. */
export function parseBytes(text: string): Uint8Array {
  const plain = text.replace(MARK, (_, word: string) => String.fromCharCode(NAMES[word] ?? Number.parseInt(word, 16)));
  const strange = /[^\x20-\x7e]/.exec(text)?.[0];
  if (strange !== undefined) throw new TypeError(`${JSON.stringify(strange)} must be written in angle brackets`);
  return new Uint8Array(Buffer.from(plain, 'latin1'));
}

const isPlain = (byte: number) => byte >= BLANK && byte <= 0x7e && byte !== LT;

const marked = (byte: number) => `<${WORDS.get(byte) ?? byte.toString(16).toUpperCase().padStart(2, '0')}>`;
