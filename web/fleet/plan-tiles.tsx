/** The map behind the plan: tiles of the server that the settings name. Web Mercator; a plan is small enough for one scale. */
import type { schemas } from '../../client/index.ts';
import type { Point, Position } from './plan.ts';

/** Where the plan lies. */
export interface Ground {
  /** The position of this point of the drawing, in pixels. */
  readonly middle: Position;
  readonly at: Point;
  /** Pixels of a degree of longitude. */
  readonly degree: number;
}
interface Tile extends Point {
  readonly href: string;
}

const TILE = 256;

interface Props {
  readonly map: schemas.MapTiles;
  readonly ground: Ground;
  readonly width: number;
  readonly height: number;
}

/** All tiles that lie behind the plan. */
export function PlanTiles({ map, ground, width, height }: Props) {
  const { side, tiles } = tilesOf(map, ground, { width, height });
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the keyboard
    <g class="tiles" aria-hidden="true">
      {tiles.map(({ href, x, y }) => (
        // Half a pixel more: no line shows between two of them.
        <image key={href} href={href} x={x} y={y} width={side + 0.5} height={side + 0.5} preserveAspectRatio="none" />
      ))}
    </g>
  );
}

/** Tiles that cover the drawing, at the zoom where a tile is nearest to its own size. */
export function tilesOf(
  { url, max_zoom }: schemas.MapTiles,
  { middle: { latitude, longitude }, at, degree }: Ground,
  { width, height }: { readonly width: number; readonly height: number },
): { readonly side: number; readonly tiles: readonly Tile[] } {
  const world = 360 * degree;
  const zoom = Math.min(Math.max(0, Math.round(Math.log2(world / TILE))), max_zoom);
  const count = 2 ** zoom;
  const side = world / count;
  const middle = {
    x: ((longitude + 180) / 360) * count,
    y: ((1 - Math.asinh(Math.tan((latitude * Math.PI) / 180)) / Math.PI) / 2) * count,
  };
  const tiles: Tile[] = [];
  for (let y = Math.floor(middle.y - at.y / side); y < middle.y + (height - at.y) / side; y++) {
    if (y < 0 || y >= count) continue;
    for (let x = Math.floor(middle.x - at.x / side); x < middle.x + (width - at.x) / side; x++) {
      const words = { z: zoom, x: ((x % count) + count) % count, y };
      const href = url.replaceAll(/\{([zxy])\}/g, (_, name: 'z' | 'x' | 'y') => String(words[name]));
      tiles.push({ href, x: at.x + (x - middle.x) * side, y: at.y + (y - middle.y) * side });
    }
  }
  return { side, tiles };
}
