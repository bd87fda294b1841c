/** Checks whether a file on a card begins with the bytes of its copy: a grown file does, a file of another card under its path does not. */
import { open } from 'node:fs/promises';
import type { CardVisit } from '../../lib/index.ts';
import { pathOfCopy } from './places.ts';
import type { FileRow } from './tables.ts';

/** A file of levels has its time in the first of these bytes. */
const COMPARED = 4_096;

/** True also if the copy is empty. Errors: those of the card. */
export async function beginsAs(card: CardVisit, copy: FileRow, root: string): Promise<boolean> {
  const known = await beginningOf(pathOfCopy(root, copy), Math.min(COMPARED, copy.kept));
  if (known.length === 0) return true;
  const { stream } = await card.open(copy.path, { from: 0, to: known.length });
  let at = 0;
  let isSame = true;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    isSame &&= chunk.equals(known.subarray(at, at + chunk.length));
    at += chunk.length;
    card.release(chunk);
  }
  return isSame;
}

async function beginningOf(path: string, bytes: number): Promise<Buffer> {
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return Buffer.of();
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
