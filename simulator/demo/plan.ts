/** The plan of the three sites of the demo: a small picture that is drawn here, so that no map of the internet is needed. */
import { crc32, deflateSync } from 'node:zlib';

type Colour = readonly [red: number, green: number, blue: number];

const GROUND: Colour = [240, 238, 231];
const STREET: Colour = [255, 255, 255];
const HOUSE: Colour = [214, 208, 197];
const GREEN: Colour = [211, 228, 200];
const SAND: Colour = [238, 217, 176];
const CLAY: Colour = [226, 196, 176];
const VIOLET: Colour = [208, 196, 224];
const BALLAST: Colour = [196, 192, 186];
const STEEL: Colour = [96, 99, 104];
const COLOURS: readonly Colour[] = [GROUND, STREET, HOUSE, GREEN, SAND, CLAY, VIOLET, BALLAST, STEEL];

/** Metres from the middle of the demo: the left lower corner, width to the east, height to the north. */
type Block = readonly [east: number, north: number, width: number, height: number, colour: Colour];

const WEST = -460;
const SOUTH = -190;
const WIDTH_M = 1_000;
const HEIGHT_M = 560;
const PIXEL_M = 0.8;

const houses = (east: number, north: number, count: number): readonly Block[] =>
  Array.from(
    { length: count },
    (_, place) => [east + place * 34, north, 26, 22 + 8 * ((place * 7) % 3), HOUSE] as const,
  );

const BLOCKS: readonly Block[] = [
  [-20, -190, 18, 560, STREET],
  [-460, -70, 1_000, 18, STREET],
  [-460, 196, 780, 14, STREET],
  [-230, -70, 12, 280, STREET],
  // The building works, with pit and crane.
  [6, -44, 96, 74, SAND],
  [24, -30, 44, 36, CLAY],
  // The school, its playground and its field.
  [116, 8, 84, 52, GREEN],
  [126, 64, 92, 26, HOUSE],
  [192, 88, 26, 60, HOUSE],
  [116, 100, 70, 60, GREEN],
  // The club, and the yard behind the houses.
  [-262, 112, 28, 64, VIOLET],
  [-352, 66, 60, 52, GREEN],
  ...houses(-440, 122, 5),
  ...houses(-440, 20, 6),
  ...houses(-440, -46, 6),
  ...houses(-440, -120, 12),
  ...houses(-440, 222, 6),
  ...houses(-200, 222, 5),
  ...houses(-210, 132, 5),
  ...houses(-210, -46, 5),
  ...houses(10, -120, 6),
  ...houses(-440, 290, 11),
  ...houses(10, 230, 7),
  ...houses(10, 300, 8),
  ...houses(-210, 40, 5),
  ...houses(10, 160, 5),
  [240, -190, 300, 110, GREEN],
];

/** The track runs from the south to the north-east: its middle, m to the east. */
const trackAt = (north: number): number => 280 + 0.28 * (north - 40);
/** From its middle, m. */
const TRACK: readonly (readonly [from: number, to: number, colour: Colour])[] = [
  [-9, 9, BALLAST],
  [-5, -3, STEEL],
  [3, 5, STEEL],
];

/** A place on the picture, as parts of its width and of its height from above. */
export const planPlace = ([east, north]: readonly [east: number, north: number]) => ({
  x: (east - WEST) / WIDTH_M,
  y: 1 - (north - SOUTH) / HEIGHT_M,
});

export function planPicture(): Buffer {
  const [width, height] = [WIDTH_M / PIXEL_M, HEIGHT_M / PIXEL_M];
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3], 8); // 8 bits, palette
  // Each row begins with its filter: none.
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    const north = SOUTH + HEIGHT_M - (y + 0.5) * PIXEL_M;
    const paint = (from: number, to: number, colour: Colour) => {
      const [first, last] = [from, to].map((east) => Math.min(width, Math.max(0, Math.round((east - WEST) / PIXEL_M))));
      rows.fill(COLOURS.indexOf(colour), y * (width + 1) + 1 + (first ?? 0), y * (width + 1) + 1 + (last ?? 0));
    };
    for (const [east, south, wide, high, colour] of BLOCKS)
      if (north >= south && north < south + high) paint(east, east + wide, colour);
    for (const [from, to, colour] of TRACK) paint(trackAt(north) + from, trackAt(north) + to, colour);
  }
  const parts = [chunk('IHDR', head), chunk('PLTE', Buffer.from(COLOURS.flat())), chunk('IDAT', deflateSync(rows))];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts, chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
