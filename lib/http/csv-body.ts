/** Reads CSV that arrives as the body of a request: its lines with their numbers. Errors name the line. */
import { pipeline } from 'node:stream';
import { invalid } from './checks.ts';

const LONGEST_LINE = 4_096;
const PIECE_BYTES = 16_384;

/** One line; its cells have no quotes and no spaces around them. Lines count from 1; empty lines are left out. */
export interface CsvLine {
  readonly number: number;
  readonly cells: readonly string[];
}

export interface CsvBody {
  readonly separator: ',' | ';';
  readonly lines: AsyncIterable<CsvLine>;
}

/** Resolves after the first line. Reading the lines throws GatewayError INVALID; `path` is `/line/12`. */
export async function csvBody(chunks: AsyncIterable<Buffer>): Promise<CsvBody> {
  const { separator, text } = await separated(decoded(chunks));
  return { separator, lines: linesOf(text, separator) };
}

const wrong = (line: number, message: string) => invalid([{ path: `/line/${line}`, message }]);

/** Pieces that are read in a few milliseconds each: other requests need turns, too. */
async function* decoded(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  const read = (decode: () => string): string => {
    try {
      return decode();
    } catch {
      throw wrong(line, 'or one after it is not UTF-8');
    }
  };
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      const text = read(() => decoder.decode(chunk.subarray(at, at + PIECE_BYTES), { stream: true }));
      line += text.split('\n').length - 1;
      yield text;
    }
  }
  yield read(() => decoder.decode());
}

async function separated(pieces: AsyncGenerator<string>) {
  let first = '';
  while (!first.includes('\n') && first.length <= LONGEST_LINE) {
    const next = await pieces.next();
    if (next.done) break;
    first += next.value;
  }
  const [line = ''] = first.split('\n', 1);
  if (/\r[^\r]/.test(line))
    throw wrong(1, 'ends with CR alone, without LF: save the file with LF or CR LF at the end of lines');
  if (/^"?sep=/i.test(line)) throw wrong(1, `is ${line.trim()}, which is for spreadsheet programs: remove this line`);
  if (line.includes('\t') && !/[,;]/.test(line))
    throw wrong(1, 'has tabs between its cells: save the file with commas or semicolons between them');
  const whole = async function* (): AsyncGenerator<string> {
    // Lines are counted by their line feeds.
    yield first.replaceAll('\r', '');
    for await (const piece of pieces) yield piece.replaceAll('\r', '');
  };
  return { separator: line.includes(';') ? (';' as const) : (',' as const), text: whole() };
}

async function* linesOf(text: AsyncGenerator<string>, separator: ',' | ';'): AsyncGenerator<CsvLine> {
  // Loaded with the first import: the start does not wait for it.
  const { parse } = await import('csv-parse');
  const parser = parse({
    bom: true,
    delimiter: separator,
    info: true,
    max_record_size: LONGEST_LINE,
    record_delimiter: '\n',
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
  });
  const parsed: AsyncIterable<{ readonly info: { readonly lines: number }; readonly record: readonly string[] }> =
    pipeline(text, parser, () => {});
  try {
    for await (const { info, record } of parsed) yield { number: info.lines, cells: record };
  } catch (error) {
    throw refusal(error);
  }
}

function refusal(error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error && 'lines' in error && typeof error.lines === 'number')) return error;
  return error.code === 'CSV_MAX_RECORD_SIZE'
    ? wrong(error.lines, `is longer than ${LONGEST_LINE} bytes`)
    : wrong(error.lines, 'or one before it has a quotation mark in the wrong place');
}
