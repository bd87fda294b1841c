/** Pixels of a PNG one by one, for what PDF does not take as it is stored: transparency, and rows in several passes (PNG, chapters 7 to 9). */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PngParts, PngPass } from '../png.ts';

/** Pixels between two turns of other work. */
const PIXELS_AT_ONCE = 20_000;
const OPAQUE = 255;

/** Eight bits a value: three for each pixel, and one that says how opaque it is. */
export interface Pixels {
  readonly colours: Buffer;
  readonly alpha: Buffer;
}

/** Of a whole picture, in pieces: others are answered meanwhile. */
export async function pixelsOf(png: PngParts): Promise<Pixels> {
  const pixels = { colours: Buffer.alloc(png.width * png.height * 3), alpha: Buffer.alloc(png.width * png.height) };
  const values = new Uint16Array(png.values);
  let [from, done] = [0, 0];
  for (const pass of png.passes) {
    let above = Buffer.alloc(pass.rowBytes - 1);
    for (let row = 0; row < pass.rows; row += 1, from += pass.rowBytes) {
      const bytes = unfiltered(png, pass, from, above);
      above = bytes;
      for (let n = 0; n < pass.across; n += 1) {
        valuesAt(png, bytes, n, values);
        put(png, values, (pass.y + row * pass.down) * png.width + pass.x + n * pass.right, pixels);
      }
      done += pass.across;
      if (done > PIXELS_AT_ONCE) {
        done = 0;
        await nextTurn();
      }
    }
  }
  return pixels;
}

/** A row as it was before it was filtered by its neighbours; written where it is. */
function unfiltered(png: PngParts, { rowBytes }: PngPass, from: number, above: Buffer): Buffer<ArrayBuffer> {
  const filter = png.rows[from];
  const bytes = Buffer.from(png.rows.subarray(from + 1, from + rowBytes));
  const step = Math.max(1, (png.values * png.bits) >> 3);
  for (let n = 0; n < bytes.length; n += 1) {
    const left = n < step ? 0 : (bytes[n - step] ?? 0);
    const up = above[n] ?? 0;
    const corner = n < step ? 0 : (above[n - step] ?? 0);
    bytes[n] = (bytes[n] ?? 0) + guessOf(filter, left, up, corner);
  }
  return bytes;
}

function guessOf(filter: number | undefined, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  if (filter !== 4) return 0;
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

function valuesAt({ bits, values: count }: PngParts, row: Buffer, n: number, values: Uint16Array): void {
  for (let value = 0; value < count; value += 1) {
    const place = (n * count + value) * bits;
    const at = place >> 3;
    if (bits === 16) values[value] = ((row[at] ?? 0) << 8) | (row[at + 1] ?? 0);
    else values[value] = ((row[at] ?? 0) >> (8 - bits - (place & 7))) & (2 ** bits - 1);
  }
}

function put(png: PngParts, values: Uint16Array, at: number, { colours, alpha }: Pixels): void {
  const { colour, bits, palette, transparent } = png;
  const scaled = (n: number) => Math.round(((values[n] ?? 0) * OPAQUE) / (2 ** bits - 1));
  const [first = 0] = values;
  if (colour === 3) {
    for (let n = 0; n < 3; n += 1) colours[at * 3 + n] = palette?.[first * 3 + n] ?? 0;
    alpha[at] = transparent?.[first] ?? OPAQUE;
    return;
  }
  const isGrey = colour === 0 || colour === 4;
  for (let n = 0; n < 3; n += 1) colours[at * 3 + n] = scaled(isGrey ? 0 : n);
  const isKey =
    colour < 3 &&
    transparent !== undefined &&
    values.every((value, n) => value === (transparent[n * 2] ?? 0) * 256 + (transparent[n * 2 + 1] ?? 0));
  alpha[at] = colour >= 4 ? scaled(png.values - 1) : isKey ? 0 : OPAQUE;
}
