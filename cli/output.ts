/** The result of a command: JSON for a program, or for a person values, rows in columns, and tables. `-`: not known. */
import type { CommandCall } from './contract.ts';

/** Prints `data` as JSON if this was asked for, else the text. */
export function printed(
  { json, terminal }: Pick<CommandCall, 'json' | 'terminal'>,
  data: unknown,
  text: () => string,
): undefined {
  const lines = () => text().split('\n').map(harmless).join('\n');
  terminal.write(`${json ? JSON.stringify(data, undefined, 2) : lines()}\n`);
}

/** Prints the message of an answer, or as JSON the whole answer. */
export async function printedMessage(
  call: Pick<CommandCall, 'json' | 'terminal'>,
  asked: Promise<{ readonly message: string }>,
): Promise<undefined> {
  const answer = await asked;
  return printed(call, answer, () => answer.message);
}

/** The same, but as JSON only the data. */
export async function printedData(
  call: Pick<CommandCall, 'json' | 'terminal'>,
  asked: Promise<{ readonly message: string; readonly data: unknown }>,
): Promise<undefined> {
  const { message, data } = await asked;
  return printed(call, data, () => message);
}

/** One JSON object a line, for what does not end. */
export const printedLine = ({ terminal }: Pick<CommandCall, 'terminal'>, data: unknown): void =>
  terminal.write(`${JSON.stringify(data)}\n`);

/** Each column as wide as its widest cell; the last one as it is. No space at the end of a line. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? 0, width(cell));
    });
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => cell + ' '.repeat((widths[at] ?? 0) - width(cell)))
      .join('  ')
      .trimEnd();
  return rows.map(line).join('\n');
}

/** A table with a head; one line that says so where it has no rows. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[], none: string): string =>
  rows.length === 0 ? none : columns([head.map((word) => word.toUpperCase()), ...rows]);

/** Prints entries: as a table with this head and a row for each, or as JSON themselves. */
export async function printedRows<Item>(
  call: Pick<CommandCall, 'json' | 'terminal'>,
  asked: readonly Item[] | Promise<readonly Item[]>,
  head: readonly string[],
  rowOf: (item: Item) => readonly string[],
  none: string,
): Promise<undefined> {
  const items = await asked;
  return printed(call, items, () => table(head, items.map(rowOf), none));
}

/** Names may come from a device or from another user: what would move the cursor is taken out. */
export const harmless = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '?');

const width = (text: string): number => [...text].length;

// Values as people read them. `-`: not known.

export const NONE = '-';

/** `1 file`, `3 files`; with a second form also `1 meter is`, `3 meters are`. */
export const counted = (count: number, one: string, several = `${one}s`): string =>
  `${count} ${count === 1 ? one : several}`;

export const text = (value: unknown): string =>
  value === null || value === undefined || value === ''
    ? NONE
    : harmless(typeof value === 'object' ? JSON.stringify(value) : String(value));

/** The state of a measurement, by the same word everywhere: `Measure` and `Stop` are those of the meter. */
export const measuring = (state: unknown): string =>
  state === 'Measure' ? 'measuring' : state === 'Stop' ? 'stopped' : text(state);

/** Half a step goes away from zero, of the number as it is written: 64.85 is 64.9. A number that is rounded to zero has no sign. */
const decimals = (count: number) =>
  new Intl.NumberFormat('en-US', {
    minimumFractionDigits: count,
    maximumFractionDigits: count,
    useGrouping: false,
    signDisplay: 'negative',
  });
const TENTHS = decimals(1);
const HUNDREDTHS = decimals(2);

export const level = (value: unknown): string => (typeof value === 'number' ? TENTHS.format(value) : text(value));

/** A level in dB, as the API rounds it, with two decimals: rounded again to one, 67.246 would be 67.3. */
export const exactLevel = (value: unknown): string =>
  typeof value === 'number' ? HUNDREDTHS.format(value) : text(value);

/** `12 s`, `3 min`, `5 h`, `2 d`. */
export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return NONE;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`;
}

/** `4.2 MB`. */
export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1_000 ** power).toFixed(1)} ${units[power - 1]}`;
}

/** Never rounded up: only the whole is 100 %. */
export const percent = (share: number): string => `${Math.floor(share * 1_000 + 1e-6) / 10} %`;

/** `2026-11-21 06:54:59`: a time of the API without its milliseconds. Still UTC. */
export const moment = (iso: string | null | undefined): string =>
  iso ? iso.replace('T', ' ').replace(/(\.\d+)?Z$/, '') : NONE;
