/**
 * Places the labels of a plan so that no label covers another label or a mark: next to the mark, or below or above it.
 * Without space for its own label, a meter shares a label with its neighbours. Such a label lists a few meters or gives their
 * number.
 */
import type { Point } from './plan.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}
interface Box extends Point, Size {}
type Side = 'right' | 'left' | 'below' | 'above';
interface Place extends Box {
  readonly side: Side;
}
export interface Label extends Place {
  readonly isCounted: boolean;
  readonly members: readonly number[];
  readonly at: Point;
}
export interface Mark extends Point {
  readonly label: Size;
}
export interface Room extends Size {
  /** Areas that are drawn already. */
  readonly taken: readonly Box[];
  readonly count: Size;
}
interface Group {
  readonly members: readonly number[];
  readonly at: Point;
  readonly isCounted: boolean;
  readonly boxes: readonly Box[];
  readonly label: Size;
}

/** Most meters that are listed in one label; of more it shows the number. */
const MOST_LISTED = 4;
/** Half of a mark, pixels. */
export const MARK = 6;
/** Half of a mark that has a number in it, pixels. */
export const COUNT_MARK = 14;
const GAP = 6;

/** In the order of the marks: that of the keyboard and of screen readers. */
export function layOut(marks: readonly Mark[], room: Room): readonly Label[] {
  const groupOf = (members: readonly number[], isCounted = members.length > MOST_LISTED) =>
    isCounted ? counted(members, marks, room) : listed(members, marks);
  const groups = atOneSpot(marks).map((members) => groupOf(members));
  const waiting = [...groups];
  const placed = new Map(eachPlaced(groups, room));
  for (let group = placed.size > 0 ? undefined : waiting.shift(); group; group = waiting.shift()) {
    const others = [...placed.keys(), ...waiting];
    const [place] = freePlaces(group, others, [...placed.values()], room);
    if (place) {
      placed.set(group, place);
    } else if (group.members.length > 1 && !group.isCounted) {
      waiting.unshift(groupOf(group.members, true));
    } else {
      const other = nearest(group, others);
      if (!placed.delete(other)) waiting.splice(waiting.indexOf(other), 1);
      waiting.push(groupOf([...other.members, ...group.members].sort(byNumber)));
    }
  }
  return [...placed]
    .map(([{ members, at, isCounted }, place]) => ({ members, at, isCounted, ...place }))
    .sort((one, other) => byNumber(one.members[0] ?? 0, other.members[0] ?? 0));
}

/** Most meters for which separate labels are tried, and most tries. */
const FEW = 40;
const TRIES = 200;
function eachPlaced(groups: readonly Group[], room: Room): readonly (readonly [Group, Place])[] {
  if (groups.length > FEW) return [];
  let tries = TRIES;
  const go = (placed: ReadonlyMap<Group, Place>): ReadonlyMap<Group, Place> | undefined => {
    // The one with the fewest places to choose from is next.
    const [next] = groups
      .filter((group) => !placed.has(group))
      .map((group) => {
        const others = groups.filter((other) => other !== group);
        return { group, free: freePlaces(group, others, [...placed.values()], room) };
      })
      .sort((one, other) => one.free.length - other.free.length);
    if (!next) return placed;
    for (const place of next.free) {
      if (tries-- <= 0) return undefined;
      const found = go(new Map(placed).set(next.group, place));
      if (found) return found;
    }
    return undefined;
  };
  return [...(go(new Map()) ?? [])];
}

/** Many marks under one mark with a number are a group from the start: pair by pair it would take long. */
function atOneSpot(marks: readonly Mark[]): readonly (readonly number[])[] {
  const left = new Set(marks.keys());
  const found: (readonly number[])[] = [];
  for (const index of left) {
    const near = [...left].filter((other) => far(marks[index], marks[other]) < COUNT_MARK + MARK);
    const members = near.length > MOST_LISTED ? near : [index];
    for (const each of members) left.delete(each);
    found.push(members);
  }
  return found;
}

