/** The span of time that the address of a page names: one between two times, or one that ends now. */
import { search } from '../state/address.ts';
import { now } from '../state/fleet.ts';
import type { Chosen } from './span-choice.tsx';

const DAY_MS = 86_400_000;
/** A span that ends now moves on with the time, in steps of this length. */
export const MOVES_MS = 60_000;

/** Without one in the address: the last day. */
export function chosenSpan(): Chosen {
  const from = Date.parse(search.value.get('from') ?? '');
  const to = Date.parse(search.value.get('to') ?? '');
  if (from < to) return { from, to, last: undefined };
  const last = Number(search.value.get('last') ?? DAY_MS) || DAY_MS;
  const end = Math.ceil(now.peek() / MOVES_MS) * MOVES_MS;
  return { from: end - last, to: end, last };
}
