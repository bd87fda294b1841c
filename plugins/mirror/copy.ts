/**
 * Brings one file of a card onto this disk, going on where it was broken off. What is there already is compared with the meter's
 * bytes before anything is added: its last part where the meter can begin there. The whole file takes the place of the old one
 * at once, after it is on the disk.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Card, type FileEntry, isGatewayError } from '../../lib/index.ts';
import type { Limits } from './limits.ts';
import { makeRoom, type Place } from './places.ts';

const COMPARED = 4_096;
/** After so many bytes what came is put on the disk for sure. */
const SAFE_EVERY = 1_048_576;
const MOST_TRIES = 10_000;

export interface CopyParts {
  readonly card: Card;
  readonly limits: Limits;
  /** Keeps how much of the half file is surely on the disk. */
  readonly save: (half: number) => Promise<void>;
  readonly signal: AbortSignal;
}

/** The bytes here are not those of the meter. */
class OtherBytes extends Error {}

/**
 * `safe` is what `save` was told last. `anew` leaves what is here out: the file has another time, and no more bytes.
 * Resolves with the hash of the bytes on the disk. Errors: those of the card, and `LimitReached`.
 */
export async function copyFileOf(
  entry: FileEntry,
  place: Place,
  { safe, anew }: { readonly safe: number; readonly anew: boolean },
  parts: CopyParts,
): Promise<string> {
  await makeRoom(place);
  let begun = anew ? 0 : await halfOf(place, entry.size, safe);
  let sameProgress = 0;
  for (let tries = 0; ; tries += 1) {
    const half = await open(place.half, begun === 0 ? 'w+' : 'r+', 0o600);
    try {
      await half.truncate(begun);
      await fill(half, begun, entry, parts);
      break;
    } catch (error) {
      const before = begun;
      if (error instanceof OtherBytes) begun = 0;
      // Somebody wanted the card: it is their turn, and then ours again.
      else if (isGatewayError(error, 'DEVICE_BUSY') && tries < MOST_TRIES) begun = (await half.stat()).size;
      else throw error;
      sameProgress = begun > before ? 0 : sameProgress + 1;
      if (sameProgress > 100) throw error;
    } finally {
      await half.datasync().catch(() => {});
      await parts.save((await half.stat()).size);
      await half.close();
    }
  }
  const sha256 = await hashOf(place.half);
  await rename(place.half, place.whole);
  await syncFolder(dirname(place.whole));
  return sha256;
}

/** How much of the file is here: of a half file what is safe, else what was whole before. */
async function halfOf(place: Place, size: number, safe: number): Promise<number> {
  const half = await sizeOf(place.half);
  if (half > 0) return within(Math.min(half, safe), size);
  const whole = await sizeOf(place.whole);
  if (whole === 0 || whole > size) return 0;
  await copyFile(place.whole, place.half);
  return whole;
}

const within = (begun: number, size: number): number => (begun > size ? 0 : begun);

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

async function fill(half: FileHandle, begun: number, { path, size }: FileEntry, parts: CopyParts): Promise<void> {
  if (size === 0 || begun === size) return;
  const from = Math.max(0, begun - COMPARED);
  const known = Buffer.alloc(begun - from);
  await half.read(known, 0, known.length, from);
  const { stream } = await parts.card.open(path, { from, to: size, givesWay: true }, parts.signal);
  let at = from;
  let unsafe = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const old = chunk.subarray(0, Math.max(0, begun - at));
      if (!old.equals(known.subarray(at - from, at - from + old.length))) throw new OtherBytes();
      const fresh = chunk.subarray(old.length);
      parts.limits.take(chunk.length);
      if (fresh.length > 0) await half.write(fresh, 0, fresh.length, at + old.length);
      at += chunk.length;
      unsafe += fresh.length;
      if (unsafe < SAFE_EVERY) continue;
      await half.datasync();
      await parts.save(at);
      unsafe = 0;
    }
  } finally {
    stream.destroy();
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** A name is on the disk when its folder is. Some systems cannot do that, and need not. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}

/** Takes a half file away. */
export const dropHalf = ({ half }: Place): Promise<void> => rm(half, { force: true });
