/**
 * Copies one file of a card to this disk; after an interruption it goes on at the end of the partial copy, whose end is
 * first compared with the meter's bytes. The new copy gets its name in one step, when the whole file is on the disk.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, type FileHandle, open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type CardVisit, type FileEntry, isDiskFull, moveOver, syncFolder } from '../../lib/built-in.ts';
import { GatewayError, isGatewayError, releaseChunk } from '../../lib/index.ts';
import { type CopyPlace, LimitReached, type Limits, makeRoom, storedAs } from './places.ts';

const COMPARED = 4_096;
const SAFE_EVERY = 1_048_576;
const MOST_TRIES = 10_000;

interface CopyParts {
  readonly card: CardVisit;
  readonly limits: Limits;
  /** Called with the number of bytes of the file on this disk. */
  readonly reached: (bytes: number) => void;
  /** Stores how many bytes of the half file are certainly on the disk. */
  readonly save: (half: number) => Promise<void>;
  /** Whether the file is on the card as it was listed, or has grown. */
  readonly stillListed: () => Promise<boolean>;
}

class OtherBytes extends Error {}

export interface Begun {
  /** The last value that `save` got. */
  readonly safe: number;
  /** True: bytes that are here are not used, because the file has another time and is not larger. */
  readonly anew: boolean;
  /** Path of a whole copy that may be its beginning. */
  readonly whole: string | undefined;
  /** Bytes of the copy that is replaced; 0 without a copy. */
  readonly kept: number;
}

/** The hash of the bytes on the disk, and that of the first `kept` of them. */
export interface Hashes {
  readonly sha256: string;
  readonly ofBeginning: string;
}

/** Errors: those of the card, and `LimitReached`. */
export async function copyFileOf(entry: FileEntry, place: CopyPlace, begun: Begun, parts: CopyParts): Promise<Hashes> {
  await makeRoom(place);
  await fetchHalf(entry, place, begun, parts);
  const hashes = await hashesOf(place.half, begun.kept);
  await moveOver(place.half, place.whole + storedAs(hashes.sha256));
  await syncFolder(dirname(place.whole));
  return hashes;
}

async function fetchHalf(
  entry: FileEntry,
  place: CopyPlace,
  { safe, anew, whole }: Begun,
  parts: CopyParts,
): Promise<void> {
  let begun = anew ? 0 : await halfOf(place, entry.size, { safe, whole });
  let sameProgress = 0;
  for (let tries = 0; ; tries += 1) {
    // Before the bytes change, no byte may count as safe.
    if (begun === 0) await parts.save(0);
    const half = await open(place.half, begun === 0 ? 'w+' : 'r+', 0o600);
    try {
      if (begun > 0) await half.truncate(begun);
      await fill(half, begun, entry, parts);
      break;
    } catch (error) {
      const before = begun;
      if (error instanceof OtherBytes) {
        // If the card was exchanged meanwhile, its file must not replace the copy of the old card.
        if (!(await parts.stillListed())) throw cardChanged(entry.path);
        begun = 0;
      }
      // Another request needs the card: it goes first, then this copy goes on.
      else if (isDiskFull(error)) throw diskFull();
      else if (isGatewayError(error, 'DEVICE_BUSY') && tries < MOST_TRIES) begun = (await half.stat()).size;
      else throw error;
      sameProgress = begun > before ? 0 : sameProgress + 1;
      if (sameProgress > 100) throw error;
    } finally {
      await half.datasync().catch(() => {});
      const { size } = await half.stat();
      await half.close();
      await parts.save(size);
    }
  }
}

async function halfOf(place: CopyPlace, size: number, { safe, whole }: Pick<Begun, 'safe' | 'whole'>): Promise<number> {
  const half = await sizeOf(place.half);
  if (half > 0) return within(Math.min(half, safe), size);
  const bytes = whole === undefined ? 0 : await sizeOf(whole);
  if (whole === undefined || bytes === 0 || bytes > size) return 0;
  await copyFile(whole, place.half).catch((error: unknown) => {
    throw isDiskFull(error) ? diskFull() : error;
  });
  return bytes;
}

const within = (begun: number, size: number): number => (begun > size ? 0 : begun);

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

async function fill(half: FileHandle, begun: number, { path, size }: FileEntry, parts: CopyParts): Promise<void> {
  if (size === 0) return;
  const from = Math.max(0, begun - COMPARED);
  const known = Buffer.alloc(begun - from);
  await half.read(known, 0, known.length, from);
  const { stream } = await parts.card.open(path, { from, to: size });
  let at = from;
  let unsafe = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const old = chunk.subarray(0, Math.max(0, begun - at));
      if (!old.equals(known.subarray(at - from, at - from + old.length))) throw new OtherBytes();
      const fresh = chunk.subarray(old.length);
      parts.limits.take(chunk.length);
      await write(half, fresh, at + old.length);
      at += chunk.length;
      parts.reached(at);
      unsafe += fresh.length;
      releaseChunk(chunk);
      if (unsafe < SAFE_EVERY) continue;
      await half.datasync();
      await parts.save(at);
      unsafe = 0;
    }
  } finally {
    stream.destroy();
  }
}

/** A disk that is nearly full may write only a part. */
export async function write(half: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += (await half.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
}

async function hashesOf(path: string, kept: number): Promise<Hashes> {
  const [whole, beginning] = [createHash('sha256'), createHash('sha256')];
  let at = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    whole.update(chunk);
    if (at < kept) beginning.update(chunk.subarray(0, kept - at));
    at += chunk.length;
  }
  return { sha256: whole.digest('hex'), ofBeginning: beginning.digest('hex') };
}

export const diskFull = () => new LimitReached('The disk of the gateway is full.');

const cardChanged = (path: string) =>
  new GatewayError(
    'FTP_FAILED',
    `The card was changed while ${path} was read; the next run begins with a new listing.`,
  );

export const dropHalf = ({ half }: CopyPlace): Promise<void> => rm(half, { force: true });
