/** Surgery on what leaves the meter. Nothing here knows a fault; lists go in, new lists come out. */
import type { Emission } from './contract.ts';

type Bytes = Extract<Emission, { readonly bytes: Uint8Array }>;

export const isBytes = (emission: Emission): emission is Bytes => 'bytes' in emission;

/** `afterMs`: after the emission before it. */
export const say = (text: string, afterMs = 0): Emission => ({ afterMs, bytes: Buffer.from(text, 'latin1') });

/** All bytes as one text, a character each. */
export const textOf = (emissions: readonly Emission[]): string =>
  emissions.map((emission) => (isBytes(emission) ? Buffer.from(emission.bytes).toString('latin1') : '')).join('');

const sizeOf = (emissions: readonly Emission[]): number =>
  emissions.reduce((size, emission) => size + (isBytes(emission) ? emission.bytes.length : 0), 0);

/** From the hand-over to the last emission, ms. */
export const lengthMs = (emissions: readonly Emission[]): number =>
  emissions.reduce((sum, { afterMs }) => sum + afterMs, 0);

/** The first of the list later. */
export function later(emissions: readonly Emission[], ms: number): readonly Emission[] {
  const [first, ...rest] = emissions;
  return first ? [{ ...first, afterMs: first.afterMs + ms }, ...rest] : emissions;
}

/** The list up to byte `at`, without the rest. */
export function upTo(emissions: readonly Emission[], at: number): Emission[] {
  const kept: Emission[] = [];
  let left = at;
  for (const emission of emissions) {
    if (left <= 0) break;
    if (!isBytes(emission)) kept.push(emission);
    else {
      const bytes = emission.bytes.subarray(0, left);
      left -= bytes.length;
      kept.push({ ...emission, bytes });
    }
  }
  return kept;
}

export const mapText = (emissions: readonly Emission[], change: (text: string) => string): Emission[] =>
  emissions.map((emission) =>
    isBytes(emission) ? say(change(Buffer.from(emission.bytes).toString('latin1')), emission.afterMs) : emission,
  );

const PROMPT = /^\$ ?$/;

export const isPrompt = (emission: Emission): boolean =>
  isBytes(emission) && PROMPT.test(Buffer.from(emission.bytes).toString('latin1'));

/**
 * Where in what the meter says a break falls: after byte `at`, counted over everything from the first list on, or with null
 * in the middle of each list. Answers with the place in this list, or null.
 */
export function breakpoint(at: number | null): (emissions: readonly Emission[]) => number | null {
  let said = 0;
  return (emissions) => {
    const size = sizeOf(emissions);
    if (at === null) return size > 0 ? Math.ceil(size / 2) : null;
    const here = at - said;
    said += size;
    return (here > 0 || (here === 0 && said === size)) && here <= size ? here : null;
  };
}
