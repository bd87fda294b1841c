/** The files of the audit log: one of JSON lines for each month (UTC), `2026-11.jsonl`, in a folder of their own. */
import { createReadStream } from 'node:fs';
import { open, readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = /^\d{4}-\d{2}\.jsonl$/;

/** The name of the file for records of this time, ms UTC. */
export const fileFor = (at: number): string => `${new Date(at).toISOString().slice(0, 7)}.jsonl`;

/** If the clock was set back over the end of a month, a new record still follows the earlier ones. */
export const laterFile = (one: string, other: string): string => (one > other ? one : other);

/** When the month of a file ends, ms UTC. */
export function endOf(name: string): number {
  const [year, month] = name.slice(0, 7).split('-').map(Number);
  return Date.UTC(year ?? 0, month ?? 0, 1);
}

const LONGEST_MONTH_MS = 31 * 86_400_000;

/**
 * Present time for the age of a month, ms UTC. The clock may be years ahead for an hour, and removed records are lost.
 * So it adds at most a month to the newest file before the present one. `names`: the oldest first.
 */
export function agesFrom(names: readonly string[], present: string, now: number): number {
  const before = names.findLast((name) => name < present);
  return before === undefined ? now : Math.min(now, endOf(before) + LONGEST_MONTH_MS);
}

/** The oldest first. Empty if the folder is missing. */
export async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => NAME.test(name)).sort();
}

/** Bytes of a file; 0 if it is missing. */
export const sizeOf = async (folder: string, name: string): Promise<number> =>
  (await stat(join(folder, name)).catch(() => undefined))?.size ?? 0;

/**
 * Lines of one file, one at a time. Only a line feed ends a line: `readline` would also cut at a U+2028, which may
 * occur within JSON.
 */
export async function* logLines(folder: string, name: string): AsyncGenerator<string> {
  let begun = '';
  for await (const text of createReadStream(join(folder, name), 'utf8')) {
    const [rest = '', ...more] = String(text).split('\n');
    begun += rest;
    for (const next of more) {
      yield begun;
      begun = next;
    }
  }
  if (begun !== '') yield begun;
}

/** Adds text to a file; resolves when it is on the disk. If it fails, for example on a full disk, no part of the text stays. */
export async function append(folder: string, name: string, text: string): Promise<void> {
  const path = join(folder, name);
  const file = await open(path, 'a', 0o600);
  try {
    const { size } = await file.stat();
    try {
      await file.appendFile(text);
      await file.datasync();
    } catch (error) {
      // By its name: on Windows a file that was opened for appending cannot be cut.
      await truncate(path, size).catch(() => {});
      throw error;
    }
  } finally {
    await file.close();
  }
}

/** Cuts off a last line that a crash left unfinished. Returns the number of bytes removed. */
export async function mend(folder: string, name: string): Promise<number> {
  const path = join(folder, name);
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const tail = Buffer.alloc(Math.min(size, 65_536));
    await file.read(tail, 0, tail.length, size - tail.length);
    const whole = size - tail.length + tail.lastIndexOf(0x0a) + 1;
    if (whole < size) await truncate(path, whole);
    return size - whole;
  } finally {
    await file.close();
  }
}

/** Rejects if the file is missing. */
export const remove = (folder: string, name: string): Promise<void> => rm(join(folder, name));
