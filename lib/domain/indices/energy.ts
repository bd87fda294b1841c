/**
 * Levels are logarithms of energy: they are added and averaged as energy, never as decibels. Levels in dB, times in seconds.
 * Definitions: ISO 1996-1:2016, IEC 61672-1.
 */

/** Energy of a level, relative to that of 0 dB. */
export const energyOf = (level: number): number => 10 ** (level / 10);

/** Level of an energy; -Infinity for none. */
export const levelOf = (energy: number): number => 10 * Math.log10(energy);

/** A level and its duration. */
export interface KnownLevel {
  readonly level: number;
  readonly seconds: number;
}

/** Leq of a whole from its parts: 10 lg(sum t_i 10^(L_i/10) / sum t_i). Null when the parts have no duration. */
export function energyMean(parts: Iterable<KnownLevel>): number | null {
  let energy = 0;
  let total = 0;
  for (const { level, seconds } of parts) {
    energy += seconds * energyOf(level);
    total += seconds;
  }
  return total > 0 ? levelOf(energy / total) : null;
}

/** The energy mean of levels with equal weights; dB. Null levels are left out. */
export class MeanLevel {
  #energy = 0;
  #count = 0;

  add(level: number | null): void {
    if (level === null) return;
    this.#energy += energyOf(level);
    this.#count += 1;
  }

  get level(): number | null {
    return this.#count > 0 ? levelOf(this.#energy / this.#count) : null;
  }
}

/** LE (also SEL): the level of one second with the same energy. */
export const exposureLevel = (leq: number, seconds: number): number => leq + 10 * Math.log10(seconds);

/** Share of a span that has data, 0 to 1. */
export const coverageOf = (seconds: number, ofSeconds: number): number =>
  ofSeconds > 0 ? Math.min(1, Math.max(0, seconds / ofSeconds)) : 0;
