/**
 * Work that grows with the stored data is done in parts of a few milliseconds. Between two parts everybody else gets a
 * turn of the event loop. In each turn, only one of the long works continues.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from './clock.ts';

/** Total time of these works in one turn, ms. */
const PART_MS = 5;

/** When the work in the present turn began, ms; undefined: none has worked in it. */
let began: number | undefined;
/** Resolves in the turn of the last waiting work. */
let last: Promise<void> = Promise.resolve();

/** Call it often within long work, and wait for a returned promise: the time of this turn is then used up. */
export function rest(): Promise<void> | undefined {
  const now = systemClock.elapsed();
  if (began === undefined) begin(now);
  else if (now - began >= PART_MS) return ownTurn();
  return undefined;
}

/** Maps each of many items with `of`, in their order. */
export async function mapInParts<Item, Made>(items: Iterable<Item>, of: (item: Item) => Made): Promise<Made[]> {
  const made: Made[] = [];
  for (const item of items) {
    made.push(of(item));
    await rest();
  }
  return made;
}

/** Resolves in a turn of the event loop in which no other work that waits here continues. */
export function ownTurn(): Promise<void> {
  last = last.then(() => nextTurn()).then(() => begin(systemClock.elapsed()));
  return last;
}

function begin(now: number): void {
  began = now;
  setImmediate(() => {
    if (began === now) began = undefined;
  });
}
