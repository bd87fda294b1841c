/** Lday, Levening, Lnight and the index made from them, for each local day of a span: Lden, Ldn or CNEL. */
import { indices, invalid, seriesAsked, zones } from '../../lib/built-in.ts';
import { type DeviceConfig, daysIn, type History, type Host, type Plugin, rest, spanOf } from '../../lib/index.ts';
import calibration, { doubtfulWords, shownDoubtful, type WithCalibrations } from '../calibration/index.ts';
import notes, { CUT_MINUTES, edgeOf, excludedSeconds, NOTHING_EXCLUDED, type WithNotes } from '../notes/index.ts';
import { INDICES, INDICES_QUERY, type IndicesQuery } from './schemas.ts';
import { groupsOf, shownExclusion, shownIndex, shownMean } from './shown.ts';

/** About eleven years. */
const MOST_DAYS = 4_000;
const DAY_MS = 86_400_000;
const OWN = ['day', 'evening', 'night', 'evening_penalty', 'night_penalty'] as const;

type Answer = Awaited<ReturnType<History['query']>>;

const plugin: Plugin = {
  name: 'indices',
  uses: ['assessment', 'calibration', 'notes'],
  about: 'Lden, Ldn or CNEL, day by day',
  register(given) {
    const host = { ...given, notes: given.use(notes), calibrations: given.use(calibration) };
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
        data: await indicesOf(host, host.configs.of(unitId), query, caller.signal),
      }),
    });
  },
};
export default plugin;

async function indicesOf(
  { history, notes, calibrations, families }: Pick<Host, 'history' | 'families'> & WithNotes & WithCalibrations,
  config: DeviceConfig,
  query: IndicesQuery,
  signal: AbortSignal,
) {
  const { unitId } = config;
  const { span, zone, preset } = read(config, query);
  const minCoverage = query.min_coverage;
  const days = indices.localDays(zone, span, preset.periods);
  const of = seriesAsked(query, families.find(config.family));
  const excluded = query.exclusions === 'apply' ? notes.excluded(unitId, span, of.channel) : NOTHING_EXCLUDED;
  const doubtful = calibrations.doubtful(unitId, span);
  const asked = { unitId, days, span, preset, minCoverage, ...of };
  const isCut = excluded.ranges.length > 0;
  const { answer, days: found } = await indices.indexDays(
    history,
    { ...asked, excluded: excluded.ranges, withExcluded: isCut },
    signal,
  );
  const [total, totalOfAll] = [new indices.TotalOfDays(preset), new indices.TotalOfDays(preset)];
  const [shown, known]: [object[], { from: number; index: indices.DayIndex }[]] = [[], []];
  for await (const day of found) {
    await rest();
    total.add(day);
    if (isCut) totalOfAll.add(day.withExcluded ?? day);
    const { from, to } = days[shown.length] ?? span;
    if (query.by !== 'none') known.push({ from, index: day });
    const seconds = excludedSeconds(excluded, { from: from / 1_000, to: to / 1_000 });
    shown.push({
      date: day.date,
      ...shownIndex(day, preset.index),
      ...shownExclusion(seconds, day.withExcluded),
    });
  }
  const { days: valid, leftOut, meanOfDays, ...sum } = total.result;
  const seconds = excludedSeconds(excluded, { from: span.from / 1_000, to: span.to / 1_000 });
  return {
    unit_id: unitId,
    zone,
    preset: query.preset,
    min_coverage: minCoverage,
    channel: answer.channel,
    weighting: answer.weighting,
    notes: [...notesOn(answer), ...doubtful.map((one) => doubtfulWords(one, (at) => zones.localIso(zone, at)))],
    doubtful: doubtful.map(shownDoubtful),
    exclusions: excluded.notes.map(String),
    edge: edgeOf(excluded, answer),
    days: shown,
    groups: groupsOf(zone, query.by, preset, known),
    total: {
      days: valid,
      left_out: leftOut,
      weighted_by: 'measured_time',
      ...shownIndex(sum, preset.index),
      mean_of_days: shownMean(meanOfDays, preset.index),
      ...shownExclusion(seconds, isCut ? totalOfAll.result : undefined),
    },
  };
}

function notesOn({ weighting, otherWeightings, cutMinutes }: Answer): string[] {
  const others = otherWeightings.map(({ frequency, time }) => frequency + time).join(', ');
  return [
    ...(weighting && weighting.frequency !== 'A'
      ? [`The levels are ${weighting.frequency}-weighted; the indices are defined for A.`]
      : []),
    ...(others ? [`Levels of other weightings are left out: ${others}.`] : []),
    ...(cutMinutes ? [CUT_MINUTES] : []),
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
