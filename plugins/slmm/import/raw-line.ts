/**
 * The level in a line of the meter that SLMM has stored. Releases before 2026-01-07 took the fields of a DRD line one too far to
 * the left, and those from then until 2026-06-08 the fields of a DOD line: the columns next to the line are wrong, the line is right.
 *
 *   64 fields: DOD, four channels of 16; the first one is Lp
 *   33 fields: DRD, a counter and four channels of 8; Lp comes after the counter
 */
import { nl43 } from '../../../lib/index.ts';

const READERS: Readonly<Record<number, (line: string) => { readonly lp: string | null; readonly leq: string | null }>> =
  {
    64: (line) => {
      const { main } = nl43.display().decode(line);
      return { lp: main?.lp ?? null, leq: main?.leq ?? null };
    },
    33: (line) => {
      const { main } = nl43.frames().decode(line);
      return { lp: main.lp, leq: main.leq };
    },
  };

export interface RawLevels {
  /** dB */
  readonly lp: number;
  readonly leq: number | null;
}

/** Undefined: it is another kind of line, or has no level. */
export function levelsIn(line: string): RawLevels | undefined {
  const read = READERS[line.split(',').length];
  if (!read) return undefined;
  try {
    const { lp, leq } = read(line);
    return lp === null ? undefined : { lp: Number(lp), leq: leq === null ? null : Number(leq) };
  } catch {
    return undefined;
  }
}
