/** A picture of a PDF, made of a PNG or JPEG (ISO 32000-1, 8.9). */
import { type PngParts, readPng } from '../png.ts';
import { readJpeg } from './jpeg.ts';
import type { PdfFile } from './pdf-file.ts';
import { pixelsOf } from './pixels.ts';

/** How its square of one point is laid on the page: the six numbers of a matrix. */
export type PictureTurn = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

/** A picture that can be drawn. */
export interface PdfPicture {
  /** As it is seen, in pixels. */
  readonly width: number;
  readonly height: number;
  readonly turned: PictureTurn;
  /** Answers its number. */
  write(file: PdfFile): Promise<number>;
}

const UPRIGHT: PictureTurn = [1, 0, 0, 1, 0, 0];
/** How a camera was held, from 1 (Exif 2.3, tag 0x0112). The last four stand on a side. */
const TURNS: readonly PictureTurn[] = [
  UPRIGHT,
  [-1, 0, 0, 1, 1, 0],
  [-1, 0, 0, -1, 1, 1],
  [1, 0, 0, -1, 0, 1],
  [0, -1, -1, 0, 1, 1],
  [0, -1, 1, 0, 0, 1],
  [0, 1, 1, 0, 0, 0],
  [0, 1, -1, 0, 1, 0],
];
const FIRST_ON_SIDE = 5;
const ALPHA = [4, 6];

/** Errors: Error, where it is broken. */
export async function pictureOf(bytes: Buffer): Promise<PdfPicture> {
  const jpeg = readJpeg(bytes);
  if (jpeg) {
    const { width, height, parts, turn, bits } = jpeg;
    const spaces: Readonly<Record<number, string>> = { 1: '/DeviceGray', 3: '/DeviceRGB' };
    // Four parts are those of a print, which programs store upside down.
    const space = spaces[parts] ?? '/DeviceCMYK /Decode [1 0 1 0 1 0 1 0]';
    const entries = `${headOf(width, height)} /ColorSpace ${space} /BitsPerComponent ${bits} /Filter /DCTDecode`;
    const [across, down] = turn >= FIRST_ON_SIDE ? [height, width] : [width, height];
    const turned = TURNS[turn - 1] ?? UPRIGHT;
    return { width: across, height: down, turned, write: async (file) => file.addPacked(bytes, entries) };
  }
  const png = await readPng(bytes);
  if (!png) throw new Error('the picture is broken');
  const { width, height } = png;
  const isPlain = png.passes.length === 1 && !ALPHA.includes(png.colour) && !png.transparent;
  return { width, height, turned: UPRIGHT, write: (file) => (isPlain ? asStored(png, file) : unpacked(png, file)) };
}

const headOf = (width: number, height: number): string =>
  `/Type /XObject /Subtype /Image /Width ${width} /Height ${height}`;

/** PDF knows the filters of PNG. */
async function asStored({ width, height, bits, colour, values, packed, palette }: PngParts, file: PdfFile) {
  const space = palette && colour === 3 ? indexed(palette) : values === 1 ? '/DeviceGray' : '/DeviceRGB';
  const filters = `/Filter /FlateDecode /DecodeParms << /Predictor 15 /Colors ${values} /BitsPerComponent ${bits} /Columns ${width} >>`;
  return file.addPacked(packed, `${headOf(width, height)} /ColorSpace ${space} /BitsPerComponent ${bits} ${filters}`);
}

const indexed = (palette: Buffer): string =>
  `[/Indexed /DeviceRGB ${Math.floor(palette.length / 3) - 1} <${palette.subarray(0, palette.length - (palette.length % 3)).toString('hex')}>]`;

/** Colours and transparency apart, eight bits each. */
async function unpacked(png: PngParts, file: PdfFile): Promise<number> {
  const { colours, alpha } = await pixelsOf(png);
  const head = `${headOf(png.width, png.height)} /BitsPerComponent 8`;
  const mask = await file.addStream(alpha, `${head} /ColorSpace /DeviceGray`);
  return file.addStream(colours, `${head} /ColorSpace /DeviceRGB /SMask ${mask} 0 R`);
}
