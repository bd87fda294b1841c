/**
 * Transcripts as text and back: what went over a control connection, one message a line.
 *
 *   # @1204.5                   1204.5 ms after the recording began ...
 *   > DOD?<CR><LF>              ... this came from the client, in one segment
 *   # @1391                     then, in one segment
 *   < R+0000<CR><LF>
 *   <  45.8,  -.-,  -.-<CR><LF>
 *   = {"main":{"lp":45.8}}      what it means, as JSON; for readers that decode
 *   # @1391 meter ends          connections: `client connects`, `client ends`, `client resets`, `meter ends`, `meter resets`
 *
 * Times and connections are in comments, so a reader of the plain format can read this one as well. A segment goes on over
 * all lines of its side up to the next comment with a time; without any time every line is a segment of its own.
 */

export type Side = 'client' | 'meter';
export type ConnectionEvent = 'connects' | 'ends' | 'resets';

export type Entry =
  /** Bytes of one segment; `at` in ms, null if the time is not known. */
  | { readonly kind: 'bytes'; readonly side: Side; readonly at: number | null; readonly bytes: Uint8Array }
  | { readonly kind: 'event'; readonly side: Side; readonly at: number; readonly what: ConnectionEvent }
  | { readonly kind: 'comment'; readonly text: string }
  | { readonly kind: 'meaning'; readonly json: string };

export const HEAD = [
  'A transcript: what went over the control connection, one message a line.',
  '  >  client to meter      <  meter to client      # @ms  time of what follows, from the start of the recording',
  '<CR> <LF> <SUB> <NUL> <E9> stand for bytes, two digits are hexadecimal; everything else is literal, spaces included.',
] as const;

const MARKS = { client: '>', meter: '<' } as const;
const LF = 0x0a;

export const formatTranscript = (entries: readonly Entry[]): string => entries.map(formatEntry).join('');

export function formatEntry(entry: Entry): string {
  switch (entry.kind) {
    case 'comment':
      return `# ${entry.text.replace(/[\r\n]+/g, ' ')}`.trimEnd().concat('\n');
    case 'meaning':
      return `= ${entry.json}\n`;
    case 'event':
      return `# @${time(entry.at)} ${entry.side} ${entry.what}\n`;
    default: {
      const head = entry.at === null ? '' : `# @${time(entry.at)}\n`;
      const lines = linesOf(entry.bytes).map((line) => `${MARKS[entry.side]} ${formatBytes(line)}\n`);
      return head + lines.join('');
    }
  }
}

/** Thousandths of a ms, at most. */
const time = (at: number) => String(Math.round(at * 1_000) / 1_000);

/** Split after every LF, as people read. */
function linesOf(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(LF, from);
    const to = end < 0 ? bytes.length : end + 1;
    lines.push(bytes.subarray(from, to));
    from = to;
  }
  return lines;
}

const TIME = /^# @(\d+(?:\.\d+)?)$/;
const EVENT = /^# @(\d+(?:\.\d+)?) (client|meter) (connects|ends|resets)$/;

/** Throws a TypeError that names the line. */
export function parseTranscript(text: string): Entry[] {
  const entries: Entry[] = [];
  let at: number | null = null;
  let begins = true;
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.replace(/\r$/, '');
    const timed = TIME.exec(line);
    const entry = timed ? null : inLine(index + 1, () => parseLine(line, at));
    if (timed) at = Number(timed[1]);
    begins ||= timed !== null;
    if (!entry) continue;
    append(entries, entry, begins);
    begins = entry.kind !== 'bytes';
  }
  return entries;
}

/** Lines of one segment become one entry again. */
function append(entries: Entry[], entry: Entry, begins: boolean): void {
  const last = entries.at(-1);
  const same = entry.kind === 'bytes' && last?.kind === 'bytes' && entry.side === last.side && entry.at !== null;
  if (same && !begins) entries[entries.length - 1] = { ...last, bytes: Buffer.concat([last.bytes, entry.bytes]) };
  else entries.push(entry);
}

function parseLine(line: string, at: number | null): Entry | null {
  const event = EVENT.exec(line);
  if (event) {
    const [, when, side, what] = event;
    return { kind: 'event', side: side as Side, at: Number(when), what: what as ConnectionEvent };
  }
  if (line === '') return null;
  const [mark, payload] = [line[0], line.slice(2)];
  if (mark === '#') return { kind: 'comment', text: payload };
  if (line[1] !== ' ') throw new TypeError('after its mark a line has one space');
  if (mark === '=') return { kind: 'meaning', json: payload };
  if (mark === '>' || mark === '<') {
    return { kind: 'bytes', side: mark === '>' ? 'client' : 'meter', at, bytes: parseBytes(payload) };
  }
  throw new TypeError('a line begins with #, >, < or =');
}

function inLine<T>(number: number, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new TypeError(`line ${number}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

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
