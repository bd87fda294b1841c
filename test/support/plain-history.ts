/**
 * The history in memory: keeps every row as it came and works each answer out of them. Simple, slow and obviously right; what
 * a real store is compared with, and enough for tests of what uses a history.
 */
import { createHash } from 'node:crypto';
import { FLAGS } from '../../lib/domain/flags.ts';
import { MAIN_CHANNEL } from '../../lib/domain/ids.ts';
import { energyMean } from '../../lib/domain/indices/energy.ts';
import { LevelCounts } from '../../lib/domain/indices/level-counts.ts';
import { EXTREMES, KEPT, levelsBy, QUANTITIES } from '../../lib/domain/quantities.ts';
import {
  checkBatch,
  checkMinutes,
  checkQuery,
  checkSpan,
  firstWrong,
  invalidRow,
  liesWithin,
} from '../../lib/history/check.ts';
import type {
  Answer,
  Appended,
  AskedRange,
  Batch,
  Doubt,
  Extent,
  ExtentOptions,
  History,
  HistoryRow,
  HistoryStatus,
  Import,
  Imported,
  IntervalRow,
  Query,
  Range,
  Restated,
  Retention,
  SecondRow,
  SeriesKey,
  Source,
  StatedWeighting,
  Weighting,
} from '../../lib/history/contract.ts';
import {
  bestOf,
  candidateOf,
  cellsOf,
  countedOf,
  cutAll,
  edge,
  endOf,
  flagRows,
  hoursIn,
  hoursOfSeries,
  liesIn,
  losesTime,
  nameOf,
  nameOfSeries,
  ofChannel,
  overlap,
  overlaps,
  partsOf,
  piecesOf,
  removeRows,
  restateRows,
  type Series,
  sum,
  toMinutes,
} from './plain-rows.ts';

const SOURCES: readonly Source[] = ['card', 'stream', 'import', 'poll'];
const DAY_S = 86_400;

const roundedTo = (parts: number) => (level: number | null) =>
  level === null ? null : Math.round(level * parts) / parts;
const rounded = roundedTo(100);
const millionths = roundedTo(1e6);
export class PlainHistory implements History {
  readonly #now: () => number;
  readonly #series: Series[] = [];
  #retention: Retention = { secondsDays: 0, minutesDays: 0 };
  #duplicates = 0;
  #closed = false;

  /** `now`: ms since 1970, for what is too old. */
  constructor(now: () => number) {
    this.#now = now;
  }

