/**
 * How well a fact about the meter is known, best first. `docs/protocol.md` explains each grade and names the sources.
 *
 * - `captured`: seen in bytes or results of a real NL-43
 * - `manual`: documented in a Rion manual of this command family
 * - `second-hand`: from a summary of guide 66132; right in most places
 * - `code`: seen in working code that talks to a real meter, the bytes themselves were not seen
 * - `inferred`: concluded, the source says from what
 * - `unknown`: a guess among several plausible behaviours; the simulator offers all of them
 */
export type Grade = 'captured' | 'manual' | 'second-hand' | 'code' | 'inferred' | 'unknown';

/** How well a fact is known, and from where. */
export interface Evidence {
  readonly grade: Grade;
  readonly source: string;
}

/** `source`: as `docs/protocol.md` names it. */
export const evidence = (grade: Grade, source: string): Evidence => Object.freeze({ grade, source });
