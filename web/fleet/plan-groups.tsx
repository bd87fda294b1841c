/** The meters of a plan in groups. Each group has a mark and a label; meters that are close together share both. */
import { useComputed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Unit } from '../../client/index.ts';
import { meterPath } from '../state/address.ts';
import { isLpShownOld, type Known, needing, worstOf } from '../state/fleet.ts';
import { countOfMeters, nameOf, whole } from '../state/numbers.ts';
import { newestLp, stateWord } from '../state/trouble.ts';
import { Age, Level } from '../ui/level.tsx';
import { Link } from '../ui/link.tsx';
import { say } from '../words/say.ts';
import type { Point } from './plan.ts';
import { COUNT_MARK, type Label, layOut, MARK, type Mark, type Room } from './plan-layout.ts';
import { UnitList } from './unit-list.tsx';

export interface Spot extends Point {
  readonly known: Known;
  readonly needs: boolean;
}
interface Drawn extends Spot, Mark {}
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

/** Places the labels. `toOf`: the address that shows only these of the spots. */
export function groupsOf(
  spots: readonly Spot[],
  room: Omit<Room, 'count'>,
  toOf: (members: readonly number[]) => string | undefined,
): readonly Group[] {
  const { rem, widthOf } = text();
  const drawn = spots.map((spot): Drawn => {
    const { name, unit_id } = spot.known.unit.peek();
    const label = {
      width: rem * LABEL.edges + Math.min(Math.max(widthOf(name ?? unit_id), rem * LABEL.least), rem * LABEL.most),
      height: rem * (spot.needs ? LABEL.inTrouble : LABEL.height),
    };
    return { ...spot, label };
  });
  const count = { width: COUNT.width * rem, height: COUNT.height * rem };
  return layOut(drawn, { ...room, count }).map((label): Group => {
    const members = label.members.flatMap((index) => drawn[index] ?? []).sort((one, other) => one.y - other.y);
    const key = members.map(({ known }) => known.unit.peek().unit_id).join();
    return { key, label, members, to: toOf(label.members) };
  });
}

/** The groups of a plan: all marks lie below all labels. */
export function Groups({ groups }: { readonly groups: readonly Group[] }) {
  return (
    <>
      {groups.map((group) => (
        <Marks key={group.key} group={group} />
      ))}
      {groups.map((group) => (
        <Labels key={group.key} group={group} />
      ))}
    </>
  );
}

