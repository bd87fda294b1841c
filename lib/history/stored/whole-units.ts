/**
 * The whole history of a unit as a file of JSON lines (docs/operating.md has the format), and back. The file is the
 * same for every store. The gateway must be stopped. A file is read twice: first its hash is checked, then it is
 * written in one transaction.
 */
import { createHash } from 'node:crypto';
import { CHANNEL_PATTERN, MAIN_CHANNEL } from '../../domain/ids.ts';
import type { Source, Weighting } from '../contract.ts';
import { MinuteTable } from '../rows/minutes.ts';
import { OpenHour } from '../rows/open-hour.ts';
import { SecondTable } from '../rows/seconds.ts';
import { boundsOf } from './extent.ts';
import { packedHour, type SeriesRecord, type UnitStore } from './source.ts';
import {
  intervalFrom,
  intervalText,
  minutesFrom,
  minuteTexts,
  secondsFrom,
  secondTexts,
  TEXT_COLUMNS,
  type TextColumns,
  type TextRow,
  textColumnsOf,
} from './text-rows.ts';
import { finished, type Work } from './work.ts';

const FORMAT = 'slm-history';
/** 1: columns have no names. 3: other channels, which earlier releases would mix with the main channel. */
const VERSIONS: readonly number[] = [1, 2, 3];
const VERSION = 2;
const WITH_CHANNELS = 3;
const CHANNEL = new RegExp(CHANNEL_PATTERN);
const INTERVALS_A_LINE = 500;
const HOURS_AT_ONCE = 720;

interface HeadLine {
  readonly format: typeof FORMAT;
  readonly version: number;
  readonly unit_id: string;
  readonly columns?: Partial<TextColumns>;
}
interface SeriesLine {
  readonly series: number;
  /** Absent: the main channel, as in files of earlier releases. */
  readonly channel?: string;
  readonly source: Source;
  readonly frequency: Weighting['frequency'];
  readonly time: Weighting['time'];
}
interface HourLine {
  readonly series: number;
  readonly hour: number;
  readonly seconds: readonly TextRow[] | null;
  readonly minutes: readonly TextRow[];
}
interface IntervalsLine {
  readonly series: number;
  readonly intervals: readonly TextRow[];
}
interface EndLine {
  readonly lines: number;
  readonly sha256: string;
}
type Line = HeadLine | SeriesLine | HourLine | IntervalsLine | EndLine;

type Lines = Generator<Line | null | Promise<unknown>>;

export class WholeUnits {
  readonly #store: UnitStore;

  constructor(store: UnitStore) {
    this.#store = store;
  }

