/** Reads transcripts: what went over the control connection of a real meter, one message a line (format: see their heads). */
import { readdirSync, readFileSync } from 'node:fs';

export interface Exchange {
  readonly title: string;
  /** Bytes to the meter, with the line end. */
  readonly sent: string;
  readonly result: string;
  readonly data?: string;
  /** Meaning of the data line. Levels are numbers here. */
  readonly meaning?: unknown;
}

const folder = new URL('./transcripts/', import.meta.url);

/** Every exchange of every transcript, and those that the log shows by result only (`log-results.txt`). */
export function readExchanges(): Exchange[] {
  const captured = readdirSync(folder).filter((name) => name.endsWith('.txt'));
  return [...captured.map((name) => new URL(name, folder)), new URL('./log-results.txt', import.meta.url)].flatMap(
    (file) => parse(file.pathname.split('/').at(-1) ?? '', readFileSync(file, 'latin1')),
  );
}

function parse(file: string, text: string): Exchange[] {
  const messages = text.split('\n').filter((line) => /^[<>=] /.test(line));
  const starts = messages.flatMap((line, index) => (line.startsWith('> ') ? [index] : []));
  return starts.map((start, index) => exchange(file, messages.slice(start, starts[index + 1])));
}

function exchange(file: string, messages: readonly string[]): Exchange {
  const of = (mark: string) => messages.filter((line) => line.startsWith(mark)).map((line) => bytes(line.slice(2)));
  const [sent = ''] = of('> ');
  const [result = '', data] = of('< ').map((line) => line.replace('\r\n', ''));
  const [meaning] = of('= ');
  return {
    title: `${file}: ${sent.trim()}`,
    sent,
    result,
    ...(data !== undefined && { data }),
    ...(meaning !== undefined && { meaning: JSON.parse(meaning) }),
  };
}

const bytes = (text: string): string => text.replaceAll('<CR>', '\r').replaceAll('<LF>', '\n');
