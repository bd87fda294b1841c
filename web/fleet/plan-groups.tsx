/** The meters of a plan in groups. Each group has a mark and a label; meters that are close together share both. */
import type { Known } from '../state/fleet.ts';
import { say } from '../words/say.ts';
import type { Point } from './plan.ts';
import { CountLabel, UnitLabel } from './plan-label.tsx';
import { type Label, layOut, type Mark, type Room } from './plan-layout.ts';
import { CountMark, UnitMark } from './plan-mark.tsx';
import { UnitList } from './unit-list.tsx';

/** A meter on the plan, in pixels. */
export interface Spot extends Point {
  readonly known: Known;
  readonly needs: boolean;
}
interface Drawn extends Spot, Mark {}
/** Meters that share a label. */
export interface Group {
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

/** The meters of labels that only count and lead nowhere. */
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

/** Of the letters here, pixels. */
export const textSize = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

/** How large text is here. */
function text() {
  const { fontFamily } = getComputedStyle(document.body);
  const rem = textSize();
  const canvas = document.createElement('canvas').getContext('2d');
  if (canvas) canvas.font = `600 ${rem}px ${fontFamily}`;
  return { rem, widthOf: (words: string) => canvas?.measureText(words).width ?? 0 };
}
