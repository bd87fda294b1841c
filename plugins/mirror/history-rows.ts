/** Makes rows of the history from a file of levels. Rows without a certain time or weighting are reported and left out. */
import {
  type CardFormat,
  type CardHeader,
  type CardItem,
  type CardRow,
  CrossedColumns,
  countOf,
  type IntervalRow,
  impossibleLevel,
  indices,
  type LevelFault,
  quantities,
  type SecondRow,
  type Weighting,
} from '../../lib/built-in.ts';
import { GatewayError, type History } from '../../lib/index.ts';
import { findSteps, type MeterClock } from './meter-clock.ts';

export interface CardFile {
  readonly unitId: string;
  readonly open: () => AsyncIterable<Uint8Array>;
  readonly header: CardHeader | undefined;
  readonly format: CardFormat;
  /** Whether another file of its store has a Leq of each second or less. */
  readonly hasShorterLeq: boolean;
}

export interface Parsed {
  readonly rows: number;
  readonly weighting: Weighting | null;
  /** Seconds since 1970; null without rows. */
  readonly from: number | null;
  readonly to: number | null;
  /** `line 12: has ...`, the first problems. */
  readonly problems: readonly string[];
}

const MOST_PROBLEMS = 20;
const FLUSH_ROWS = 3_600;
const ONLY_LP =
  'has Lp and no Leq: percentiles, maximum and minimum are those of its samples, and no Leq is made of them';
/** With a larger uncertainty it is not clear to which minute a row belongs. */
const LEAST_SURE_MS = 30_000;
const SECOND = 1_000;
const STEP = 100;
/** Samples of a second. */
const SAMPLES = 10;
/** The fractional parts of its multiples are spread evenly between 0 and 1, for any number of them (golden ratio). */
const EVEN = (Math.sqrt(5) - 1) / 2;

/** Throws if the history refuses the rows; problems of the file are in the answer. */
export async function toHistory(
  history: History,
  file: CardFile,
  clock: MeterClock,
  signal: AbortSignal,
): Promise<Parsed> {
  const problems: string[] = [];
  const known = new Set<string>();
  const tell = (line: number, message: string) => {
    if (problems.length >= MOST_PROBLEMS || known.has(message)) return;
    known.add(message);
    problems.push(`line ${line}: ${message}`);
  };
  const { header } = file;
  const nothing = { rows: 0, weighting: null, from: null, to: null, problems };
  if (!header?.frequency || !header.time) {
    tell(1, 'no header says which weightings the levels have');
    return nothing;
  }
  const weighting: Weighting = { frequency: header.frequency, time: header.time };
  const interval = header.lpInterval;
  const items = () => file.format.readLevels(file.open());
  const steps = await findSteps(items(), interval ?? SECOND);
  const checked = (row: CardRow) => checkedOf(row, row.duration ?? interval ?? SECOND, header.percentiles);
  const [crossed] = await crossedIn(items(), checked, weighting.time);
  if (crossed) {
    tell(crossed.line, `${crossed.message}. No row of the file counts`);
    return { ...nothing, weighting };
  }
  const rows = new HistoryRows(history, { unitId: file.unitId, source: 'card', weighting }, header.percentiles);
  for await (const item of items()) {
    signal.throwIfAborted();
    if ('problem' in item) {
      tell(item.problem.line, item.problem.message);
      continue;
    }
    const { row } = item;
    const length = row.duration ?? interval;
    const impossible = impossibleLevel(checked(row));
    const moment = clock.toUtc(row.start, { line: row.line, steps });
    if (impossible) tell(row.line, impossible.message);
    else if (typeof moment === 'string') tell(row.line, moment);
    else if (moment.uncertainty > LEAST_SURE_MS) tell(row.line, 'The time is not known to half a minute.');
    else if (length === null) tell(row.line, 'no header says how long a row is');
    else if (row.frequency !== null && row.frequency !== weighting.frequency)
      tell(row.line, 'the header has another weighting than the column');
    // The means of its longer intervals have the same sound again.
    else if (row.duration !== null && file.hasShorterLeq) continue;
    else {
      if (row.leq === null && row.lp !== null) tell(row.line, ONLY_LP);
      await rows.add(row, moment.utc, length);
    }
  }
  await rows.end();
  return { rows: rows.count, weighting, from: rows.from, to: rows.to, problems };
}

async function crossedIn(
  items: AsyncIterable<CardItem>,
  checked: (row: CardRow) => Parameters<CrossedColumns['add']>[0],
  time: Weighting['time'],
): Promise<readonly LevelFault[]> {
  const columns = new CrossedColumns(time);
  for await (const item of items) {
    const fault = 'row' in item && columns.add(checked(item.row));
    if (fault) return [fault];
  }
  return columns.ofMostRows;
}

const checkedOf = (row: CardRow, ms: number, percentiles: CardHeader['percentiles']) => ({
  line: row.line,
  seconds: ms / SECOND,
  levels: quantities.levelsBy(['lp', ...quantities.KEPT], (name) => row[name]),
  ln: percentilesOf(row, percentiles),
});

