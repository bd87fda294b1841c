/** What a gatherer of a package gets and gives. */
import type { Host, PackagePart, Request, zones } from '../../lib/index.ts';

/** A package that is being made. */
export interface Gathering {
  readonly host: Pick<Host, 'ask' | 'audit' | 'configs' | 'stored'>;
  readonly unitId: string;
  /** Ms since 1970 UTC. */
  readonly span: zones.Span;
  readonly zone: string;
  /** Asks routes of other plugins with it. */
  readonly request: Request;
  readonly signal: AbortSignal;
}

/** Gives its files in the order of their paths. */
export type Gather = (gathering: Gathering) => AsyncGenerator<PackagePart>;
