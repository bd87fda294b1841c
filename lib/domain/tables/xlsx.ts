/**
 * Tables as workbooks for spreadsheets (ECMA-376): numbers are numbers, and times are dates of the local clock with
 * their offset beside them. A text stays a text, whatever its first character. The same tables give the same bytes. The
 * library is loaded with the first workbook.
 */
import { extname } from 'node:path';
import type { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { ROOT } from '../../root.ts';
import type { SheetCell, SheetColumn, TableSheet } from './sheet.ts';

/** By its place below the root, where the build has it among its entries, with the ending of this file. */
const FILE = new URL(`lib/domain/tables/thread${extname(import.meta.url)}`, ROOT);
const MOST_MEMORY_MB = 256;

/**
 * The whole workbook. `at`: its time of creation, ms since 1970 UTC. Needs memory for all rows. The library writes it in
 * one turn: a thread does this, so that nobody else waits. Rejects when the thread ends without a workbook, and with the
 * reason of the signal, which ends the thread.
 */
export async function workbook(sheets: readonly TableSheet[], at: number, signal: AbortSignal): Promise<Buffer> {
  signal.throwIfAborted();
  const thread = new Worker(FILE, {
    workerData: { sheets, at },
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
  });
  const end = () => void thread.terminate();
  signal.addEventListener('abort', end, { once: true });
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      thread.once('message', ({ buffer, byteOffset, byteLength }: Uint8Array) =>
        resolve(Buffer.from(buffer, byteOffset, byteLength)),
      );
      thread.once('error', reject);
      thread.once('exit', (code) =>
        reject(signal.aborted ? signal.reason : new Error(`the thread of a workbook ended with code ${code}`)),
      );
    });
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** A workbook of one sheet, row by row as it is read: its memory does not grow with the rows. */
export async function workbookStream(
  name: string,
  columns: readonly SheetColumn[],
  rows: AsyncIterable<readonly SheetCell[]>,
): Promise<Readable> {
  const { workbookStreamOf } = await import('./written-xlsx.ts');
  return workbookStreamOf(name, columns, rows);
}