  units(): Promise<readonly string[]> {
    return finished(this.#store.units());
  }

  /** The lines of a unit, each with its line feed. Throws if the unit has no history. */
  async *lines(unitId: string): AsyncGenerator<string> {
    const hash = createHash('sha256');
    let count = 0;
    for await (const line of settled(this.#content(unitId))) {
      const text = `${JSON.stringify(line)}\n`;
      hash.update(text);
      count += 1;
      yield text;
    }
    yield `${JSON.stringify({ lines: count, sha256: hash.digest('hex') } satisfies EndLine)}\n`;
  }

  /**
   * `read` is called twice. All or nothing. Throws if the file is wrong, or if the unit has a part of it. `unitId`: in
   * place of the name in the file.
   */
  async take(
    read: () => AsyncIterable<string>,
    unitId?: string,
  ): Promise<{ unitId: string; hours: number; intervals: number }> {
    await checked(read());
    const store = this.#store;
    await finished(store.begin());
    try {
      const done = await this.#write(read(), unitId);
      await finished(store.commit());
      return done;
    } catch (error) {
      await finished(store.undo());
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #write(lines: AsyncIterable<string>, unitId = '') {
    const series = new Map<number, SeriesRecord>();
    const done = { unitId, hours: 0, intervals: 0 };
    let columns = textColumnsOf({});
    for await (const text of lines) {
      const line = JSON.parse(text) as Line;
      if ('format' in line) {
        done.unitId ||= line.unit_id;
        columns = textColumnsOf(line.columns ?? {});
      } else if ('source' in line) series.set(line.series, await finished(this.#seriesFor(done.unitId, line)));
      else if ('hour' in line)
        done.hours += await finished(this.#takeHour(seriesOf(series, line.series), line, columns));
      else if ('intervals' in line)
        done.intervals += await finished(this.#takeIntervals(seriesOf(series, line.series), line, columns.intervals));
    }
    return done;
  }

  /** Series are counted from 1 in each file: their numbers in a store are different. */
  *#content(unitId: string): Lines {
    const { source } = this.#store;
    const all = yield* source.seriesOf(unitId);
    if (all.length === 0) throw new Error(`there is no history of ${unitId}`);
    const version = all.every(({ channel }) => channel === MAIN_CHANNEL) ? VERSION : WITH_CHANNELS;
    yield { format: FORMAT, version, unit_id: unitId, columns: TEXT_COLUMNS };
    for (const [index, { source: name, channel, weighting }] of all.entries())
      yield { series: index + 1, ...(channel !== MAIN_CHANNEL && { channel }), source: name, ...weighting };
    for (const [index, record] of all.entries()) {
      yield* this.#hours(record, index + 1);
      yield* this.#intervals(record, index + 1);
    }
  }

  *#hours(record: SeriesRecord, series: number): Lines {
    const { source } = this.#store;
    const { first, end } = yield* boundsOf([record], source);
    for (let block = first; block < end; block += HOURS_AT_ONCE) {
      for (const { hour } of yield* source.hours(record.id, block, Math.min(end, block + HOURS_AT_ONCE))) {
        const packed = yield* source.seconds(record.id, hour);
        const minutes = yield* source.minutes(record.id, hour);
        const seconds = packed ? [...secondTexts(SecondTable.from(packed))] : null;
        yield { series, hour, seconds, minutes: minutes ? minuteTexts(MinuteTable.from(minutes)) : [] };
      }
    }
  }

  *#intervals({ id, intervalsFrom, intervalsTo }: SeriesRecord, series: number): Lines {
    if (intervalsFrom === null || intervalsTo === null) return;
    const rows = yield* this.#store.source.intervals(id, intervalsFrom, intervalsTo);
    const all = rows.map(intervalText);
    for (let from = 0; from < all.length; from += INTERVALS_A_LINE)
      yield { series, intervals: all.slice(from, from + INTERVALS_A_LINE) };
  }

  *#seriesFor(unitId: string, line: SeriesLine): Work<SeriesRecord> {
    const { channel = MAIN_CHANNEL, source, frequency, time } = line;
    if (!CHANNEL.test(channel)) throw new Error(`series ${line.series} has no channel`);
    return yield* this.#store.seriesFor({ unitId, channel, source, weighting: { frequency, time } });
  }

  *#takeHour(series: SeriesRecord, { hour, ...texts }: HourLine, columns: TextColumns): Work<number> {
    if (yield* this.#store.source.minutes(series.id, hour))
      throw new Error(`${series.unitId} already has ${new Date(hour * 3_600_000).toISOString()}: nothing was written`);
    const rows = new OpenHour({
      seconds: texts.seconds ? secondsFrom(texts.seconds, columns.seconds).bytes() : undefined,
      minutes: minutesFrom(texts.minutes, columns.minutes).bytes(),
    });
    yield* this.#store.addHours(series, [packedHour(hour, rows)]);
    return 1;
  }

  *#takeIntervals(record: SeriesRecord, { intervals }: IntervalsLine, columns: readonly string[]): Work<number> {
    const rows = intervals.map((text) => intervalFrom(text, columns));
    const [wrong] = yield* this.#store.addIntervals(record, rows);
    if (wrong)
      throw new Error(`${record.unitId} already has ${new Date(wrong.at * 1_000).toISOString()}: nothing was written`);
    return intervals.length;
  }
}

/** Drops the pauses of the work. */
async function* settled(lines: Lines): AsyncGenerator<Line> {
  for (let step = lines.next(); !step.done; ) {
    if (step.value === null || step.value instanceof Promise) {
      try {
        await step.value;
        step = lines.next();
      } catch (error) {
        step = lines.throw(error);
      }
    } else {
      yield step.value;
      step = lines.next();
    }
  }
}

function seriesOf(series: ReadonlyMap<number, SeriesRecord>, id: number): SeriesRecord {
  const record = series.get(id);
  if (!record) throw new Error(`series ${id} was not named before its rows`);
  return record;
}

/** Throws unless the file is complete, unchanged, and of a known version. */
async function checked(lines: AsyncIterable<string>): Promise<void> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const text of lines) {
    const line = JSON.parse(text) as Line;
    if (count === 0 && (!('format' in line) || line.format !== FORMAT))
      throw new Error('this is not a file of a history');
    if ('version' in line && !VERSIONS.includes(line.version))
      throw new Error(`version ${line.version} of the file is not known`);
    if ('sha256' in line) {
      if (line.lines === count && line.sha256 === hash.digest('hex')) return;
      throw new Error('the file was changed or is not whole: its hash does not match');
    }
    hash.update(`${text}\n`);
    count += 1;
  }
  throw new Error('the file ends too early');
}
