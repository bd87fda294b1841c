/** Reads the file of a month from its end: the cost of a page depends on the page, not on the size of the month. */
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../log.ts';
import { CHAIN_START, filesIn, type Link, logLines, mend, parsed } from './chain.ts';
import type { AuditRecord } from './contract.ts';

const BLOCK = 65_536;
const NEWLINE = 0x0a;

interface RecordRange {
  readonly before?: number;
  readonly limit: number;
  readonly wanted?: (record: AuditRecord) => boolean;
}

/** The last ones that match, the newest first. None where the file is gone: old months are removed while others read. */
export async function latest(
  folder: string,
  name: string,
  { before = Number.POSITIVE_INFINITY, limit, wanted = () => true }: RecordRange,
): Promise<AuditRecord[]> {
  const file = await open(join(folder, name), 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (!file) return [];
  try {
    const { size } = await file.stat();
    const end = before === Number.POSITIVE_INFINITY ? size : await endBefore(file, size, before);
    const found: AuditRecord[] = [];
    for await (const line of linesBackward(file, end)) {
      const record = parsed(line);
      if (record && record.n < before && wanted(record)) found.push(record);
      if (found.length >= limit) break;
    }
    return found;
  } finally {
    await file.close();
  }
}

/** Lines that end at or before a byte, the last one first. Cut at line feeds, so no character is torn. */
async function* linesBackward(file: FileHandle, end: number): AsyncGenerator<string> {
  let position = end;
  let rest: Buffer[] = [];
  while (position > 0) {
    const start = Math.max(0, position - BLOCK);
    let block = await bytesOf(file, start, position);
    for (let at = block.lastIndexOf(NEWLINE); at >= 0; at = block.lastIndexOf(NEWLINE)) {
      const line = Buffer.concat([block.subarray(at + 1), ...rest]);
      if (line.length > 0) yield line.toString();
      rest = [];
      block = block.subarray(0, at);
    }
    rest = [block, ...rest];
    position = start;
  }
  const first = Buffer.concat(rest);
  if (first.length > 0) yield first.toString();
}

/**
 * A byte after the last record with a smaller number, and not far after it: numbers only grow. A line that is not a record
 * ends the search at this place.
 */
async function endBefore(file: FileHandle, size: number, before: number): Promise<number> {
  let low = 0;
  let high = size;
  while (high - low > BLOCK) {
    const middle = Math.floor((low + high) / 2);
    const n = await numberAfter(file, middle, high);
    if (n === undefined) break;
    if (n < before) low = middle;
    else high = middle;
  }
  return Math.min(size, high + BLOCK);
}

/** The number of the first record that begins behind a byte. */
async function numberAfter(file: FileHandle, position: number, end: number): Promise<number | undefined> {
  const block = await bytesOf(file, position, Math.min(end, position + BLOCK));
  const begin = block.indexOf(NEWLINE) + 1;
  const stop = block.indexOf(NEWLINE, begin);
  return begin === 0 || stop < 0 ? undefined : parsed(block.subarray(begin, stop).toString())?.n;
}

async function bytesOf(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const block = Buffer.alloc(end - start);
  const { bytesRead } = await file.read(block, 0, block.length, start);
  return block.subarray(0, bytesRead);
}

/**
 * Last link of the chain in an earlier log. The point where the chain continues. A last line that is not a record
 * leaves a gap, which `verify` will report.
 */
export async function lastLink({ folder, log }: { readonly folder: string; readonly log: Log }): Promise<Link> {
  for (const name of (await filesIn(folder)).reverse()) {
    const torn = await mend(folder, name);
    if (torn > 0) log.warn({ file: name, bytes: torn }, 'an unfinished last record of the audit log was cut off');
    let last: string | undefined;
    for await (const line of logLines(folder, name)) last = line;
    if (last === undefined) continue;
    const record = parsed(last);
    if (!record) log.error({ file: name }, 'the audit log is damaged: run npm run audit -- verify');
    const link = record ?? (await latest(folder, name, { limit: 1 }))[0];
    if (link) return link;
  }
  return CHAIN_START;
}
