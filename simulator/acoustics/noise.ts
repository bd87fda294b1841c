/**
 * Counter-based noise: every value is a function of a seed and an index. So a sound can be computed for any time without the
 * time before it. Indices may be negative. Not for secrets.
 */

/** Scrambles a seed and an index into 32 bits (a multiply-xorshift avalanche). */
function scramble(seed: number, index: number): number {
  let bits = ((seed ^ Math.imul(index, 0x9e3779b1)) + 0x6d2b79f5) | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** 0 < x < 1. */
export function uniform(seed: number, index: number): number {
  return (scramble(seed, index) + 0.5) / 2 ** 32;
}

export function seededBetween(range: readonly [number, number], seed: number, index: number): number {
  return range[0] + (range[1] - range[0]) * uniform(seed, index);
}

/** Mean 0, standard deviation 1, within +-3: the sum of three uniforms, so that no scenario ever strays far. */
export function bell(seed: number, index: number): number {
  return 2 * (uniform(seed, 3 * index) + uniform(seed, 3 * index + 1) + uniform(seed, 3 * index + 2)) - 3;
}

export function streamSeed(seed: number, name: string): number {
  let bits = scramble(seed, name.length);
  for (let i = 0; i < name.length; i++) bits = scramble(bits, name.charCodeAt(i));
  return bits;
}

/** Equal-power weights between two lattice points, 0 <= place < 1: the variance is the same everywhere. */
export function crossfade(place: number): [number, number] {
  const eased = place * place * (3 - 2 * place);
  return [Math.cos((Math.PI / 2) * eased), Math.sin((Math.PI / 2) * eased)];
}

/** Smooth noise, mean 0, standard deviation 1, with lattice points at whole `place`s. */
export function smoothNoise(seed: number, place: number): number {
  const left = Math.floor(place);
  const [one, other] = crossfade(place - left);
  return one * bell(seed, left) + other * bell(seed, left + 1);
}

/** How many events a Poisson process of this mean has, by inversion of one uniform number; at most `most`. */
export function poisson(mean: number, chance: number, most = 200): number {
  let count = 0;
  let term = Math.exp(-mean);
  let sum = term;
  while (chance > sum && count < most) {
    count += 1;
    term *= mean / count;
    sum += term;
  }
  return count;
}
