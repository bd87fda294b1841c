/** The plan itself: grid, marks, and a label for each meter or for several meters that are close together. */
import { useMemo } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { PLAN } from '../state/address.ts';
import { type Known, needing } from '../state/fleet.ts';
import { length } from '../state/numbers.ts';
import { say } from '../words/say.ts';
import { DEGREE_M, isWithin, metresOf, middleOf, type Position, partOf, roundLength, wordsOf } from './plan.ts';
import { PlanGrid, takenBy } from './plan-grid.tsx';
import { Groups, groupsOf, Listed, type Spot, textSize } from './plan-groups.tsx';
import { PlanTiles } from './plan-tiles.tsx';
import { useWidth } from './use-width.ts';

/** A meter with its position. */
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

/** The drawing. It is as wide as the page. */
interface Props {
  readonly placed: readonly Placed[];
  /** Behind the marks; undefined: a plain grid. */
  readonly map: schemas.MapTiles | undefined;
}

/** The plan with its marks and labels. */
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
