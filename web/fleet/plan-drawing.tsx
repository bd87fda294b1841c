/** The plan itself: grid, marks, and a label for each meter or for some that stand close together. */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { PLAN } from '../app/address.ts';
import { type Known, needing } from '../app/fleet.ts';
import { countOfMeters, length } from '../app/numbers.ts';
import { DEGREE_M, isWithin, metresOf, middleOf, type Position, partOf, roundLength, wordsOf } from './plan.ts';
import { PlanGrid, takenBy } from './plan-grid.tsx';
import { CountLabel, UnitLabel } from './plan-label.tsx';
import { type Label, layOut, type Mark } from './plan-layout.ts';
import { CountMark, UnitMark } from './plan-mark.tsx';
import { PlanTiles } from './plan-tiles.tsx';
import { UnitList } from './unit-list.tsx';

/** A meter with its position. */
export interface Placed {
  readonly known: Known;
  readonly position: Position;
}
/** A meter on the plan, in pixels. */
interface Drawn extends Mark {
  readonly known: Known;
  readonly needs: boolean;
}
interface Group {
  readonly key: string;
  readonly label: Label;
  readonly members: readonly Drawn[];
  /** Address of the plan with only these meters; undefined if it would show the same. */
  readonly to: string | undefined;
}

/** In rem: labels grow with the text of the browser. */
const LABEL = { least: 10, most: 13, edges: 1, height: 4.25, inTrouble: 6.375 };
const COUNT = { width: 10, height: 3.25 };
const HEIGHT = { ofWidth: 0.55, least: 34, most: 40, ofOneSpot: 20 };
/** Free space around the marks: at least this many pixels, or a share of the plan. */
const FREE = { sides: 36, top: 36, bottom: 48, share: 0.1 };
const SQUARE = 100;
/** Width of the shown ground, metres: if all meters stand at one spot, and the least width if they do not. */
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
  const close = plan?.groups.filter(({ label, to }) => label.isCounted && !to) ?? [];
  return (
    <>
      <div class="plan" ref={frame}>
        {plan && (
          <svg width={width} height={plan.height}>
            <title>{`Plan: north is up, a square is ${length(plan.square.metres)} wide`}</title>
            {map && <PlanTiles map={map} ground={plan.ground} width={width} height={plan.height} />}
            <PlanGrid width={width} height={plan.height} square={plan.square} isOnMap={map !== undefined} />
            {plan.groups.map((group) => (
              <Marks key={group.key} group={group} />
            ))}
            {plan.groups.map((group) => (
              <Labels key={group.key} group={group} />
            ))}
          </svg>
        )}
      </div>
      {map && <p class="soft small">Map: {map.attribution}</p>}
      {close.map(({ key, members }) => (
        <section key={key} class="stack" aria-label="Close together">
          <h2>{countOfMeters(members.length)} close together</h2>
          <UnitList shown={members.map(({ known }) => known)} label="Meters close together" />
        </section>
      ))}
    </>
  );
}

function Marks({ group: { label, members, to } }: { readonly group: Group }) {
  if (label.isCounted) {
    return (
      <>
        {members.map(({ known, x, y, needs }) => (
          <circle key={known.unit.peek().unit_id} class={needs ? 'dot needs' : 'dot'} cx={x} cy={y} r="2.5" />
        ))}
        <CountMark at={label.at} count={members.length} needs={members.some(({ needs }) => needs)} to={to} />
      </>
    );
  }
  return (
    <>
      {members.length > 1 && <path class="leader" d={rowsOf(label, members).map(leader).join('')} />}
      {members.map((each) => (
        <UnitMark key={each.known.unit.peek().unit_id} {...each} />
      ))}
    </>
  );
}

/** Meters that share a label stand one below the other in it. */
function Labels({ group: { label, members, to } }: { readonly group: Group }) {
  if (label.isCounted) return <CountLabel box={label} some={members.map(({ known }) => known)} to={to} />;
  return (
    <>
      {rowsOf(label, members).map(({ known, box }) => (
        <UnitLabel key={known.unit.peek().unit_id} box={box} known={known} />
      ))}
    </>
  );
}

const rowsOf = (label: Label, members: readonly Drawn[]) =>
  members.map((each, index) => {
    const above = members.slice(0, index).reduce((sum, { label }) => sum + label.height, 0);
    return { ...each, box: { ...label, y: label.y + above, height: each.label.height } };
  });

const inside = (value: number, from: number, size: number): number => Math.max(from, Math.min(value, from + size));
const leader = ({ x, y, box }: ReturnType<typeof rowsOf>[number]): string =>
  `M${x} ${y}L${inside(x, box.x, box.width)} ${inside(y, box.y, box.height)}`;

function drawing(placed: readonly Placed[], needs: readonly boolean[], width: number) {
  const { rem, widthOf } = text();
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
  const drawn = placed.map(({ known }, index): Drawn => {
    const { x, y } = places[index] ?? { x: 0, y: 0 };
    const { name, unit_id } = known.unit.peek();
    const isNeedy = needs[index] ?? false;
    const label = {
      width: rem * LABEL.edges + Math.min(Math.max(widthOf(name ?? unit_id), rem * LABEL.least), rem * LABEL.most),
      height: rem * (isNeedy ? LABEL.inTrouble : LABEL.height),
    };
    return { known, needs: isNeedy, label, x: middle.x + x * pixels, y: middle.y + y * pixels };
  });
  const count = { width: COUNT.width * rem, height: COUNT.height * rem };
  const labels = layOut(drawn, { width, height, count, taken: takenBy(width, height) });
  const groups = labels.map((label): Group => {
    const members = label.members.flatMap((index) => drawn[index] ?? []).sort((one, other) => one.y - other.y);
    const part = partOf(label.members.flatMap((index) => placed[index]?.position ?? []));
    const isAll = placed.every(({ position }) => isWithin(part, position));
    const key = members.map(({ known }) => known.unit.peek().unit_id).join();
    return { key, label, members, to: isAll ? undefined : `${PLAN}&around=${wordsOf(part)}` };
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

/** How large text is here. */
function text() {
  const { fontFamily } = getComputedStyle(document.body);
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const canvas = document.createElement('canvas').getContext('2d');
  if (canvas) canvas.font = `600 ${rem}px ${fontFamily}`;
  return { rem, widthOf: (words: string) => canvas?.measureText(words).width ?? 0 };
}

function useWidth() {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const { current } = frame;
    if (!current) return;
    const look = () => setWidth(current.clientWidth);
    const resized = new ResizeObserver(look);
    resized.observe(current);
    look();
    return () => resized.disconnect();
  }, []);
  return { frame, width };
}