  append(batch: Batch): Appended {
    checkBatch(batch);
    const { seconds = [], intervals = [] } = batch;
    if (this.#closed) return { taken: 0, lost: seconds.length + intervals.length };
    const series = this.#find(batch) ?? this.#make(batch);
    for (const row of seconds) {
      if (series.seconds.has(row.at)) this.#duplicates += 1;
      else series.seconds.set(row.at, row);
    }
    for (const row of intervals) {
      if (series.intervals.some((other) => overlaps(other, row.at, endOf(row)))) this.#duplicates += 1;
      else series.intervals.push(row);
    }
    return { taken: seconds.length + intervals.length, lost: 0 };
  }

  async flush(): Promise<void> {}

  async query(query: Query, signal?: AbortSignal): Promise<Answer> {
    signal?.throwIfAborted();
    checkQuery(query);
    const { over } = query;
    const span = 'step' in over ? over : { from: over.ranges[0]?.from ?? 0, to: over.ranges.at(-1)?.to ?? 0 };
    const there = ofChannel(this.#of(query.unitId), query, (series) => hoursIn(series, span).size)
      .filter(({ source }) => query.source === undefined || source === query.source)
      .map((series) => ({ series, hours: hoursIn(series, span) }))
      .filter(({ hours }) => hours.size > 0);
    const weightings = new Map(there.map(({ series: { weighting } }) => [nameOf(weighting), weighting]));
    const hoursOf = (weighting: Weighting) =>
      sum(there.flatMap(({ series, hours }) => (nameOf(series.weighting) === nameOf(weighting) ? hours.size : [])));
    const ranked = [...weightings.values()].sort((a, b) => hoursOf(b) - hoursOf(a));
    const wanted =
      query.weighting ?? ranked.find(({ frequency }) => query.frequency === undefined || frequency === query.frequency);
    const isWanted = (weighting: Weighting) => wanted !== undefined && nameOf(weighting) === nameOf(wanted);
    const series = there.flatMap(({ series }) => (isWanted(series.weighting) ? series : []));
    const step = 'step' in over ? (this.#isTooOld(series, span, over.step) ? 60 : over.step) : null;
    const ranges = 'step' in over ? cutAll(over, step ?? over.step) : over.ranges;
    const isCut = (at: number) =>
      at % 60 > 0 && at > span.from && at < span.to && this.#isTooOld(series, { from: at - 1, to: at + 1 }, 1);
    const { excluded = [] } = query;
    const cutMinutes = excluded.some(({ from, to }) => isCut(from) || isCut(to));
    const own = { ...query, excluded: toMinutes(excluded, isCut) };
    const all = { ...query, excluded: [], percentiles: [], counts: false };
    const rows = ranges.map((range) => {
      const made = (one: Query) =>
        rowOf(range, series, one, step !== null && step < 60, (cell) => this.#isTooOld(series, cell, 1));
      const isBoth = query.withExcluded && losesTime(range, excluded);
      return { ...made(own), ...(isBoth && { withExcluded: made(all) }) };
    });
    async function* pages() {
      for (let first = 0; first < rows.length; first += 500) {
        signal?.throwIfAborted();
        yield rows.slice(first, first + 500);
      }
    }
    const digest = query.digest
      ? createHash('sha256')
          .update(JSON.stringify(series.map((one) => [...hoursOfSeries(one, span)])))
          .digest('hex')
      : null;
    const edges = step === null ? [] : ranges.flatMap(({ from, to }) => [from, to]);
    const mayHaveBounds = series.some(({ intervals }) =>
      intervals.some(
        (row) =>
          overlaps(row, span.from, span.to) &&
          EXTREMES.some((name) => (row[name] ?? null) !== null) &&
          (step === null ||
            restartsIn(over) ||
            (query.excluded?.length ?? 0) > 0 ||
            edges.some((edge) => row.at < edge && endOf(row) > edge)),
      ),
    );
    return {
      channel: series[0]?.channel ?? (query.channel === undefined ? MAIN_CHANNEL : query.channel),
      weighting: ranked.find(isWanted) ?? null,
      otherWeightings: ranked.filter((weighting) => !isWanted(weighting)),
      step,
      mayHaveBounds,
      digest,
      cutMinutes,
      rows: pages(),
    };
  }

  async extent(unitId: string, { gapSeconds = 60, channel }: ExtentOptions = {}): Promise<Extent> {
    if (gapSeconds < 60) throw invalidRow('A gap is longer than 60 seconds.');
    const isAsked = (series: Series) => channel === undefined || series.channel === channel;
    const found = this.#of(unitId).filter((series) => isAsked(series) && piecesOf(series).length > 0);
    const pieces = found.flatMap(piecesOf).sort((a, b) => a.from - b.from);
    const gaps: Range[] = [];
    let until = pieces[0]?.from ?? 0;
    for (const { from, to } of pieces) {
      if (from - until > gapSeconds) gaps.push({ from: until, to: from });
      until = Math.max(until, to);
    }
    const keys = [...new Map(found.map((one) => [nameOfSeries(one), one])).values()];
    const series = keys.map(({ channel, source, weighting }) => {
      const same = found.filter((one) => nameOfSeries(one) === nameOfSeries({ channel, source, weighting }));
      const own = same.flatMap(piecesOf);
      const seconds = same.flatMap((one) => [...one.seconds.values()]);
      const measured =
        sum(seconds.map(({ steps }) => steps / 10)) +
        sum(same.flatMap((one) => one.intervals.map((row) => row.duration)));
      const edges = { first: Math.min(...own.map(({ from }) => from)), last: Math.max(...own.map(({ to }) => to)) };
      return {
        channel,
        source,
        weighting,
        ...edges,
        measured,
        readings: seconds.filter(({ steps }) => steps === 0).length,
        bytes: own.length,
      };
    });
    const secondTimes = found.flatMap((one) => [...one.seconds.keys()]);
    return {
      first: pieces[0]?.from ?? null,
      last: pieces.length > 0 ? until : null,
      series,
      gaps: gaps.toReversed().slice(0, 1_000),
      gapCount: gaps.length,
      bytes: sum(series.map(({ bytes }) => bytes)),
      secondsFrom: secondTimes.length > 0 ? Math.floor(Math.min(...secondTimes) / 3_600) * 3_600 : null,
    };
  }

  async doubt(doubt: Doubt): Promise<number> {
    checkSpan(doubt);
    return flagRows(this.#find(doubt), doubt);
  }

  async restate({ unitId, channel = MAIN_CHANNEL, weighting, ...span }: StatedWeighting): Promise<Restated> {
    checkSpan(span);
    const sources = (['stream', 'poll'] as const).map((source) => {
      const all = this.#of(unitId).filter((series) => series.source === source && series.channel === channel);
      const key = { unitId, channel, source, weighting };
      return restateRows(this.#find(key) ?? this.#make(key), all, span);
    });
    const total = (name: 'moved' | 'confirmed') => sum(sources.map((one) => one[name]));
    return { moved: total('moved'), confirmed: total('confirmed'), left: 0 };
  }

  async remove(unitId: string, from: number, to: number): Promise<number> {
    checkMinutes({ from, to });
    return sum(this.#of(unitId).map((series) => removeRows(series, { from, to })));
  }

  async import(target: Import, rows: AsyncIterable<readonly IntervalRow[]>, signal?: AbortSignal): Promise<Imported> {
    const all: IntervalRow[] = [];
    for await (const page of rows) {
      const wrong = firstWrong(page);
      if (wrong) throw invalidRow('A row of the import is not possible.', [wrong]);
      all.push(...page);
      signal?.throwIfAborted();
    }
    const key: SeriesKey = { ...target, source: 'import' };
    const earlier = this.#of(target.unitId).flatMap((series) =>
      nameOfSeries(series) === nameOfSeries(key) ? series.intervals : [],
    );
    const inOrder = all.toSorted((a, b) => a.at - b.at);
    const errors = inOrder.flatMap((row, index) => {
      const others = [...earlier, ...inOrder.slice(0, index)];
      return others.some((other) => overlaps(other, row.at, endOf(row)))
        ? [{ path: `/line/${row.line}`, message: 'overlaps' }]
        : [];
    });
    if (errors.length > 0) throw invalidRow('Rows of the import overlap.', errors);
    this.#make(key).intervals.push(...all);
    return { rows: all.length, from: inOrder[0]?.at ?? 0, to: Math.max(0, ...all.map(endOf)) };
  }

  retain(retention: Retention): void {
    this.#retention = retention;
  }

  async units(): Promise<readonly string[]> {
    return [...new Set(this.#series.filter((one) => piecesOf(one).length > 0).map(({ unitId }) => unitId))].sort();
  }

  async bytes(): Promise<{ total: number; free: number }> {
    return { total: sum(this.#series.map((series) => piecesOf(series).length)), free: 0 };
  }

  get status(): HistoryStatus {
    const quiet = { since: 0, reason: null, away: null, waiting: 0, lost: 0, drops: false, damage: null };
    return { ...quiet, state: this.#closed ? 'closed' : 'recording', duplicates: this.#duplicates };
  }

  onState(): () => void {
    return () => {};
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #find(key: SeriesKey): Series | undefined {
    return this.#of(key.unitId).find((one) => nameOfSeries(one) === nameOfSeries(key));
  }

  #make({ unitId, channel = MAIN_CHANNEL, source, weighting }: SeriesKey): Series {
    const made = { unitId, channel, source, weighting, seconds: new Map<number, SecondRow>(), intervals: [] };
    this.#series.push(made);
    return made;
  }

  #of(unitId: string): Series[] {
    return this.#series
      .filter((series) => series.unitId === unitId)
      .sort((a, b) => SOURCES.indexOf(a.source) - SOURCES.indexOf(b.source));
  }

  #isTooOld(series: readonly Series[], span: Range, step: number): boolean {
    const { secondsDays } = this.#retention;
    const kept = secondsDays === 0 ? 0 : this.#now() / 1_000 - secondsDays * DAY_S;
    return (
      step < 60 &&
      series.some(({ seconds }) => [...seconds.keys()].some((at) => at >= span.from && at < span.to && at < kept))
    );
  }
}

const restartsIn = (over: Query['over']) => 'step' in over && over.restarts !== undefined;

function rowOf(
  range: AskedRange,
  series: readonly Series[],
  query: Query,
  inSeconds: boolean,
  isTooOld: (cell: Range) => boolean,
): HistoryRow {
  const { excluded = [] } = query;
  const isCut = (row: IntervalRow) => excluded.some(({ from, to }) => row.at < to - 2 && endOf(row) > from + 2);
  const candidatesOf = (cell: Range) =>
    series.flatMap((one) => [
      candidateOf(one, cell, 'seconds'),
      candidateOf({ ...one, intervals: one.intervals.filter((row) => !isCut(row)) }, cell, 'intervals', range.within),
    ]);
  // By the second where several sources have measured, unless the first of them has all of the minute.
  const isMixed = (cell: Range) => {
    const [first, ...others] = candidatesOf(cell).filter(({ steps }) => steps > 0);
    if (cell.to - cell.from !== 60 || isTooOld(cell) || !first || others.length === 0) return false;
    return first.steps < 600 || first.intervals.some((row) => !liesIn(row, range));
  };
  const cells = partsOf(range, excluded).flatMap((part) =>
    cellsOf(part, inSeconds).flatMap((cell): (Range & { isOfMinute?: boolean })[] =>
      isMixed(cell) ? cellsOf(cell, true).map((second) => ({ ...second, isOfMinute: true })) : [cell],
    ),
  );
  const chosen = cells.flatMap((cell) => {
    const candidates = candidatesOf(cell);
    const best = bestOf(candidates, range);
    // Readings count in minutes in which nothing was measured.
    if (cell.isOfMinute && best?.steps === 0) return [];
    return best ? [{ cell, best, counted: countedOf(candidates, best) }] : [];
  });
  const { within } = range;
  const beside = cells.flatMap((cell) => {
    const steps = chosen.find((one) => one.cell.from === cell.from)?.best.steps ?? 0;
    const isLeft = (row: IntervalRow) => isCut(row) || (within && !liesWithin(row, within));
    return series.flatMap(({ intervals }) => {
      const left = intervals.filter((row) => overlaps(row, cell.from, cell.to) && isLeft(row));
      return steps < sum(left.map((row) => overlap(row, cell) * 10)) * 0.75 ? left : [];
    });
  });
  const measured = chosen.flatMap(({ best }) => best.seconds.filter(({ steps }) => steps > 0));
  const readings = chosen.flatMap(({ best }) => (best.steps === 0 ? best.seconds : []));
  const parts = chosen.flatMap(({ cell, best }) =>
    best.intervals.map((row) => ({ row, seconds: overlap(row, cell), cell })),
  );
  const extremes = [
    ...chosen.flatMap(({ best }) => best.seconds),
    ...parts.flatMap(({ row }) => (liesIn(row, range) ? row : [])),
  ];
  const beyond = [...parts.flatMap(({ row }) => (liesIn(row, range) ? [] : row)), ...beside];
  const steps = sum(chosen.map(({ best }) => best.steps));
  const counts = new LevelCounts();
  for (const { counted } of chosen) for (const level of counted.seconds.flatMap(({ lp = [] }) => lp)) counts.add(level);
  const countedSteps = sum(chosen.map(({ counted }) => counted.steps));
  const [only] = parts;
  const isOne = only !== undefined && measured.length === 0 && parts.every(({ row }) => row === only.row);
  const given = isOne && only.row.at === range.from && endOf(only.row) === range.to ? (only.row.ln ?? {}) : null;
  const times = [
    ...measured.map((row) => ({ row, seconds: row.steps })),
    ...parts.map(({ row, seconds }) => ({ row, seconds: seconds * 10 })),
  ];
  const bounds = levelsBy(EXTREMES, (name) => {
    const pick = QUANTITIES[name].sum === 'maximum' ? Math.max : Math.min;
    const certain = edge(
      pick,
      extremes.map((row) => row[name]),
    );
    const bound = edge(
      pick,
      beyond.map((row) => row[name]),
    );
    if (bound === null || certain === bound || pick(certain ?? bound, bound) === certain) return null;
    const row = beyond.find((one) => one[name] === bound);
    return row ? { level: bound, from: row.at, to: endOf(row) } : null;
  });
  const levels = levelsBy(KEPT, (name) => {
    const { sum: rule } = QUANTITIES[name];
    if (rule === 'maximum' || rule === 'minimum')
      return bounds[name as keyof typeof bounds]
        ? null
        : edge(
            rule === 'maximum' ? Math.max : Math.min,
            extremes.map((row) => row[name]),
          );
    const known = times.flatMap(({ row, seconds }) => {
      const level = row[name] ?? null;
      return level === null ? [] : [{ level, seconds }];
    });
    // A mean is one of all the measured time.
    return sum(known.map(({ seconds }) => seconds)) * 100 < steps * 99 ? null : millionths(energyMean(known));
  });
  const flagged = chosen.flatMap(({ best }) => best.seconds.map(({ flags = {} }) => flags));
  return {
    from: range.from,
    to: range.to,
    ...levels,
    bounds,
    lmaxAt: extremes.find((row) => levels.lmax !== null && row.lmax === levels.lmax)?.at ?? null,
    lp: millionths(energyMean(readings.flatMap(({ lp = [] }) => lp.map((level) => ({ level, seconds: 1 }))))),
    ln: (query.percentiles ?? []).map((percent) => {
      if (given?.[percent] !== undefined) return given[percent];
      const isCounted = counts.total * 100 >= countedSteps * 99 && counts.total * 4 >= steps * 3;
      return isCounted ? rounded(counts.exceeded(percent)) : null;
    }),
    ...(query.counts ? { counts: [...counts] } : {}),
    measured: steps / 10,
    readings: readings.length,
    flagged: Object.fromEntries(
      FLAGS.map((flag) => [flag, flagged.filter((flags) => flags[flag]).length]),
    ) as HistoryRow['flagged'],
    sources: SOURCES.filter((source) => chosen.some(({ best }) => best.series.source === source)),
    resolution: Math.max(
      0,
      ...chosen.map(({ best }) => (best.seconds.length > 0 ? 1 : 0)),
      ...parts.map(({ row }) => row.duration),
    ),
  };
}
