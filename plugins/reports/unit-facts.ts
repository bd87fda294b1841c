/** Facts that a report about one unit reads from the history itself: the whole period, rows of the chart, exceedances, gaps. */
import {
  longestPause,
  MAIN_CHANNEL,
  provisionalFrom,
  refuseUnrecorded,
  rowsAsked,
  tables,
  zones,
} from '../../lib/built-in.ts';
import {
  type DeviceConfig,
  type History,
  type HistoryQuery,
  type HistoryRow,
  type Host,
  iso,
} from '../../lib/index.ts';
import {
  type ExcludingRow,
  excludedColumn,
  excludingColumns,
  NOTHING_EXCLUDED,
  queryExcluding,
} from '../notes/index.ts';
import type { FactSource, Gap, ReportWish, UnitFacts } from './gathered.ts';

export const PERCENTILES = [1, 5, 10, 50, 90, 95, 99] as const;
type Extent = Awaited<ReturnType<History['extent']>>;

/**
 * The period as far as it is over; a period that has not begun stays as it is. `until`: where "over" ends, ms since 1970 UTC; levels that are dated
 * ahead of the gateway are over, too.
 */
export async function spanSoFar(
  { configs, history }: Pick<Host, 'configs' | 'history'>,
  unitId: string,
  { span: { from, to }, channel, now }: { readonly span: zones.Span; readonly channel: string; readonly now: number },
  signal: AbortSignal,
): Promise<{ readonly span: zones.Span; readonly until: number }> {
  const gapSeconds = longestPause(configs.of(unitId));
  const { last } = await history.extent(unitId, { gapSeconds, channel }, signal);
  const until = Math.floor(Math.max(now, (last ?? 0) * 1_000) / 60_000) * 60_000;
  const end = Math.min(to, until);
  return { span: { from, to: end > from ? end : to }, until };
}

/** Asks the meter for no level. Stops with the signal. Errors: INVALID at `/channel` for a channel that the unit does not record. */
export async function readUnitFacts(
  { clock, configs, history, identities, jobs, notes, reachability }: FactSource,
  unitId: string,
  wish: ReportWish,
  signal: AbortSignal,
): Promise<UnitFacts> {
  const config = configs.of(unitId);
  const { channel, zone, limit } = wish;
  const span = { from: zones.instantOf(wish.from), to: zones.instantOf(wish.to) };
  const minutes = { from: Math.floor(span.from / 60_000) * 60, to: Math.ceil(span.to / 60_000) * 60 };
  const noted = notes.excluded(unitId, span, channel);
  const excluded = wish.exclusions === 'apply' ? noted : NOTHING_EXCLUDED;
  const period = { unitId, channel, over: { ranges: [minutes] }, percentiles: PERCENTILES };
  const whole = await queryExcluding(history, period, excluded, signal);
  const [first] = await all(whole.rows);
  // Levels from before are still there.
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
  const isExcluding = excluded.ranges.length > 0;
  const columns = drawn.mayHaveBounds ? tables.withBounds(usual) : usual;
  const gapSeconds = longestPause(config);
  return {
    identity: await identities.of(config, signal),
    clock: reachability(unitId)?.clock ?? null,
    weighting: whole.weighting,
    otherWeightings: whole.otherWeightings,
    whole: first,
    step,
    rows,
    rowsAddress: rowsAddress(unitId, wish, { span, step, isExcluding }),
    rowsHash: tables.csvHash(rows, { columns, more: isExcluding ? excludingColumns(excluded) : excludedColumn(noted) }),
    provisional: await provisionalIn(rows, jobs, config, channel),
    limited: limit ? await all((await asks(rowsAsked(span, limit.step, zone))).rows) : [],
    gaps:
      span.from < (wish.until ?? clock.now())
        ? gapsWithin(minutes, await history.extent(unitId, { gapSeconds, channel }, signal), gapSeconds)
        : [],
  };
}

function rowsAddress(
  unitId: string,
  { basePath, channel, zone }: ReportWish,
  { span, step, isExcluding }: { span: zones.Span; step: tables.StepName; isExcluding: boolean },
): string {
  const ofChannel = channel === MAIN_CHANNEL ? '' : `&channel=${channel}`;
  const asked = `from=${iso(span.from)}&to=${iso(span.to)}&step=${step}&zone=${encodeURIComponent(zone)}${ofChannel}&format=csv`;
  return `${basePath}/${unitId}/history?${asked}${isExcluding ? '&exclusions=apply' : ''}`;
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

/** Cards are of the main channel. */
async function provisionalIn(
  rows: readonly HistoryRow[],
  jobs: Host['jobs'],
  config: DeviceConfig,
  channel: string,
): Promise<number | null> {
  const from = channel === MAIN_CHANNEL ? await provisionalFrom(jobs, config) : null;
  if (from === null) return null;
  const first = rows.find(({ to, sources }) => to * 1_000 > from && sources.some((source) => source !== 'card'));
  return first ? first.from : null;
}

async function all(pages: AsyncIterable<readonly ExcludingRow[]>): Promise<ExcludingRow[]> {
  const found: ExcludingRow[] = [];
  for await (const page of pages) found.push(...page);
  return found;
}
