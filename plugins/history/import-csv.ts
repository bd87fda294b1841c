/**
 * Reads the CSV of an import while it arrives: rows are handed on page by page, and errors name their line.
 *
 *   start,duration_s,leq,lmax,l10
 *   2026-11-21T06:00:00Z,900,54.3,71.2,57.1
 *
 * What GET history gives as CSV can be read again, with semicolons and decimal commas too.
 */
import { type InputError, type IntervalRow, invalid, isGatewayError, momentOf } from '../../lib/index.ts';

const MOST_ERRORS = 20;
const LONGEST_LINE = 4_096;
const PAGE_ROWS = 1_000;

const NEEDED = ['start', 'duration_s', 'leq'];
/** Columns in the files that the gateway writes. `coverage` shortens a row; the others are ignored. */
const ALSO = ['local_time', 'lmax', 'lmin', 'lpeak', 'coverage', 'quality', 'source', 'lp'];
const PERCENTILE = /^l(0[1-9]|[1-9][0-9])$/;

interface Header {
  readonly separator: ',' | ';';
  readonly columns: readonly string[];
}

/** Throws GatewayError INVALID with the first lines that are wrong; `path` is `/line/12`. */
export async function* readRows(chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly IntervalRow[]> {
  const errors: InputError[] = [];
  let header: Header | undefined;
  let number = 0;
  let page: IntervalRow[] = [];
  for await (const line of lines(chunks)) {
    number += 1;
    if (header === undefined) header = headerOf(line);
    else if (line !== '') {
      try {
        const row = rowOf(line, number, header);
        if (row) page.push(row);
      } catch (error) {
        if (!isGatewayError(error, 'INVALID')) throw error;
        errors.push(...(error.errors ?? []));
      }
    }
    if (errors.length >= MOST_ERRORS) break;
    // After an error nothing more is handed on, because nothing will be imported.
    if (page.length >= PAGE_ROWS && errors.length === 0) {
      yield page;
      page = [];
    }
  }
  if (header === undefined) throw wrong(1, 'is missing: the file is empty');
  if (errors.length > 0) throw invalid(errors.slice(0, MOST_ERRORS));
  if (page.length > 0) yield page;
}

const wrong = (line: number, message: string) => invalid([{ path: `/line/${line}`, message }]);

async function* lines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  let number = 1;
  for await (const chunk of chunks) {
    rest += decoded(() => decoder.decode(chunk, { stream: true }), number);
    const whole = rest.split(/\r\n|\n/);
    rest = whole.pop() ?? '';
    number += whole.length;
    if (rest.length > LONGEST_LINE) throw wrong(number, `is longer than ${LONGEST_LINE} characters`);
    yield* whole;
  }
  rest += decoded(() => decoder.decode(), number);
  if (rest !== '') yield rest;
}

function decoded(read: () => string, line: number): string {
  try {
    return read();
  } catch {
    throw wrong(line, 'or one after it is not UTF-8');
  }
}

function headerOf(line: string): Header {
  const separator = line.includes(';') ? ';' : ',';
  const columns = cellsOf(line, separator, 1).map((name) => name.toLowerCase());
  const unknown = columns.findIndex((name) => !NEEDED.includes(name) && !ALSO.includes(name) && !PERCENTILE.test(name));
  if (unknown >= 0)
    throw wrong(
      1,
      `has an unknown column, number ${unknown + 1}; known are ${[...NEEDED, ...ALSO].join(', ')}, l01 to l99`,
    );
  const missing = NEEDED.find((name) => !columns.includes(name));
  if (missing) throw wrong(1, `has no column ${missing}`);
  if (new Set(columns).size < columns.length) throw wrong(1, 'has a column twice');
  return { separator, columns };
}

/** Undefined for a row without any level: a gap. */
function rowOf(line: string, number: number, { separator, columns }: Header): IntervalRow | undefined {
  const cells = cellsOf(line, separator, number);
  if (cells.length !== columns.length)
    throw wrong(number, `has ${cells.length} cells and the header ${columns.length}`);
  const cell = (name: string) => cells[columns.indexOf(name)] ?? '';
  const level = (name: string) => levelOf(cell(name), number, name, separator);
  const leq = level('leq');
  const others = { lmax: level('lmax'), lmin: level('lmin'), lpeak: level('lpeak') };
  const percentiles = columns
    .filter((name) => PERCENTILE.test(name))
    .map((name) => [Number(name.slice(1)), level(name)] as const);
  if (leq === null) {
    if ([...Object.values(others), ...percentiles.map(([, value]) => value)].every((value) => value === null))
      return undefined;
    throw wrong(number, 'has no leq');
  }
  const ln = Object.fromEntries(percentiles.filter(([, value]) => value !== null)) as Record<number, number>;
  return {
    at: startOf(cell('start'), number),
    duration: durationOf(cell('duration_s'), cell('coverage'), number),
    leq,
    ...others,
    ...(Object.keys(ln).length > 0 && { ln }),
    line: number,
  };
}

const TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:[0-5]\d(\.0+)?)?([Zz]|[+-]\d\d(:?\d\d)?)$/;

function startOf(text: string, line: number): number {
  if (!TIME.test(text))
    throw wrong(line, 'has a start that is no full second with its offset, such as 2026-11-21T06:00:00Z');
  return momentOf(text, `/line/${line}`) / 1_000;
}

/** Where a row has data only for a part of its time, it lasts as long as its data: nothing becomes prettier on the way. */
function durationOf(text: string, coverage: string, line: number): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) < 1 || Number(text) > 86_400)
    throw wrong(line, 'has a duration_s that is not 1 to 86400 whole seconds');
  const share = coverage === '' ? 1 : Number(coverage.replace(',', '.'));
  if (!/^[01](?:[.,]\d{1,6})?$/.test(coverage || '1') || share > 1)
    throw wrong(line, 'has a coverage that is not 0 to 1');
  return Math.max(1, Math.floor(Number(text) * share));
}

function levelOf(text: string, line: number, name: string, separator: string): number | null {
  if (text === '') return null;
  const pattern = separator === ';' ? /^-?\d{1,3}([.,]\d{1,6})?$/ : /^-?\d{1,3}(\.\d{1,6})?$/;
  const level = Number(text.replace(',', '.'));
  if (!pattern.test(text) || Math.abs(level) > 300) throw wrong(line, `has a ${name} that is no level in dB`);
  return level;
}

/** Cells may stand in quotes; a line break within one is not known here. */
function cellsOf(line: string, separator: string, number: number): string[] {
  if (line.length > LONGEST_LINE) throw wrong(number, `is longer than ${LONGEST_LINE} characters`);
  const text = number === 1 ? line.replace(/^\ufeff/, '') : line;
  return text.split(separator).map((cell) => {
    const trimmed = cell.trim();
    const [, quoted] = /^"([^"]*)"$/.exec(trimmed) ?? [];
    return (quoted ?? trimmed).trim();
  });
}
