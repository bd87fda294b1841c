/** Whether a logo has all of its pixels and no more: a file of 1 MB can unpack to 1 GB, and whoever prints it unpacks all of it. */
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
const SCAN = Buffer.from('ffda', 'hex');

/** `bytes`: a PNG or JPEG of at most 2,000 pixels on a side, by its head. False: it is broken, hides more than it says, or is of a kind that would be printed wrongly. */
export async function isWholeLogo(mediaType: string, bytes: Buffer): Promise<boolean> {
  // Of a JPEG without a scan there is nothing to see.
  if (mediaType !== 'image/png') return bytes.includes(SCAN);
  const parts = partsOf(bytes);
  const [head] = parts;
  // A reader may take the size of a second head, or go on behind the end.
  const isOnePicture = ['IHDR', 'IEND'].every((kind) => parts.filter((part) => part.kind === kind).length === 1);
  if (!isOnePicture || head?.kind !== 'IHDR' || head.data.length !== 13) return false;
  if (parts.at(-1)?.kind !== 'IEND' || lengthOf(parts) !== bytes.length) return false;
  const [width, height] = [head.data.readUInt32BE(0), head.data.readUInt32BE(4)];
  const [bits = 0, colour = 0, packing, filtering, interlaced = 0] = head.data.subarray(8);
  const form = COLOURS[colour];
  if (!form?.bits.includes(bits) || packing !== 0 || filtering !== 0 || interlaced > 1) return false;
  if (hasKeyColour(colour, bits, parts)) return false;
  if (colour === PALETTE && !parts.some(({ kind, data }) => kind === 'PLTE' && data.length >= 3)) return false;
  const passes = (interlaced === 1 ? PASSES : ONE_PASS).map(({ x, y, right, down }) => {
    const [across, rows] = [Math.ceil((width - x) / right), Math.ceil((height - y) / down)];
    return { rows: across > 0 ? Math.max(0, rows) : 0, rowBytes: 1 + Math.ceil((across * form.values * bits) / 8) };
  });
  const length = passes.reduce((sum, { rows, rowBytes }) => sum + rows * rowBytes, 0);
  const packed = Buffer.concat(parts.flatMap(({ kind, data }) => (kind === 'IDAT' ? [data] : [])));
  // It ends as soon as there is more than the pixels need.
  const pixels = await unpacked(packed, length);
  return pixels?.length === length && hasFilters(pixels, passes);
}

const lengthOf = (parts: readonly { readonly data: Buffer }[]): number =>
  parts.reduce((sum, { data }) => sum + FRAME_BYTES + data.length, HEAD_BYTES);

/** One colour is transparent, or colours of a palette of less than 8 bits: the library shows other colours than these. */
const hasKeyColour = (colour: number, bits: number, parts: readonly { readonly kind: string }[]): boolean =>
  (colour !== PALETTE || bits < 8) && parts.some(({ kind }) => kind === 'tRNS');

/** Undefined where it is broken, or more than `most` bytes. */
const unpacked = (packed: Buffer, most: number): Promise<Buffer | undefined> =>
  new Promise((resolve) =>
    inflate(packed, { maxOutputLength: most }, (error, bytes) => resolve(error ? undefined : bytes)),
  );

/** Each row begins with how it was filtered. */
function hasFilters(pixels: Buffer, passes: readonly { readonly rows: number; readonly rowBytes: number }[]): boolean {
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
