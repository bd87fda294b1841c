/** The text of the meter's clock, and what the clocks of a zone show. Local times are ms since 1970 as if they were UTC. */
import { indices } from '../../lib/index.ts';

/** `2026/11/21 06:00:00`. */
export const clockText = (local: number): string =>
  new Date(local).toISOString().slice(0, 19).replaceAll('-', '/').replace('T', ' ');

/** How far the clocks of the zone are ahead of UTC at this moment (ms since 1970 UTC), ms. */
export const zoneOffset = (zone: string, at: number): number => indices.offsetSpans(zone, at, at)[0]?.offset ?? 0;
