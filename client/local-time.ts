/**
 * Local times of a place, for programs that have no packages: pages and command line. The gateway itself has
 * `lib/domain/zone.ts`, whose library of zones is larger than a whole page. A test says that both give the same times.
 */

/** Making one takes a hundred times as long as using it. */
const FORMATS = new Map<string, Intl.DateTimeFormat>();
const DAY_MS = 86_400_000;

/**
 * `2026-11-21T14:05:07`: what the clock of the zone shows at this time (ms since 1970 UTC). No zone: the clock of this computer.
 * Throws RangeError for no zone.
 */
export function localTime(at: number, zone?: string | null): string {
  // Swedish dates are those of ISO 8601.
  const format =
    FORMATS.get(zone ?? '') ??
    new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', ...(zone && { timeZone: zone }) });
  FORMATS.set(zone ?? '', format);
  return format.format(at).replace(' ', 'T');
}

/**
 * The first time (ms since 1970 UTC) at which the clock of the zone shows `local` (`2026-11-21`, `2026-11-21T14:05`) or later: the first of two
 * where the clocks go back over it, the moment of the change where it is skipped. NaN: there is no such date or time. Throws RangeError for no zone.
 */
export function firstMomentOf(local: string, zone?: string | null): number {
  const asUtc = Date.parse(local.includes('T') ? `${local}Z` : local);
  // 30 February is read as 2 March.
  if (Number.isNaN(asUtc) || !new Date(asUtc).toISOString().startsWith(local.slice(0, 10))) return Number.NaN;
  const shown = (at: number) => Date.parse(`${localTime(at, zone)}Z`);
  const [early, late] = [asUtc - DAY_MS, asUtc + DAY_MS]
    .map((near) => asUtc - (shown(near) - near))
    .sort((one, other) => one - other) as [number, number];
  if (shown(early) >= asUtc) return early;
  let [before, after] = [early, late];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (shown(middle) < asUtc) before = middle;
    else after = middle;
  }
  return after;
}
