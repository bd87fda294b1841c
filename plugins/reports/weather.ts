/** The section about weather: observations of each day, time without observations, and exclusions because of the weather. */

import type { NoteProposal, ObservedRow, Station } from '../../client/schemas.ts';
import { zones } from '../../lib/built-in.ts';
import { isGatewayError } from '../../lib/index.ts';
import type { Questions } from './answers.ts';
import { headings, paragraph, type ReportBlock, type ReportCell, tableOf } from './document.ts';
import type { Gathered, GatheredWeather } from './gathered.ts';
import { andMore, MOST_ROWS, noteTable } from './lists.ts';
import type { ReportWords } from './words.ts';

/** Stations whose days are shown. A meter with more of them is a mistake in `units` of a station. */
const MOST_STATIONS = 10;

/** Days are those of `zone`. A station that many units of a report have is read once. Without the plugin of stations the list is empty. Errors: those of the routes that are asked. */
export async function gatherWeather(
  questions: Questions,
  unitId: string,
  about: { readonly from: string; readonly to: string; readonly zone: string },
): Promise<GatheredWeather> {
  // The age of the last observation of a station changes by itself. So the observations are asked for by the name of the station.
  const all = await questions.unlisted<readonly Station[]>('/_stations').catch((error: unknown) => {
    if (isGatewayError(error, 'NOT_FOUND')) return [];
    throw error;
  });
  const own = all.filter(({ units }) => units === null || units.includes(unitId));
  const stations = [];
  for (const station of own.slice(0, MOST_STATIONS)) {
    const path = '/_stations/{id}/observations';
    const query = { ...about, step: '1d' };
    const days = await questions.ofAll<readonly ObservedRow[]>(path, query, { id: station.id });
    stations.push({ station, days });
  }
  const { from, to } = about;
  const proposals =
    own.length === 0
      ? []
      : await questions.data<readonly NoteProposal[]>('/{unit_id}/notes/proposals', unitId, { from, to });
  return { stations, left: own.length - stations.length, proposals };
}

export function* weather(gathered: Gathered, words: ReportWords): Iterable<ReportBlock> {
  const { stations = [], left = 0, proposals = [] } = gathered.weather ?? {};
  if (stations.length === 0) {
    yield paragraph(words.say('No station observes the weather for this unit: nothing is known of wind and rain.'));
    return;
  }
  yield paragraph(stations.map((one) => stationWords(words, one)).join('\n'));
  yield paragraph(
    words.say(
      'Wind and temperature are means over the time in which they were observed, a gust is the strongest one, rain is the sum. "Not observed" is neither calm nor dry: nothing is known of it.',
    ),
  );
  const rows = stations.flatMap(({ station, days }) => days.map((day) => rowOf(gathered, words, station, day)));
  yield daysTable(words, rows.slice(0, MOST_ROWS));
  yield* andMore(words, rows.length - MOST_ROWS);
  if (left > 0) yield paragraph(words.say('Further stations, not shown: {count}.', { count: left }));
  yield* excluded(gathered, words);
  if (proposals.length > 0) {
    const said = { count: proposals.length, duration: words.duration(lengthOf(proposals) / 1_000) };
    yield paragraph(
      words.say(
        'Times that the rules of this unit name as a reason to exclude and that are not excluded: {count}, {duration} in all. They count in this report.',
        said,
      ),
    );
  }
}

/** Of all times together, ms: what two reasons name counts once. They are in the order of their beginnings. */
function lengthOf(times: readonly NoteProposal[]): number {
  let [sum, until] = [0, 0];
  for (const { from, to } of times) {
    const end = zones.instantOf(to);
    sum += Math.max(0, end - Math.max(until, zones.instantOf(from)));
    until = Math.max(until, end);
  }
  return sum;
}

const labelOf = ({ id, title }: Station): string => (title ? `${title} (${id})` : id);

/** Shares are those of all days together, also of those on which nothing was observed. */
function stationWords(words: ReportWords, { station, days }: GatheredWeather['stations'][number]): string {
  const length = ({ from, to }: ObservedRow) => zones.instantOf(to) - zones.instantOf(from);
  const whole = days.reduce((sum, day) => sum + length(day), 0);
  const share = (name: 'wind_speed' | 'rain') =>
    words.share(whole === 0 ? 0 : days.reduce((sum, day) => sum + day.coverage[name] * length(day), 0) / whole);
  const place = station.place ? `, ${station.place}` : '';
  return words.say('Observed by {station}: wind for {wind} of the time, rain for {rain}.', {
    station: `${labelOf(station)}${place}`,
    wind: share('wind_speed'),
    rain: share('rain'),
  });
}

function rowOf(
  { wish: { zone } }: Gathered,
  words: ReportWords,
  station: Station,
  { from, values, coverage }: ObservedRow,
): readonly ReportCell[] {
  const cell = (value: number | null) => value ?? words.say('not observed');
  const day = zones.localIso(zone, zones.instantOf(from)).slice(0, 10);
  const { wind_speed: wind, gust, rain, temperature } = values;
  return [day, labelOf(station), ...[wind, gust, rain, temperature].map(cell), coverage.wind_speed, coverage.rain];
}

const daysTable = ({ say }: ReportWords, rows: readonly (readonly ReportCell[])[]): ReportBlock =>
  tableOf(
    say('Weather by day'),
    [
      ...headings('date', say('Day')),
      ...headings('text', say('Station')),
      ...headings('number', say('Wind, m/s'), say('Gust, m/s'), say('Rain, mm'), say('Temperature, °C')),
      ...headings('share', say('Wind observed'), say('Rain observed')),
    ],
    rows,
  );

function* excluded({ wish: { zone }, exclusions }: Gathered, words: ReportWords): Iterable<ReportBlock> {
  const found = (exclusions?.items ?? []).filter(({ observed }) => observed);
  if (found.length === 0) {
    yield paragraph(words.say('Nothing is excluded because of what was observed.'));
    return;
  }
  yield noteTable(words.say('Excluded because of what was observed'), found, zone, words);
  yield* andMore(words, found.length - MOST_ROWS, exclusions?.isCut);
}
