/**
 * Work that grows with what is stored is done in parts of a few milliseconds. Between two parts everybody else has a turn of the event
 * loop, and of all who work in parts only one goes on in each turn.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from './clock.ts';

/** So long all of them together work in one turn, ms. */
const PART_MS = 5;

/** When the work in the present turn began, ms; undefined: nobody has worked in it. */
let began: number | undefined;
/** Resolves in the turn of whoever waits last. */
let last: Promise<void> = Promise.resolve();

/** To be called often within long work, and waited for where it returns a promise: the part of this turn is used up then. */
export function rest(): Promise<void> | undefined {
  const now = systemClock.elapsed();
  if (began === undefined) begin(now);
  else if (now - began >= PART_MS) return ownTurn();
  return undefined;
}

/** What `of` makes of each of many, in their order. */
export async function mapInParts<Item, Made>(items: Iterable<Item>, of: (item: Item) => Made): Promise<Made[]> {
  const made: Made[] = [];
  for (const item of items) {
    made.push(of(item));
    await rest();
  }
  return made;
}

/** Resolves in a turn of the event loop in which nobody else who waits here goes on. */
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