export function Listed({ groups }: { readonly groups: readonly Group[] }) {
  return (
    <>
      {groups
        .filter(({ label, to }) => label.isCounted && !to)
        .map(({ key, members }) => (
          <section key={key} class="stack" aria-label={say('Close together')}>
            <h2>{say('{count} meter close together|{count} meters close together', { count: members.length })}</h2>
            <UnitList shown={members.map(({ known }) => known)} label={say('Meters close together')} />
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

export const textSize = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

function text() {
  const { fontFamily } = getComputedStyle(document.body);
  const rem = textSize();
  const canvas = document.createElement('canvas').getContext('2d');
  if (canvas) canvas.font = `600 ${rem}px ${fontFamily}`;
  return { rem, widthOf: (words: string) => canvas?.measureText(words).width ?? 0 };
}

type Box = Pick<Label, 'x' | 'y' | 'width' | 'height' | 'side'>;

function UnitLabel({ box, known }: { readonly box: Box; readonly known: Known }) {
  const unit = known.unit.value;
  const old = useComputed(() => isLpShownOld(known.unit.value)).value;
  const worst = useComputed(() => worstOf(known.unit.value)).value;
  const { word, look } = stateWord(unit);
  // Its state says already what is wrong.
  const isAway = look.startsWith('away');
  return (
    <Place box={box}>
      <Link to={meterPath(unit.unit_id)} class={`plan-label ${box.side}`}>
        <div class="name" dir="auto">
          {unit.name ?? unit.unit_id}
        </div>
        <div>
          <UnitLevel unit={unit} old={old} />
        </div>
        <div class="small">
          <span class={isAway ? 'wrong' : 'soft'}>{word}</span>
          {' · '}
          <Age at={newestLp(unit)} zone={unit.timezone} />
        </div>
        {worst && !isAway && <div class="small wrong">{worst}</div>}
      </Link>
    </Place>
  );
}

interface CountProps {
  readonly box: Box;
  readonly some: readonly Known[];
  /** Undefined: they are listed below the plan. */
  readonly to: string | undefined;
}

/** The label of some meters: how many, the loudest level, and whether one needs attention. */
function CountLabel({ box, some, to }: CountProps) {
  const { loudest, old, needs } = useComputed(() => inShort(some.map(({ unit }) => unit.value))).value;
  const more = [
    ...(needs > 0 ? [say('{count} needs attention|{count} need attention', { count: needs })] : []),
    ...(old > 0 ? [say('{count} old|{count} old', { count: old })] : []),
    ...(needs + old > 0 || to ? [] : [say('listed below')]),
  ];
  const words = (
    <>
      <div>
        <span class="hidden-label">{countOfMeters(some.length)}, </span>
        {loudest ? (
          <>
            <span class="small">{say('up to')}</span> <UnitLevel unit={loudest} old={false} />
          </>
        ) : (
          <span class="small soft">{to ? say('look closer') : say('no fresh level')}</span>
        )}
      </div>
      {more.length > 0 && <div class={`small ${needs > 0 ? 'wrong' : 'soft'}`}>{more.join(', ')}</div>}
    </>
  );
  return (
    <Place box={box}>
      {to ? (
        <Link to={to} class={`plan-label ${box.side}`}>
          {words}
        </Link>
      ) : (
        <div class={`plan-label ${box.side}`}>{words}</div>
      )}
    </Place>
  );
}

function inShort(units: readonly Unit[]) {
  const inTrouble = new Set(needing.value.split(','));
  const fresh = units.filter((unit) => unit.lp !== null && !isLpShownOld(unit));
  const names = new Set(fresh.map((unit) => nameOf('lp', weightingsOf(unit))));
  const loudest = fresh.reduce<Unit | undefined>(
    (best, unit) => ((best?.lp ?? Number.NEGATIVE_INFINITY) >= (unit.lp ?? 0) ? best : unit),
    undefined,
  );
  return {
    loudest: names.size === 1 ? loudest : undefined,
    old: units.length - fresh.length,
    needs: units.filter(({ unit_id }) => inTrouble.has(unit_id)).length,
  };
}

function UnitLevel({ unit, old }: { readonly unit: Unit; readonly old: boolean }) {
  return <Level level={unit.lp} quantity="lp" weightings={weightingsOf(unit)} old={old} />;
}

const weightingsOf = ({ frequency_weighting, time_weighting }: Unit) => ({
  frequency: frequency_weighting,
  time: time_weighting,
});

const Place = ({ box, children }: { readonly box: Box; readonly children: ComponentChildren }) => (
  <foreignObject x={box.x} y={box.y} width={box.width} height={box.height}>
    {children}
  </foreignObject>
);

const RING = 'M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0Z';
/** By the last word of the look; otherwise a ring. */
const SHAPES: Readonly<Record<string, string>> = {
  away: 'M0-6L6 0L0 6L-6 0Z',
  wedged: 'M-5-5H5V5H-5Z',
  asleep: `${RING}M0-5v10`,
  frozen: 'M-5-6h3v12h-3ZM2-6h3v12h-3Z',
};

function UnitMark({ known, needs, x, y }: Spot) {
  const look = useComputed(() => stateWord(known.unit.value).look).value;
  // A meter whose state is old is not drawn as one that measures now.
  const isOld = useComputed(() => isLpShownOld(known.unit.value)).value;
  return (
    <Link to={meterPath(known.unit.peek().unit_id)} isSecond>
      <g class={`mark ${look} ${isOld ? 'old' : ''}`} transform={`translate(${x} ${y})`}>
        <circle class={needs ? 'around needs' : 'around'} r={MARK + 4} />
        <path d={SHAPES[look.split(' ').at(-1) ?? ''] ?? RING} />
      </g>
    </Link>
  );
}

interface CountMarkProps {
  readonly at: Point;
  readonly count: number;
  readonly needs: boolean;
  readonly to: string | undefined;
}

/** Its label says the same in words. */
function CountMark({ at: { x, y }, count, needs, to }: CountMarkProps) {
  const mark = (
    <g class={needs ? 'count needs' : 'count'} transform={`translate(${x} ${y})`}>
      <circle r={COUNT_MARK} />
      <text text-anchor="middle" dominant-baseline="central">
        {whole(count)}
      </text>
    </g>
  );
  if (!to) return mark;
  return (
    <Link to={to} isSecond>
      {mark}
    </Link>
  );
}

/** `frame` belongs to the element; `width` in pixels, 0 until it is on the page. */
export function useWidth() {
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
