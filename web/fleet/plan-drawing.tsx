/**
 * The plan by position: grid or tiles of a map, marks, and labels. Meters that are close together share a label.
 * Web Mercator; a plan is small enough for one scale.
 */
import { useMemo } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { PLAN } from '../state/address.ts';
import { type Known, needing } from '../state/fleet.ts';
import { length } from '../state/numbers.ts';
import { say } from '../words/say.ts';
import {
  DEGREE_M,
  isWithin,
  metresOf,
  middleOf,
  type Point,
  type Position,
  partOf,
  roundLength,
  wordsOf,
} from './plan.ts';
import { Groups, groupsOf, Listed, type Spot, textSize, useWidth } from './plan-groups.tsx';

export interface Placed {
  readonly known: Known;
  readonly position: Position;
}
const HEIGHT = { ofWidth: 0.55, least: 34, most: 40, ofOneSpot: 20 };
/** Free space around the marks: at least this many pixels, or a share of the plan. */
const FREE = { sides: 36, top: 36, bottom: 48, share: 0.1 };
const SQUARE = 100;
/** Width of the shown ground, metres: when all meters are at one spot, and the least width otherwise. */
const ONE_SPOT = 200;
const LEAST = 20;

interface Props {
  readonly placed: readonly Placed[];
  /** Behind the marks; undefined: a plain grid. */
  readonly map: schemas.MapTiles | undefined;
}

export function PlanDrawing({ placed, map }: Props) {
  const { frame, width } = useWidth();
  const inTrouble = new Set(needing.value.split(','));
  const needs = placed.map(({ known }) => inTrouble.has(known.unit.peek().unit_id));
  // Everything that the layout depends on; readings do not belong to it.
  const said = placed.map(({ known, position }, index) => {
    const { unit_id, name } = known.unit.peek();
    return [unit_id, name, position, needs[index]];
  });
  const plan = useMemo(() => (width === 0 ? undefined : drawing(placed, needs, width)), [width, JSON.stringify(said)]);
  return (
    <>
      <div class="plan" ref={frame}>
        {plan && (
          <svg width={width} height={plan.height}>
            <title>{say('Plan: north is up, a square is {length} wide', { length: length(plan.square.metres) })}</title>
            {map && <PlanTiles map={map} ground={plan.ground} width={width} height={plan.height} />}
            <PlanGrid width={width} height={plan.height} square={plan.square} isOnMap={map !== undefined} />
            <Groups groups={plan.groups} />
          </svg>
        )}
      </div>
      {map && <p class="soft small">{say('Map: {source}', { source: map.attribution })}</p>}
      {plan && <Listed groups={plan.groups} />}
    </>
  );
}

function drawing(placed: readonly Placed[], needs: readonly boolean[], width: number) {
  const rem = textSize();
  const places = metresOf(placed.map(({ position }) => position));
  const extent = (along: 'x' | 'y') => 2 * Math.max(0, ...places.map((place) => Math.abs(place[along])));
  const isOneSpot = Math.max(extent('x'), extent('y')) < 1;
  const ground = isOneSpot ? ONE_SPOT : LEAST;
  const tall = Math.min(Math.max(width * HEIGHT.ofWidth, HEIGHT.least * rem), HEIGHT.most * rem);
  const height = Math.round(isOneSpot ? HEIGHT.ofOneSpot * rem : tall);
  const free = { x: Math.max(FREE.sides, width * FREE.share), y: Math.max(FREE.top, height * FREE.share) };
  const below = Math.max(FREE.bottom, free.y);
  const pixels = Math.min(
    (width - 2 * free.x) / Math.max(extent('x'), ground),
    (height - free.y - below) / Math.max(extent('y'), ground),
  );
  const middle = { x: width / 2, y: (height + free.y - below) / 2 };
  const spots = placed.map(({ known }, index): Spot => {
    const { x, y } = places[index] ?? { x: 0, y: 0 };
    return { known, needs: needs[index] ?? false, x: middle.x + x * pixels, y: middle.y + y * pixels };
  });
  const size = { width, height, taken: takenBy(width, height) };
  const groups = groupsOf(spots, size, (members) => {
    const part = partOf(members.flatMap((index) => placed[index]?.position ?? []));
    return placed.every(({ position }) => isWithin(part, position)) ? undefined : `${PLAN}&around=${wordsOf(part)}`;
  });
  const metres = roundLength(SQUARE / pixels);
  const center = middleOf(placed.map(({ position }) => position));
  const degree = DEGREE_M * Math.cos((center.latitude * Math.PI) / 180) * pixels;
  return {
    height,
    groups,
    square: { metres, pixels: metres * pixels },
    ground: { middle: center, at: middle, degree },
  };
}

const EDGE = 14;
const SCALE = { width: 190, height: 32 };
const NORTH = { width: 36, height: 48 };

/** The part that stays free of labels. */
const takenBy = (width: number, height: number) => [
  { x: 0, y: height - SCALE.height, ...SCALE },
  { x: width - NORTH.width, y: 0, ...NORTH },
];

interface PlanGridProps {
  readonly isOnMap: boolean;
  readonly width: number;
  readonly height: number;
  readonly square: { readonly pixels: number; readonly metres: number };
}

function PlanGrid({ width, height, square: { pixels, metres }, isOnMap }: PlanGridProps) {
  const down = stepsTo(width, pixels).map((x) => `M${x} 0V${height}`);
  const across = stepsTo(height, pixels).map((y) => `M0 ${y}H${width}`);
  const bottom = height - EDGE;
  const north = width - EDGE - 4;
  return (
    <>
      {!isOnMap && <path class="grid" d={[...down, ...across].join('')} />}
      <path class="scale" d={`M${north} 44V28M${north - 4} 34L${north} 27L${north + 4} 34`} />
      <text x={north} y="22" text-anchor="middle">
        N
      </text>
      <path class="scale" d={`M${EDGE} ${bottom - 5}V${bottom}h${pixels}v-5`} />
      <text x={EDGE + pixels + 8} y={bottom}>
        {length(metres)}
      </text>
    </>
  );
}

function stepsTo(size: number, step: number): readonly number[] {
  const first = (size / 2) % step;
  return Array.from({ length: Math.ceil((size - first) / step) }, (_, index) => Math.round(first + index * step) + 0.5);
}

interface Ground {
  readonly middle: Position;
  readonly at: Point;
  readonly degree: number;
}
interface Tile extends Point {
  readonly href: string;
}

const TILE = 256;

interface PlanTilesProps {
  readonly map: schemas.MapTiles;
  readonly ground: Ground;
  readonly width: number;
  readonly height: number;
}

function PlanTiles({ map, ground, width, height }: PlanTilesProps) {
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
function tilesOf(
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