function listed(members: readonly number[], marks: readonly Mark[]): Group {
  const some = members.flatMap((index) => marks[index] ?? []);
  const width = Math.max(...some.map(({ label }) => label.width));
  const label = { width, height: sum(some.map(({ label }) => label.height)) };
  const boxes = some.map((mark) => square(mark, MARK));
  return { members, at: middleOf(some), isCounted: false, boxes, label };
}

function counted(members: readonly number[], marks: readonly Mark[], { count }: Room): Group {
  const at = middleOf(members.flatMap((index) => marks[index] ?? []));
  return { members, at, isCounted: true, boxes: [square(at, COUNT_MARK)], label: count };
}

function freePlaces(group: Group, others: readonly Group[], labels: readonly Box[], room: Room): readonly Place[] {
  const wanted = places(group, room);
  const isList = group.members.length > 1 && !group.isCounted;
  // The last label must have a place; if necessary it is a number.
  if (others.length === 0) return isList && group.label.height > room.height ? [] : wanted;
  const covers = (some: readonly Box[]) => (box: Box) => some.some((other) => overlaps(box, other));
  const isFree = (box: Box) => !covers(labels)(box) && !others.some(({ boxes }) => covers(boxes)(box));
  if (group.isCounted && !group.boxes.every(isFree)) return [];
  return wanted.filter((box) => isFree(box) && !covers(room.taken)(box));
}

/** In the order of preference. Up and down a label may move along its mark, and it never leaves the plan. */
function places({ boxes, at, label }: Group, room: Room): readonly Place[] {
  const left = Math.min(...boxes.map(({ x }) => x)) - GAP - label.width;
  const right = Math.max(...boxes.map((box) => box.x + box.width)) + GAP;
  const top = Math.min(...boxes.map(({ y }) => y)) - GAP - label.height;
  const bottom = Math.max(...boxes.map((box) => box.y + box.height)) + GAP;
  const inside = (value: number, most: number) => Math.max(0, Math.min(value, most));
  const place = (side: Side, x: number, y: number): Place => ({ side, x, y, ...label });
  const down = (y: number) => inside(y, room.height - label.height);
  const besides = [at.y - COUNT_MARK, at.y - label.height / 2, at.y + COUNT_MARK - label.height].map((y) => [
    place('right', right, down(y)),
    place('left', left, down(y)),
  ]);
  const ends = [1 / 2, 1 / 4, 3 / 4].map((share) => {
    const x = inside(at.x - label.width * share, room.width - label.width);
    return [place('below', x, bottom), place('above', x, top)];
  });
  const all = [besides[0], ends[0], ...besides.slice(1), ...ends.slice(1)].flatMap((some) => some ?? []);
  const fit = all.filter(
    ({ x, y }) => x >= 0 && y >= 0 && x + label.width <= room.width && y + label.height <= room.height,
  );
  return fit.length > 0
    ? fit
    : [place('below', inside(at.x - label.width / 2, room.width - label.width), down(bottom))];
}

const nearest = (group: Group, others: readonly Group[]): Group =>
  others.reduce((best, each) => (far(group.at, each.at) < far(group.at, best.at) ? each : best));
const far = (one: Point | undefined, other: Point | undefined): number =>
  one && other ? Math.hypot(one.x - other.x, one.y - other.y) : Number.POSITIVE_INFINITY;
const middleOf = (points: readonly Point[]): Point => ({
  x: sum(points.map(({ x }) => x)) / points.length,
  y: sum(points.map(({ y }) => y)) / points.length,
});
const square = ({ x, y }: Point, half: number): Box => ({
  x: x - half,
  y: y - half,
  width: 2 * half,
  height: 2 * half,
});
const byNumber = (one: number, other: number): number => one - other;
const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
const overlaps = (one: Box, other: Box): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;
