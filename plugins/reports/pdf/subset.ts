/** A font with some of its glyphs alone, for the file that uses them (ISO 32000-1, 9.9). */
import { type FontFile, partsOfOutline } from './font-file.ts';

/** Copied as they are: what the outlines need to fit the pixels of a screen. */
const FITTING = ['cvt ', 'fpgm', 'prep'] as const;
const MAGIC = 0xb1_b0_af_ba;

/** `glyphs` in the order of their new numbers, from 0; those that they are put together of follow. */
export function fontOf(font: FontFile, glyphs: readonly number[]): Buffer {
  const order = [...glyphs];
  const outlines: Buffer[] = [];
  for (let n = 0; n < order.length; n += 1) {
    const outline = Buffer.from(font.outlineOf(order[n] ?? 0));
    for (const at of partsOfOutline(outline)) {
      const part = outline.readUInt16BE(at);
      const known = order.indexOf(part);
      outline.writeUInt16BE(known < 0 ? order.push(part) - 1 : known, at);
    }
    outlines.push(
      outline.length % 4 === 0 ? outline : Buffer.concat([outline, Buffer.alloc(4 - (outline.length % 4))]),
    );
  }
  const loca = Buffer.alloc((order.length + 1) * 4);
  const hmtx = Buffer.alloc(order.length * 4);
  let length = 0;
  for (const [n, glyph] of order.entries()) {
    length += outlines[n]?.length ?? 0;
    loca.writeUInt32BE(length, (n + 1) * 4);
    hmtx.writeUInt16BE(font.widthOf(glyph), n * 4);
    hmtx.writeInt16BE(font.bearingOf(glyph), n * 4 + 2);
  }
  const copy = (tag: string) => Buffer.from(font.table(tag));
  const [head, hhea, maxp] = [copy('head'), copy('hhea'), copy('maxp')];
  // The sum of the whole file, of which it is a part itself; and outlines at places of four bytes.
  head.writeUInt32BE(0, 8);
  head.writeInt16BE(1, 50);
  hhea.writeUInt16BE(order.length, 34);
  maxp.writeUInt16BE(order.length, 4);
  const tables = { glyf: Buffer.concat(outlines), head, hhea, hmtx, loca, maxp };
  const fitting = FITTING.flatMap((tag) => (font.has(tag) ? [[tag, font.table(tag)] as const] : []));
  return fileOf([...Object.entries(tables), ...fitting]);
}

function fileOf(tables: readonly (readonly [tag: string, bytes: Buffer])[]): Buffer {
  const sorted = tables.toSorted(([one], [other]) => (one < other ? -1 : 1));
  const directory = Buffer.alloc(12 + sorted.length * 16);
  const power = Math.floor(Math.log2(sorted.length));
  directory.writeUInt32BE(0x1_00_00, 0);
  for (const [n, value] of [sorted.length, 16 * 2 ** power, power, 16 * (sorted.length - 2 ** power)].entries())
    directory.writeUInt16BE(value, 4 + n * 2);
  const pieces = [directory];
  let place = directory.length;
  let headAt = 0;
  for (const [n, [tag, bytes]] of sorted.entries()) {
    const padded = Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
    const at = 12 + n * 16;
    directory.write(tag, at, 'latin1');
    directory.writeUInt32BE(sumOf(padded), at + 4);
    directory.writeUInt32BE(place, at + 8);
    directory.writeUInt32BE(bytes.length, at + 12);
    if (tag === 'head') headAt = place;
    place += padded.length;
    pieces.push(padded);
  }
  const file = Buffer.concat(pieces);
  file.writeUInt32BE((MAGIC - sumOf(file)) >>> 0, headAt + 8);
  return file;
}

function sumOf(bytes: Buffer): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 4) sum = (sum + bytes.readUInt32BE(at)) >>> 0;
  return sum;
}
