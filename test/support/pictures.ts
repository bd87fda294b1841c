/** Small pictures, and how one becomes the plan. */
import { crc32, deflateSync } from 'node:zlib';

/** A grey pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  'base64',
);
/** The parts of a JPEG of 3 x 2 pixels up to its size, and its end. */
export const JPEG = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0000b080002000301011100ffd9', 'hex');
/** Most bytes that the gateway takes. */
export const ASKED_MAX = 5_000_000;

/** A PNG that says it has so many pixels. */
export function pngOf(width: number, height: number): Buffer {
  const bytes = Buffer.from(PNG);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

/** A PNG of this head and these rows, unpacked; `more`: parts between them. */
export function pngFrom(
  [width, height, bits, colour, interlaced = 0]: readonly number[],
  rows: Buffer,
  more: Readonly<Record<string, Buffer>> = {},
): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width ?? 0, 0);
  head.writeUInt32BE(height ?? 0, 4);
  head.set([bits ?? 0, colour ?? 0, 0, 0, interlaced], 8);
  const parts = Object.entries({ IHDR: head, ...more, IDAT: deflateSync(rows), IEND: Buffer.alloc(0) });
  return Buffer.concat([PNG.subarray(0, 8), ...parts.map(([kind, data]) => chunk(kind, data))]);
}

function chunk(kind: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(kind), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A whole PNG of one colour, half of it transparent. */
export function squarePng(side: number): Buffer {
  const row = Buffer.concat([Buffer.alloc(1), Buffer.alloc(side * 4, 0x80)]);
  return pngFrom([side, side, 8, 6], Buffer.concat(Array.from({ length: side }, () => row)));
}

/** Answer of the gateway. */
export interface Answered {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of it
  readonly body: any;
}

/** Sends it to the gateway at this base address. */
export async function sendPicture(
  base: string,
  bytes: Buffer,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  const answer = await fetch(`${base}/_plan/picture`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/octet-stream', ...headers },
    body: new Uint8Array(bytes),
  });
  return { status: answer.status, body: await answer.json() };
}
