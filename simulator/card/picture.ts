/**
 * A screenshot: a BMP of 400 x 240 at 16 bits, 192,054 bytes, made row by row while it is read. The size is inferred from the
 * time of a screenshot over LTE (1.6 s against 0.84 s for a tiny file). The picture is a dark screen with a bar of level.
 */
import type { Content } from './content.ts';

const WIDTH = 400;
const HEIGHT = 240;
const ROW = WIDTH * 2;
const HEAD = 54;

const DARK = 0x0842;
const GREY = 0x318c;
const LIGHT = 0x7fff;

/** The same seed gives the same picture. */
export const screenshot = (seed: number): Content => ({
  size: HEAD + HEIGHT * ROW,
  *read() {
    yield head();
    for (let y = 0; y < HEIGHT; y++) yield line(y, 80 + ((seed * 37) % 240));
  },
});

function head(): Uint8Array {
  const bytes = Buffer.alloc(HEAD);
  bytes.write('BM', 0, 'latin1');
  bytes.writeUInt32LE(HEAD + HEIGHT * ROW, 2);
  bytes.writeUInt32LE(HEAD, 10);
  bytes.writeUInt32LE(40, 14); // BITMAPINFOHEADER
  bytes.writeInt32LE(WIDTH, 18);
  bytes.writeInt32LE(HEIGHT, 22); // positive: the bottom row comes first
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(16, 28);
  bytes.writeUInt32LE(HEIGHT * ROW, 34);
  return bytes;
}

function line(y: number, reach: number): Uint8Array {
  const bytes = Buffer.alloc(ROW);
  for (let x = 0; x < WIDTH; x++) bytes.writeUInt16LE(pixel(x, y, reach), x * 2);
  return bytes;
}

function pixel(x: number, y: number, reach: number): number {
  const inBar = y >= 40 && y < 70 && x >= 20 && x < WIDTH - 20;
  if (!inBar) return y >= HEIGHT - 20 ? GREY : DARK;
  return x < reach ? LIGHT : GREY;
}
