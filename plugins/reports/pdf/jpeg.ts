/** What PDF must know of a JPEG, which it takes as it is (ITU-T T.81, annex B; Exif 2.3). */

const EXIF = Buffer.from('Exif\0\0', 'latin1');
/** Which way up the camera was. */
const TURN_TAG = 0x01_12;
const [APP1, SCAN] = [0xe1, 0xda];

/** Pixels as they are stored. */
export interface JpegParts {
  readonly width: number;
  readonly height: number;
  /** 1 grey, 3 colours, 4 those of a print. */
  readonly parts: number;
  readonly bits: number;
  /** From 1 (upright) to 8, as Exif counts. */
  readonly turn: number;
}

/** Undefined: it is no JPEG. Errors: Error, where it does not say its size. */
export function readJpeg(bytes: Buffer): JpegParts | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xff_d8) return undefined;
  let turn = 1;
  for (let at = 2; at + 10 <= bytes.length && bytes[at] === 0xff; ) {
    const kind = bytes[at + 1] ?? 0;
    if (kind === 0xff) {
      // Bytes of filling stand alone.
      at += 1;
      continue;
    }
    const length = bytes.readUInt16BE(at + 2);
    const data = bytes.subarray(at + 4, at + 2 + length);
    if (kind === APP1 && data.subarray(0, EXIF.length).equals(EXIF)) turn = turnIn(data.subarray(EXIF.length));
    if (isSize(kind) && data.length >= 6) {
      const [bits = 8, , , , , parts = 0] = data;
      if (![1, 3, 4].includes(parts)) break;
      return { height: data.readUInt16BE(1), width: data.readUInt16BE(3), parts, bits, turn };
    }
    if (kind === SCAN) break;
    at += 2 + length;
  }
  throw new Error('the picture is broken');
}

/** SOF0 to SOF15 without the tables among them (table B.1). */
const isSize = (kind: number): boolean => kind >= 0xc0 && kind <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(kind);

/** In the first list of a TIFF, which says the order of its bytes; 1 where it says nothing. */
function turnIn(tiff: Buffer): number {
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const short = (at: number) => (at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const long = (at: number) => (at + 4 > tiff.length ? 0 : isLittle ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at));
  const list = long(4);
  for (let n = 0; n < short(list); n += 1) {
    const at = list + 2 + n * 12;
    if (short(at) === TURN_TAG) return Math.min(8, Math.max(1, short(at + 8)));
  }
  return 1;
}
