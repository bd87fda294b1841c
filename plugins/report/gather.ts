/** Reads everything for a report from the history; the page only shows it. */
import {
  type Calibration,
  type CalibrationDrift,
  type DeviceConfig,
  EXCLUDING_COLUMNS,
  type ExcludedTime,
  type ExcludingRow,
  type History,
  type HistoryQuery,
  type HistoryRow,
  type Host,
  indices,
  longestPause,
  MAIN_CHANNEL,
  NOTHING_EXCLUDED,
  type Note,
  provisionalFrom,
  queryExcluding,
  refuseUnrecorded,
  rowsAsked,
  tables,
  type zones,
} from '../../lib/index.ts';
import type { ReportQuery } from './schemas.ts';

/** N of the LN in the report. */
export const PERCENTILES = [1, 5, 10, 50, 90, 95, 99] as const;

/** Which unit and span. */
export interface ReportRequest {
  readonly config: DeviceConfig;
  readonly span: zones.Span;
  readonly zone: string;
  readonly query: ReportQuery;
  /** Of the meter: all levels are of it. */
  readonly channel: string;
}

type Answer = Awaited<ReturnType<History['query']>>;
type Extent = Awaited<ReturnType<History['extent']>>;

/** Everything that the page shows. */
export interface Findings {
  /** The period as far as it is over; what is still to come counts in nothing. */
  readonly span: zones.Span;
  readonly weighting: Answer['weighting'];
  readonly otherWeightings: Answer['otherWeightings'];
  readonly whole: ExcludingRow | undefined;
  readonly days: readonly indices.DayIndex[];
  /** Of the last of these days, s after now. */
  readonly toCome: number;
  readonly total: indices.TotalIndex;
  readonly preset: indices.Preset;
  readonly step: tables.StepName;
  readonly rows: readonly ExcludingRow[];
  /** Where rows begin that may still change, s since 1970; null: all are final. */
  readonly provisional: number | null;
  /** SHA-256 of `rows` as GET history gives them in CSV, hexadecimal. */
  readonly hash: string;
  /** Rows of the step of the limit, where one was given. */
  readonly limited: readonly HistoryRow[];
  readonly gaps: readonly Gap[];
  /** What does not count, and the notes that say so, the first one first. */
  readonly excluded: ExcludedTime;
  readonly exclusions: readonly Note[];
  /** Checks with a calibrator in the period, with the last one before and the first one after it, in order of time. */
  readonly calibrations: readonly Calibration[];
  readonly doubtful: readonly CalibrationDrift[];
  /** Whole minutes are left out at the edges. */
  readonly cutMinutes: boolean;
  /** Leq of the whole with the excluded time, dB. */
  readonly leqAll: number | null;
}

/** Seconds since 1970. */
interface Gap {
  readonly from: number;
  readonly to: number;
}

