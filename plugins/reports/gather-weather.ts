/** Reads what the section about weather needs. */
import { isGatewayError } from '../../lib/index.ts';
import type { ObservedDayAnswer, ProposalAnswer, Questions, StationAnswer } from './answers.ts';

/** Stations whose days are shown. A meter with more of them is a mistake in `units` of a station. */
const MOST_STATIONS = 10;

/** Of one unit. */
export interface GatheredWeather {
  readonly stations: readonly { readonly station: StationAnswer; readonly days: readonly ObservedDayAnswer[] }[];
  /** Stations that are left out. */
  readonly left: number;
  /** What the rules of the unit would exclude besides. */
  readonly proposals: readonly ProposalAnswer[];
}

/** Days are those of `zone`. A station that many units of a report have is read once. Where the gateway has no stations at all, there are none. Errors: those of the routes that are asked. */
export async function gatherWeather(
  questions: Questions,
  unitId: string,
  about: { readonly from: string; readonly to: string; readonly zone: string },
): Promise<GatheredWeather> {
  // How old the last observation of each station is changes by itself. What counts of a station is asked for by its name.
  const all = await questions.unlisted<readonly StationAnswer[]>('/_stations').catch((error: unknown) => {
    if (isGatewayError(error, 'NOT_FOUND')) return [];
    throw error;
  });
  const own = all.filter(({ units }) => units === null || units.includes(unitId));
  const stations = [];
  for (const station of own.slice(0, MOST_STATIONS)) {
    const path = '/_stations/{id}/observations';
    const query = { ...about, step: '1d' };
    const days = await questions.ofAll<readonly ObservedDayAnswer[]>(path, query, { id: station.id });
    stations.push({ station, days });
  }
  const { from, to } = about;
  const proposals =
    own.length === 0
      ? []
      : await questions.data<readonly ProposalAnswer[]>('/{unit_id}/notes/proposals', unitId, { from, to });
  return { stations, left: own.length - stations.length, proposals };
}
