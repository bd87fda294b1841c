/** The section about weather: what stations observed on each day, of which time nothing is known, and what was excluded for it. */
import { zones } from '../../lib/index.ts';
import type { NoteAnswer, ObservedDayAnswer, ProposalAnswer, StationAnswer } from './answers.ts';
import { column, paragraph, type ReportBlock, type ReportCell, tableOf } from './document.ts';
import type { Gathered } from './gather.ts';
import type { GatheredWeather } from './gather-weather.ts';
import type { ReportSpeech } from './speech.ts';

/** Rows of one table. */
const MOST_ROWS = 500;

/** Its blocks. */
export function* weather(gathered: Gathered, speech: ReportSpeech): Iterable<ReportBlock> {
  const { stations = [], left = 0, proposals = [] } = gathered.weather ?? {};
  if (stations.length === 0) {
    yield paragraph(speech.say('No station observes the weather for this unit: nothing is known of wind and rain.'));
    return;
  }
  yield paragraph(stations.map((one) => stationWords(speech, one)).join('\n'));
  yield paragraph(
    speech.say(
      'Wind and temperature are means over the time in which they were observed, a gust is the strongest one, rain is the sum. "Not observed" is neither calm nor dry: nothing is known of it.',
    ),
  );
  const rows = stations.flatMap(({ station, days }) => days.map((day) => rowOf(gathered, speech, station, day)));
  yield daysTable(speech, rows.slice(0, MOST_ROWS));
  if (rows.length > MOST_ROWS) yield paragraph(speech.say('And {count} more.', { count: rows.length - MOST_ROWS }));
  if (left > 0) yield paragraph(speech.say('Further stations, not shown: {count}.', { count: left }));
  yield* excluded(gathered, speech);
  if (proposals.length > 0) {
    const said = { count: proposals.length, duration: speech.duration(lengthOf(proposals) / 1_000) };
    yield paragraph(
      speech.say(
        'Times that the rules of this unit name as a reason to exclude and that are not excluded: {count}, {duration} in all. They count in this report.',
        said,
      ),
    );
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
  return speech.say('Observed by {station}: wind for {wind} of the time, rain for {rain}.', {
    ...{ station: `${labelOf(station)}${place}`, wind: share('wind_speed'), rain: share('rain') },
  });
}

function rowOf(
  { wish: { zone } }: Gathered,
  speech: ReportSpeech,
  station: StationAnswer,
  { from, values, coverage }: ObservedDayAnswer,
): readonly ReportCell[] {
  const cell = (value: number | null) => value ?? speech.say('not observed');
  const day = zones.localIso(zone, zones.instantOf(from)).slice(0, 10);
  const { wind_speed: wind, gust, rain, temperature } = values;
  return [day, labelOf(station), ...[wind, gust, rain, temperature].map(cell), coverage.wind_speed, coverage.rain];
}

const daysTable = (speech: ReportSpeech, rows: readonly (readonly ReportCell[])[]): ReportBlock =>
  tableOf(
    speech.say('Weather by day'),
    [
      ...[column(speech.say('Day'), 'date'), column(speech.say('Station')), column(speech.say('Wind, m/s'), 'number')],
      ...[
        column(speech.say('Gust, m/s'), 'number'),
        column(speech.say('Rain, mm'), 'number'),
        column(speech.say('Temperature, °C'), 'number'),
      ],
      ...[column(speech.say('Wind observed'), 'share'), column(speech.say('Rain observed'), 'share')],
    ],
    rows,
  );

function* excluded({ wish: { zone }, exclusions }: Gathered, speech: ReportSpeech): Iterable<ReportBlock> {
  const found = (exclusions?.items ?? []).filter(({ observed }) => observed);
  if (found.length === 0) {
    yield paragraph(speech.say('Nothing is excluded because of what was observed.'));
    return;
  }
  const moment = (iso: string) => zones.localIso(zone, zones.instantOf(iso));
  const cells = ({ id, from, to, reason, text, by }: NoteAnswer) => [
    ...[id, moment(from), to === null ? speech.say('not ended') : moment(to)],
    ...[speech.known('note', reason), text, by],
  ];
  yield tableOf(
    speech.say('Excluded because of what was observed'),
    [
      ...[
        column(speech.say('Note ## its number')),
        column(speech.say('From'), 'time'),
        column(speech.say('To'), 'time'),
      ],
      ...[column(speech.say('Reason')), column(speech.say('Text')), column(speech.say('By'))],
    ],
    found.slice(0, MOST_ROWS).map(cells),
  );
  const rest = found.length - MOST_ROWS;
  if (rest > 0 || exclusions?.isCut)
    yield paragraph(speech.say('And {count} more.', { count: exclusions?.isCut ? `${Math.max(0, rest)}+` : rest }));
}