/** `now`: ms since 1970 UTC. Stops with the signal. Asks no meter. Errors: INVALID at `/channel` for one that the unit does not record. */
export async function gather(
  { history, jobs, notes, calibrations }: Pick<Host, 'history' | 'jobs' | 'notes' | 'calibrations'>,
  asked: ReportRequest,
  now: number,
  signal: AbortSignal,
): Promise<Findings> {
  const { config, zone, query, channel } = asked;
  const { unitId } = config;
  const gapSeconds = longestPause(config);
  const extent = await history.extent(unitId, { gapSeconds, channel }, signal);
  // Levels that are dated ahead of the gateway are there, too.
  const until = Math.floor(Math.max(now, (extent.last ?? 0) * 1_000) / 60_000) * 60_000;
  const span = overBy(asked.span, until);
  const minutes = { from: Math.floor(span.from / 60_000) * 60, to: Math.ceil(span.to / 60_000) * 60 };
  const isExcluding = query.exclusions === 'apply';
  const excluded = isExcluding ? notes.excluded(unitId, span, channel) : NOTHING_EXCLUDED;
  const period = { unitId, channel, over: { ranges: [minutes] }, percentiles: PERCENTILES };
  const whole = await queryExcluding(history, period, excluded, signal);
  const [first] = await all(whole.rows);
  // What was recorded before is still there.
  if (whole.weighting === null) refuseUnrecorded(channel, config, '/channel');
  // All further rows are of the weighting of the first.
  const weighting = whole.weighting ? { weighting: whole.weighting } : {};
  const asks = (over: HistoryQuery['over'], percentiles: readonly number[] = []) =>
    queryExcluding(history, { unitId, channel, over, percentiles, ...weighting }, excluded, signal);

  const step = tables.autoStep(span);
  const usual = tables.columnsOf(tables.DEFAULT_QUANTITIES);
  if ('unknown' in usual) throw new Error(`there is no column ${usual.unknown}`);
  const drawn = await asks(rowsAsked(span, step, zone), usual.percentiles);
  const rows = await all(drawn.rows);
  const columns = drawn.mayHaveBounds ? tables.withBounds(usual) : usual;
  const limited =
    query.limit_db === undefined ? [] : await all((await asks(rowsAsked(span, query.limit_step, zone))).rows);

  const { end, ...indexed } = await daysOf(history, asked, span, { excluded: excluded.ranges, ...weighting }, signal);

  return {
    span,
    weighting: whole.weighting,
    otherWeightings: whole.otherWeightings,
    whole: first,
    ...indexed,
    toCome: Math.max(0, (end - until) / 1_000),
    step,
    rows,
    // Cards are of the main channel.
    provisional: channel === MAIN_CHANNEL ? firstProvisional(rows, await provisionalFrom(jobs, config)) : null,
    hash: tables.csvHash(rows, { columns, more: excluded.ranges.length > 0 ? EXCLUDING_COLUMNS : undefined }),
    limited,
    gaps: span.from < now ? gapsWithin(minutes, extent, gapSeconds) : [],
    excluded,
    exclusions: excluded.notes.flatMap((id) => notes.find(id) ?? []),
    calibrations: checksOf(calibrations.list(unitId).toReversed(), span),
    doubtful: calibrations.doubtful(unitId, span),
    cutMinutes: whole.cutMinutes,
    leqAll: first?.leqAll ?? null,
  };
}

/** The indices of the local days of a span. `end` of the last one: ms since 1970; 0 without a day. */
async function daysOf(
  history: History,
  { config: { unitId }, zone, query, channel }: ReportRequest,
  span: zones.Span,
  rows: Pick<HistoryQuery, 'excluded' | 'weighting'>,
  signal: AbortSignal,
) {
  const preset = indices.PRESETS[query.preset];
  const local = indices.localDays(zone, span, preset.periods);
  const asked = { unitId, channel, days: local, span, preset, minCoverage: indices.ENOUGH, ...rows };
  const found = await indices.indexDays(history, asked, signal);
  const total = new indices.TotalOfDays(preset);
  const days: indices.DayIndex[] = [];
  for await (const day of found.days) {
    total.add(day);
    days.push(day);
  }
  return { days, total: total.result, preset, end: local.at(-1)?.to ?? 0 };
}

/** `until`: ms since 1970. A period that has not begun stays as it is. */
function overBy({ from, to }: zones.Span, until: number): zones.Span {
  const end = Math.min(to, until);
  return { from, to: end > from ? end : to };
}

/** `log`: in order of time. */
function checksOf(log: readonly Calibration[], { from, to }: zones.Span): readonly Calibration[] {
  const begin = log.findLastIndex(({ time }) => time < from);
  const end = log.findIndex(({ time }) => time >= to);
  return log.slice(Math.max(0, begin), end < 0 ? undefined : end + 1);
}

/** In order, each cut to the period; what lies before the first level and after the last one is missing, too. */
function gapsWithin(period: Gap, { first, last, gaps }: Extent, gapSeconds: number): Gap[] {
  if (first === null || last === null) return [period];
  const [before, after] = [
    { from: period.from, to: first },
    { from: last, to: period.to },
  ];
  const isLong = ({ from, to }: Gap) => to - from > gapSeconds;
  return [...[after].filter(isLong), ...gaps, ...[before].filter(isLong)]
    .map(({ from, to }) => ({ from: Math.max(from, period.from), to: Math.min(to, period.to) }))
    .filter(({ from, to }) => from < to)
    .toReversed();
}

/** `from`: ms. */
function firstProvisional(rows: readonly HistoryRow[], from: number | null): number | null {
  if (from === null) return null;
  const first = rows.find(({ to, sources }) => to * 1_000 > from && sources.some((source) => source !== 'card'));
  return first ? first.from : null;
}

async function all(pages: AsyncIterable<readonly ExcludingRow[]>): Promise<ExcludingRow[]> {
  const found: ExcludingRow[] = [];
  for await (const page of pages) found.push(...page);
  return found;
}
