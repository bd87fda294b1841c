/** The section about weather: what stations observed on each day, of which time nothing is known, and what was excluded for it. */
import { zones } from '../../lib/index.ts';
import type { NoteAnswer, ObservedDayAnswer, ProposalAnswer, StationAnswer } from './answers.ts';
import type { ReportBlock, ReportCell } from './document.ts';
import type { Gathered } from './gather.ts';
import type { GatheredWeather } from './gather-weather.ts';
import type { ReportSpeech } from './speech.ts';

/** Rows of one table. */
const MOST_ROWS = 500;

/** Its blocks. */
export function* weather(gathered: Gathered, speech: ReportSpeech): Iterable<ReportBlock> {
  const { stations = [], left = 0, proposals = [] } = gathered.weather ?? {};
  if (stations.length === 0) {
    yield speech.text(speech.say('noStation'));
    return;
  }
  yield speech.text(stations.map((one) => stationWords(speech, one)).join('\n'));
  yield speech.text(speech.say('weatherNote'));
  const rows = stations.flatMap(({ station, days }) => days.map((day) => rowOf(gathered, speech, station, day)));
  yield daysTable(speech, rows.slice(0, MOST_ROWS));
  if (rows.length > MOST_ROWS) yield speech.text(speech.say('moreRows', { count: rows.length - MOST_ROWS }));
  if (left > 0) yield speech.text(speech.say('moreStations', { count: left }));
  yield* excluded(gathered, speech);
  if (proposals.length > 0) {
    const said = { count: proposals.length, duration: speech.duration(lengthOf(proposals) / 1_000) };
    yield speech.text(speech.say('weatherProposed', said));
  }
}

/** Of all times together, ms: what two reasons name counts once. They are in the order of their beginnings. */
function lengthOf(times: readonly ProposalAnswer[]): number {
  let [sum, until] = [0, 0];
  for (const { from, to } of times) {
    const end = zones.instantOf(to);
    sum += Math.max(0, end - Math.max(until, zones.instantOf(from)));
    until = Math.max(until, end);
  }
  return sum;
}

const labelOf = ({ id, title }: StationAnswer): string => (title ? `${title} (${id})` : id);

/** Shares are those of all days together, also of those on which nothing was observed. */
function stationWords(speech: ReportSpeech, { station, days }: GatheredWeather['stations'][number]): string {
  const length = ({ from, to }: ObservedDayAnswer) => zones.instantOf(to) - zones.instantOf(from);
  const whole = days.reduce((sum, day) => sum + length(day), 0);
  const share = (name: 'wind_speed' | 'rain') =>
    speech.share(whole === 0 ? 0 : days.reduce((sum, day) => sum + day.coverage[name] * length(day), 0) / whole);
  const place = station.place ? `, ${station.place}` : '';
  return speech.say('stationObserved', {
    ...{ station: `${labelOf(station)}${place}`, wind: share('wind_speed'), rain: share('rain') },
  });
}

function rowOf(
  { wish: { zone } }: Gathered,
  speech: ReportSpeech,
  station: StationAnswer,
  { from, values, coverage }: ObservedDayAnswer,
): readonly ReportCell[] {
  const cell = (value: number | null) => value ?? speech.say('notObserved');
  const day = zones.localIso(zone, zones.instantOf(from)).slice(0, 10);
  const { wind_speed: wind, gust, rain, temperature } = values;
  return [day, labelOf(station), ...[wind, gust, rain, temperature].map(cell), coverage.wind_speed, coverage.rain];
}

const daysTable = (speech: ReportSpeech, rows: readonly (readonly ReportCell[])[]): ReportBlock =>
  speech.table(
    'weatherTable',
    [
      ...[speech.titled('day', 'date'), speech.titled('station'), speech.titled('wind', 'number')],
      ...[speech.titled('gust', 'number'), speech.titled('rain', 'number'), speech.titled('temperature', 'number')],
      ...[speech.titled('windCoverage', 'share'), speech.titled('rainCoverage', 'share')],
    ],
    rows,
  );

function* excluded({ wish: { zone }, exclusions }: Gathered, speech: ReportSpeech): Iterable<ReportBlock> {
  const found = (exclusions?.items ?? []).filter(({ observed }) => observed);
  if (found.length === 0) {
    yield speech.text(speech.say('noneExcludedByWeather'));
    return;
  }
  const moment = (iso: string) => zones.localIso(zone, zones.instantOf(iso));
  const cells = ({ id, from, to, reason, text, by }: NoteAnswer) => [
    ...[id, moment(from), to === null ? speech.say('goesOn') : moment(to)],
    ...[speech.known('note', reason), text, by],
  ];
  yield speech.table(
    'weatherExclusions',
    [
      ...[speech.titled('note'), speech.titled('from', 'time'), speech.titled('to', 'time')],
      ...[speech.titled('reason'), speech.titled('text'), speech.titled('by')],
    ],
    found.slice(0, MOST_ROWS).map(cells),
  );
  const rest = found.length - MOST_ROWS;
  if (rest > 0 || exclusions?.isCut)
    yield speech.text(speech.say('moreRows', { count: exclusions?.isCut ? `${Math.max(0, rest)}+` : rest }));
}
