/** Lday, Levening, Lnight and the index made from them, for each local day of a span: Lden, Ldn or CNEL. */
import {
  type DeviceConfig,
  daysIn,
  type History,
  indices,
  invalid,
  type Plugin,
  spanOf,
  weightingOf,
} from '../../lib/index.ts';
import { INDICES, INDICES_QUERY, type IndicesQuery } from './schemas.ts';
import { shownIndex, shownMean } from './shown.ts';

/** About eleven years. */
const MOST_DAYS = 4_000;
const DAY_MS = 86_400_000;
const OWN = ['day', 'evening', 'night', 'evening_penalty', 'night_penalty'] as const;

type Answer = Awaited<ReturnType<History['query']>>;

const plugin: Plugin = {
  name: 'indices',
  about: 'Lden, Ldn or CNEL, day by day',
  register(host) {
    host.route<unknown, IndicesQuery>({
      method: 'GET',
      path: '/{unit_id}/indices',
      access: 'viewer',
      summary: 'Show the indices of each local day: Lden, Ldn or CNEL',
      description:
        'One entry for each day that overlaps the span, and a total of the valid days. Means are over the time with data; Lden weights the periods by their real hours.',
      query: INDICES_QUERY,
      answer: { data: INDICES },
      etag: true,
      errors: ['UNIT_NOT_FOUND'],
      cost: ({ query }) => daysIn(query),
      handle: async ({ unitId, query, caller }) => ({
        data: await indicesOf(host.history, host.configs.of(unitId), query, caller.signal),
      }),
    });
  },
};
export default plugin;

async function indicesOf(history: History, config: DeviceConfig, query: IndicesQuery, signal: AbortSignal) {
  const { unitId } = config;
  const { span, zone, preset } = read(config, query);
  const minCoverage = query.min_coverage;
  const days = indices.localDays(zone, span, preset.periods);
  const asked = { unitId, days, span, preset, minCoverage, weighting: weightingOf(query) };
  const { answer, days: found } = await indices.indexDays(history, asked, signal);
  const total = new indices.TotalOfDays(preset);
  const shown: object[] = [];
  for await (const day of found) {
    total.add(day);
    shown.push({ date: day.date, ...shownIndex(day, preset.index) });
  }
  const { days: valid, leftOut, meanOfDays, ...sum } = total.result;
  return {
    unit_id: unitId,
    zone,
    preset: query.preset,
    min_coverage: minCoverage,
    weighting: answer.weighting,
    notes: notesOn(answer),
    days: shown,
    total: {
      ...{ days: valid, left_out: leftOut, weighted_by: 'measured_time' },
      ...{ ...shownIndex(sum, preset.index), mean_of_days: shownMean(meanOfDays, preset.index) },
    },
  };
}

function notesOn({ weighting, otherWeightings }: Answer): string[] {
  const others = otherWeightings.map(({ frequency, time }) => frequency + time).join(', ');
  return [
    ...(weighting && weighting.frequency !== 'A'
      ? [`The levels are ${weighting.frequency}-weighted; the indices are defined for A.`]
      : []),
    ...(others ? [`Levels of other weightings are left out: ${others}.`] : []),
  ];
}

function read(config: DeviceConfig, query: IndicesQuery) {
  const span = spanOf(query);
  if (span.to - span.from > MOST_DAYS * DAY_MS)
    throw invalid([{ path: '/to', message: `is more than ${MOST_DAYS} days after from` }]);
  const zone = query.zone ?? config.timezone;
  const foreign = OWN.find((name) => query.preset !== 'custom' && query[name] !== undefined);
  if (foreign)
    throw invalid([
      { path: `/${foreign}`, message: `is only for preset=custom; ${query.preset} has its own periods and penalties` },
    ]);
  const preset = query.preset === 'custom' ? indices.ownPreset(query) : indices.PRESETS[query.preset];
  if ('problem' in preset) throw invalid([{ path: `/${preset.at}`, message: preset.problem }]);
  return { span, zone, preset };
}