/** Percentiles whose percentage is in the header, by this percentage. */
const percentilesOf = ({ ln }: CardRow, percentiles: CardHeader['percentiles']): Record<number, number> =>
  Object.fromEntries(
    ln.flatMap((level, slot) => {
      const percent = percentiles[slot];
      return level === null || percent === null || percent === undefined ? [] : [[percent, level] as const];
    }),
  );

interface Part {
  readonly row: CardRow;
  readonly ms: number;
}

/**
 * One sample for each 100 ms, at equal distances in the order of size; each Lp counts by the time of its interval. The
 * first place differs from second to second, so that a minute has all percentiles.
 */
function samplesOf(parts: readonly Part[], second: number): number[] {
  const known = parts.flatMap(({ row: { lp }, ms }) => (lp === null ? [] : [{ lp, ms }]));
  known.sort((a, b) => a.lp - b.lp);
  const total = known.reduce((sum, { ms }) => sum + ms, 0);
  const count = Math.min(SAMPLES, total > 0 ? Math.max(1, Math.round(total / STEP)) : 0);
  let [index, end] = [0, known[0]?.ms ?? 0];
  return Array.from({ length: count }, (_, place) => {
    const at = ((place + ((second * EVEN) % 1)) * total) / count;
    while (at >= end && index < known.length - 1) {
      index += 1;
      end += known[index]?.ms ?? 0;
    }
    return known[index]?.lp ?? Number.NaN;
  });
}

/** If only Lp are known, the highest and the lowest of them are the maximum and the minimum. */
const levelOf = ({ leq, lp, ...row }: CardRow, name: quantities.KeptQuantity): number | null =>
  name === 'leq' ? leq : (row[name] ?? (leq === null && (name === 'lmax' || name === 'lmin') ? lp : null));

class HistoryRows {
  readonly #history: History;
  readonly #series: Parameters<History['append']>[0];
  readonly #percentiles: readonly (number | null)[];
  #seconds: SecondRow[] = [];
  #intervals: IntervalRow[] = [];
  #parts: Part[] = [];
  #second = Number.NaN;
  count = 0;
  from: number | null = null;
  to: number | null = null;

  constructor(history: History, series: Parameters<History['append']>[0], percentiles: readonly (number | null)[]) {
    this.#history = history;
    this.#series = series;
    this.#percentiles = percentiles;
  }

  async add(row: CardRow, utc: number, ms: number): Promise<void> {
    if (row.leq === null && row.lp === null) return;
    if (ms > SECOND && row.leq !== null)
      this.#interval(row, row.leq, Math.round(utc / SECOND), Math.round(ms / SECOND));
    else {
      const second = ms >= SECOND ? Math.round(utc / SECOND) : Math.floor(utc / SECOND);
      if (second !== this.#second) this.#closeSecond();
      this.#second = second;
      this.#parts.push({ row, ms });
    }
    if (this.#seconds.length + this.#intervals.length >= FLUSH_ROWS) await this.#flush();
  }

  async end(): Promise<void> {
    this.#closeSecond();
    await this.#flush();
  }

  #closeSecond(): void {
    const parts = this.#parts;
    this.#parts = [];
    if (parts.length === 0) return;
    const measured = parts.filter(({ row }) => row.leq !== null);
    const ms = measured.reduce((sum, part) => sum + part.ms, 0);
    const levelOver = (name: quantities.KeptQuantity) =>
      indices.wholeLevel(
        name,
        (quantities.QUANTITIES[name].sum === 'energy' ? measured : parts).map((part) => ({
          level: levelOf(part.row, name),
          seconds: part.ms,
        })),
      );
    const flags = { over: parts.some(({ row }) => row.over), under: parts.some(({ row }) => row.under) };
    this.#seconds.push({
      at: this.#second,
      steps: ms === 0 ? 0 : Math.min(SAMPLES, Math.max(1, Math.round(ms / STEP))),
      ...quantities.levelsBy(quantities.KEPT, levelOver),
      lp: samplesOf(parts, this.#second),
      flags,
    });
    this.#reach(this.#second, this.#second + 1);
  }

  #interval(row: CardRow, leq: number, at: number, duration: number): void {
    const { line } = row;
    if (duration < 1 || duration > 86_400) return;
    const ln = percentilesOf(row, this.#percentiles);
    const percentiles = Object.keys(ln).length > 0 ? { ln } : {};
    const levels = quantities.levelsBy(quantities.KEPT, (name) => row[name]);
    this.#intervals.push({ at, duration, ...levels, leq, line, ...percentiles });
    this.#reach(at, at + duration);
  }

  #reach(from: number, to: number): void {
    this.count += 1;
    this.from = Math.min(this.from ?? from, from);
    this.to = Math.max(this.to ?? to, to);
  }

  async #flush(): Promise<void> {
    if (this.#seconds.length + this.#intervals.length === 0) return;
    const { lost } = this.#history.append({ ...this.#series, seconds: this.#seconds, intervals: this.#intervals });
    this.#seconds = [];
    this.#intervals = [];
    await this.#history.flush();
    // The next run reads the file again; rows that exist already do no harm.
    if (lost > 0)
      throw new GatewayError(
        'STORAGE_FULL',
        `${countOf(lost, 'row of the card was', 'rows of the card were')} not recorded: too many rows wait for the disk.`,
      );
  }
}
