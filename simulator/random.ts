/** Seeded chance: the same seed gives the same numbers. Not for secrets. */
export type Random = () => number;

/** 0 <= x < 1. A Weyl sequence through a mixer of 32 bits. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

export const between = (random: Random, [from, to]: readonly [number, number]): number => from + (to - from) * random();
