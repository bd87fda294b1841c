/**
 * Checks pictures: only a complete PNG or JPEG. Other formats can hold scripts, or addresses that a browser would open.
 */
import { GatewayError } from '../errors.ts';

/** Most pixels: a browser unpacks all of them, whatever the size of the file. */
const MOST_PIXELS = 50_000_000;

export const PICTURE_TYPES = ['image/png', 'image/jpeg'] as const;

/** Facts in the header of a picture. Pixels as stored: the header of a photograph may ask to turn it. */
export interface PictureFacts {
  readonly mediaType: (typeof PICTURE_TYPES)[number];
  readonly width: number;
  readonly height: number;
}

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const PNG_END = Buffer.from('0000000049454e44ae426082', 'hex');
const JPEG_END = Buffer.from('ffd9', 'hex');

export function pictureFacts(bytes: Buffer): PictureFacts {
  if (bytes.length === 0) throw wrong('The picture is empty.');
  const facts = bytes.subarray(0, PNG.length).equals(PNG) ? pngFacts(bytes) : jpegFacts(bytes);
  const { width, height } = facts;
  if (width === 0 || height === 0) throw wrong('The picture has no pixels.');
  if (width * height > MOST_PIXELS)
    throw wrong(`The picture has ${width} x ${height} pixels; at most ${MOST_PIXELS / 1e6} million are allowed.`);
  return facts;
}

function pngFacts(bytes: Buffer): PictureFacts {
  const isHeader = bytes.length >= 24 && bytes.toString('latin1', 12, 16) === 'IHDR';
  if (!isHeader || bytes.lastIndexOf(PNG_END) < 0) throw broken();
  return { mediaType: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** Parts with their lengths follow each other, up to the part with the size. */
function jpegFacts(bytes: Buffer): PictureFacts {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xff_d8 || bytes[2] !== 0xff)
    throw wrong('The file is no PNG and no JPEG. Save it as one of them; SVG and PDF are not taken.');
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const kind = bytes[at + 1] ?? 0;
    if (isFrame(kind)) {
      if (bytes.indexOf(JPEG_END, at) < 0) throw broken();
      return { mediaType: 'image/jpeg', height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    }
    // Fill bytes have no length.
    at += kind === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  throw broken();
}

/** SOF0 to SOF15 without the tables among them (ITU-T T.81, table B.1). */
const isFrame = (kind: number): boolean => kind >= 0xc0 && kind <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(kind);

const wrong = (detail: string): GatewayError => new GatewayError('INVALID', detail);
const broken = (): GatewayError => wrong('The picture is broken or not whole. Open it, save it again, and send that.');
