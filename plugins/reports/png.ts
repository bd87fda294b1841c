/** A PNG as it is stored (PNG, third edition), unpacked no further than its head allows: a file of 1 MB can unpack to 1 GB. */
import { inflate } from 'node:zlib';

const HEAD_BYTES = 8;
/** Bytes around the data of a part: its length, its name, its checksum. */
const FRAME_BYTES = 12;
/** Values of a pixel, and bits of one value, by the kind of colour (PNG, table 11.1). */
const COLOURS: Readonly<Record<number, { readonly values: number; readonly bits: readonly number[] }>> = {
  0: { values: 1, bits: [1, 2, 4, 8, 16] },
  2: { values: 3, bits: [8, 16] },
  3: { values: 1, bits: [1, 2, 4, 8] },
  4: { values: 2, bits: [8, 16] },
  6: { values: 4, bits: [8, 16] },
};
const PALETTE = 3;
/** Where the pixels of each pass of an interlaced picture begin, and how far they are from each other. */
const PASSES = [
  { x: 0, y: 0, right: 8, down: 8 },
  { x: 4, y: 0, right: 8, down: 8 },
  { x: 0, y: 4, right: 4, down: 8 },
  { x: 2, y: 0, right: 4, down: 4 },
  { x: 0, y: 2, right: 2, down: 4 },
  { x: 1, y: 0, right: 2, down: 2 },
  { x: 0, y: 1, right: 1, down: 2 },
] as const;
const ONE_PASS = [{ x: 0, y: 0, right: 1, down: 1 }] as const;
const MOST_FILTER = 4;

/** The rows of one pass; a picture that is not interlaced has one. */
export interface PngPass {
  readonly x: number;
  readonly y: number;
  /** From a pixel to the next one. */
  readonly right: number;
  readonly down: number;
  readonly across: number;
  readonly rows: number;
  /** With the byte of the filter. */
  readonly rowBytes: number;
}

/** What its parts say. */
export interface PngParts {
  readonly width: number;
  readonly height: number;
  /** Of a value. */
  readonly bits: number;
  /** 0 grey, 2 colour, 3 palette, 4 grey with alpha, 6 colour with alpha. */
  readonly colour: number;
  /** Of a pixel. */
  readonly values: number;
  readonly passes: readonly PngPass[];
  /** As the file has them, and unpacked: rows with their filters. */
  readonly packed: Buffer;
  readonly rows: Buffer;
  /** Three bytes a colour. */
  readonly palette: Buffer | undefined;
  /** Alpha of each colour of the palette, or the one colour that is transparent. */
  readonly transparent: Buffer | undefined;
}

/** Undefined: it is broken, or has more or fewer pixels than its head says. */
export async function readPng(bytes: Buffer): Promise<PngParts | undefined> {
  const parts = partsOf(bytes);
  const [head] = parts;
  if (head?.kind !== 'IHDR' || head.data.length !== 13) return undefined;
  const [width, height] = [head.data.readUInt32BE(0), head.data.readUInt32BE(4)];
  const [bits = 0, colour = 0, packing, filtering, interlaced = 0] = head.data.subarray(8);
  const form = COLOURS[colour];
  if (!form?.bits.includes(bits) || packing !== 0 || filtering !== 0 || interlaced > 1) return undefined;
  const dataOf = (kind: string) => parts.find((part) => part.kind === kind)?.data;
  const [palette, transparent] = [dataOf('PLTE'), dataOf('tRNS')];
  if (colour === PALETTE && !(palette && palette.length >= 3)) return undefined;
  const passes = (interlaced === 1 ? PASSES : ONE_PASS).map((pass) => {
    const across = Math.max(0, Math.ceil((width - pass.x) / pass.right));
    const down = Math.max(0, Math.ceil((height - pass.y) / pass.down));
    const rowBytes = 1 + Math.ceil((across * form.values * bits) / 8);
    return { ...pass, across, rows: across > 0 ? down : 0, rowBytes };
  });
  const length = passes.reduce((sum, { rows, rowBytes }) => sum + rows * rowBytes, 0);
  const packed = Buffer.concat(parts.flatMap(({ kind, data }) => (kind === 'IDAT' ? [data] : [])));
  // It ends as soon as there is more than the pixels need.
  const rows = await unpacked(packed, length);
  if (rows?.length !== length || !hasFilters(rows, passes)) return undefined;
  return { width, height, bits, colour, values: form.values, passes, packed, rows, palette, transparent };
}

/** Undefined where it is broken, or more than `most` bytes. */
const unpacked = (packed: Buffer, most: number): Promise<Buffer | undefined> =>
  new Promise((resolve) =>
    inflate(packed, { maxOutputLength: most }, (error, bytes) => resolve(error ? undefined : bytes)),
  );

/** Each row begins with how it was filtered. */
function hasFilters(pixels: Buffer, passes: readonly PngPass[]): boolean {
  let at = 0;
  for (const { rows, rowBytes } of passes)
    for (let row = 0; row < rows; row++, at += rowBytes) if ((pixels[at] ?? 0) > MOST_FILTER) return false;
  return true;
}

/** As far as they follow each other. */
function partsOf(bytes: Buffer): readonly { readonly kind: string; readonly data: Buffer }[] {
  const parts: { kind: string; data: Buffer }[] = [];
  let at = HEAD_BYTES;
  while (at + FRAME_BYTES <= bytes.length) {
    const length = bytes.readUInt32BE(at);
    const end = at + FRAME_BYTES + length;
    if (end > bytes.length) break;
    parts.push({ kind: bytes.toString('latin1', at + 4, at + 8), data: bytes.subarray(at + 8, end - 4) });
    at = end;
  }
  return parts;
}
