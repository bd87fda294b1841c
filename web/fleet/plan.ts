/** The positions of meters: degrees become metres on a plain grid. Good for sites and towns; no map is drawn. */

/** WGS 84, degrees. */
export interface Position {
  readonly latitude: number;
  readonly longitude: number;
}
/** Metres from the middle of the plan, or pixels from its corner: to the right and, as screens count, down. */
export interface Point {
  readonly x: number;
  readonly y: number;
}
/** A circle on the ground: the part of the plan that is shown larger. */
export interface Part {
  readonly middle: Position;
  readonly metres: number;
}

/** Of latitude, anywhere. */
export const DEGREE_M = 111_195;

/** Half a position is none. */
export const positionOf = ({ latitude, longitude }: { [Name in keyof Position]: number | null }) =>
  latitude === null || longitude === null ? undefined : { latitude, longitude };

/** Equirectangular: all in one scale, that of the latitude in their middle. */
export function metresOf(positions: readonly Position[]): readonly Point[] {
  const middle = middleOf(positions);
  return positions.map((position) => metresFrom(middle, position));
}

/** The smallest part that has all of them; a metre more, because addresses are rounded. */
export function partOf(positions: readonly Position[]): Part {
  const far = metresOf(positions).map(({ x, y }) => Math.hypot(x, y));
  return { middle: middleOf(positions), metres: Math.ceil(Math.max(...far)) + 1 };
}

export function isWithin({ middle, metres }: Part, position: Position): boolean {
  const { x, y } = metresFrom(middle, position);
  return Math.hypot(x, y) <= metres;
}

/** As in the address of the page: `54.123456,7.654321,120`. */
export const wordsOf = ({ middle: { latitude, longitude }, metres }: Part): string =>
  `${latitude.toFixed(6)},${longitude.toFixed(6)},${metres}`;

export function partFrom(words: string | null): Part | undefined {
  const [latitude = Number.NaN, longitude = Number.NaN, metres = Number.NaN] = (words ?? '').split(',').map(Number);
  return metres > 0 && Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180
    ? { middle: { latitude, longitude }, metres }
    : undefined;
}

/** The longest of 1, 2, 5, 10, 20 ... that is not longer than `most`. */
export function roundLength(most: number): number {
  const ten = 10 ** Math.floor(Math.log10(most));
  return ten * ([5, 2].find((times) => times * ten <= most) ?? 1);
}

/** Of all of them, also over the date line. */
export function middleOf(positions: readonly Position[]): Position {
  const sorted = positions.map(({ longitude }) => longitude).sort((one, other) => one - other);
  // The plan begins after the widest gap, so that meters on both sides of the date line are neighbours.
  let [west = 0] = sorted;
  let east = sorted.at(-1) ?? 0;
  let gap = 360 - (east - west);
  for (const [index, longitude] of sorted.entries()) {
    const before = sorted[index - 1];
    if (before === undefined || longitude - before <= gap) continue;
    gap = longitude - before;
    [west, east] = [longitude, before + 360];
  }
  const latitudes = positions.map(({ latitude }) => latitude);
  return { latitude: (Math.min(...latitudes) + Math.max(...latitudes)) / 2, longitude: turn((west + east) / 2) };
}

function metresFrom(middle: Position, { latitude, longitude }: Position): Point {
  const across = Math.cos((middle.latitude * Math.PI) / 180) * DEGREE_M;
  return { x: turn(longitude - middle.longitude) * across, y: (middle.latitude - latitude) * DEGREE_M };
}

/** The same direction between -180 and 180 degrees. */
const turn = (degrees: number): number => degrees - 360 * Math.round(degrees / 360);
