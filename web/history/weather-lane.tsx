/** Wind and rain of the time shown, below the levels and as wide as they are. */
import type { schemas } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { type ChosenTime, isoSpan } from '../state/chosen-time.ts';
import { useFound } from '../state/found.ts';
import { percent, span as spanWords, tenths } from '../state/numbers.ts';
import { listOf, say, sayWith } from '../words/say.ts';

const HOUR_MS = 3_600_000;
const HEIGHT = 60;
const WIDTH = 1_000;
/** The lane has at least this height, m/s and mm an hour: a little wind must not look like a storm. */
const FULL_WIND = 10;
const FULL_RAIN = 5;
const LEAST_RAIN = 3;

type Row = schemas.ObservedRow;

export function WeatherLanes({ unitId, from, to }: ChosenTime & { readonly unitId: string }) {
  const { found: stations = [] } = useFound(
    async () => (await client.value.stations()).filter(({ units }) => units === null || units.includes(unitId)),
    [unitId],
  );
  return (
    <>
      {stations.map((station) => (
        <Lane key={station.id} station={station} from={from} to={to} />
      ))}
      {stations.map((station) => station.silent && <Silence key={station.id} station={station} />)}
    </>
  );
}

/** Now, whatever the time shown. */
const Silence = ({ station }: { readonly station: schemas.Station }) => {
  const named = { station: <bdi>{station.title || station.id}</bdi> };
  return (
    <p class="trouble wait">
      {station.age_s === null
        ? sayWith('The station {station} has sent nothing yet: of wind and rain now nothing is known.', named)
        : sayWith('The station {station} has sent nothing for {length}: of wind and rain now nothing is known.', {
            ...named,
            length: spanWords(station.age_s),
          })}
    </p>
  );
};

/** The shortest rows that the eye can still separate. */
const stepOf = (span: number): string =>
  span <= 12 * HOUR_MS ? '5m' : span <= 100 * HOUR_MS ? '30m' : span <= 40 * 24 * HOUR_MS ? '1h' : '1d';

function Lane({ station, from, to }: ChosenTime & { readonly station: schemas.Station }) {
  const query = { ...isoSpan({ from, to }), step: stepOf(to - from) };
  const { found: rows = [] } = useFound(() => client.value.observations(station.id, query), [station.id, from, to]);
  const title = station.title || station.id;
  const words = laneWords(rows);
  if (rows.length === 0) return null;
  return (
    <figure class="lane">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`${title}: ${words}`}>
        {rows.map((row) => (
          <Rain key={row.from} row={row} rows={rows} from={from} to={to} />
        ))}
        <path class="wind" d={windPath(rows, from, to)} />
      </svg>
      <figcaption class="soft small">
        <bdi>{title}</bdi>: {words}
      </figcaption>
    </figure>
  );
}

const highest = (values: readonly (number | null)[], least: number): number =>
  Math.max(least, ...values.map((value) => value ?? 0));
const intensity = ({ from, to, values: { rain } }: Row): number =>
  ((rain ?? 0) / (Date.parse(to) - Date.parse(from))) * HOUR_MS;
const placeOf = (time: string, from: number, to: number): number =>
  Math.min(1, Math.max(0, (Date.parse(time) - from) / (to - from))) * WIDTH;

function Rain({ row, rows, from, to }: ChosenTime & { readonly row: Row; readonly rows: readonly Row[] }) {
  const { rain } = row.values;
  if (rain === null || rain === 0) return null;
  const [begin, end] = [placeOf(row.from, from, to), placeOf(row.to, from, to)];
  const full = highest(rows.map(intensity), FULL_RAIN);
  const height = Math.max(LEAST_RAIN, (intensity(row) / full) * HEIGHT);
  return <rect class="rain" x={begin} y={HEIGHT - height} width={end - begin} height={height} />;
}

/** Steps; where nothing was observed there is no line. */
function windPath(rows: readonly Row[], from: number, to: number): string {
  const full = highest(
    rows.map(({ values }) => values.wind_speed),
    FULL_WIND,
  );
  return rows
    .map(({ from: begin, to: end, values: { wind_speed: speed } }, index) => {
      if (speed === null) return '';
      const y = (HEIGHT - 1 - (speed / full) * (HEIGHT - 2)).toFixed(1);
      const goesOn = index > 0 && rows[index - 1]?.values.wind_speed !== null;
      return `${goesOn ? 'L' : 'M'}${placeOf(begin, from, to).toFixed(1)} ${y}L${placeOf(end, from, to).toFixed(1)} ${y}`;
    })
    .join('');
}

/** `wind up to 7.1 m/s, gusts up to 12.0 m/s, rain 3.2 mm; wind observed 92 % of the time` */
function laneWords(rows: readonly Row[]): string {
  const strongest = (name: 'wind_speed' | 'gust') => {
    const values = rows.flatMap(({ values }) => values[name] ?? []);
    return values.length === 0 ? undefined : tenths(Math.max(...values));
  };
  const [wind, gust] = [strongest('wind_speed'), strongest('gust')];
  const rainfalls = rows.flatMap(({ values }) => values.rain ?? []);
  const said = [
    wind !== undefined && say('wind up to {speed} m/s', { speed: wind }),
    gust !== undefined && say('gusts up to {speed} m/s', { speed: gust }),
    rainfalls.length > 0 && say('rain {depth} mm', { depth: tenths(rainfalls.reduce((sum, one) => sum + one, 0)) }),
  ].filter((words) => words !== false);
  if (said.length === 0) return say('neither wind nor rain was observed');
  return say('{weather}; wind observed {wind}, rain {rain} of the time', {
    weather: listOf(said),
    wind: percent(shareOf(rows, 'wind_speed')),
    rain: percent(shareOf(rows, 'rain')),
  });
}

function shareOf(rows: readonly Row[], name: 'wind_speed' | 'rain'): number {
  const length = ({ from, to }: Row) => Date.parse(to) - Date.parse(from);
  const all = rows.reduce((sum, row) => sum + length(row), 0);
  return all === 0 ? 0 : rows.reduce((sum, row) => sum + row.coverage[name] * length(row), 0) / all;
}
