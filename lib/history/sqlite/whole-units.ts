/**
 * A unit's whole history as a file of lines of JSON (docs/operating.md has the format), and back. The gateway must be stopped
 * meanwhile; the lock of the file makes sure of it. A file is read twice: first its hash is checked, then it is written in one
 * transaction.
 */
import { createHash } from 'node:crypto';
import type { Source, Weighting } from '../contract.ts';
import { MinuteTable } from '../rows/minutes.ts';
import { OpenHour } from '../rows/open-hour.ts';
import { SecondTable } from '../rows/seconds.ts';
import { boundsOf } from '../stored/extent.ts';
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
} from '../stored/text-rows.ts';
import { Catalogue } from './catalogue.ts';
import { type HistoryFile, prepareFile } from './prepare.ts';
import { RowWriter } from './recorder.ts';
import { connect, type SeriesRecord, TableReader } from './tables.ts';

const FORMAT = 'slm-history';
/** 1: the head does not name the columns. */
const VERSIONS: readonly number[] = [1, 2];
const VERSION = 2;
const INTERVALS_A_LINE = 500;

interface HeadLine {
  readonly format: typeof FORMAT;
  readonly version: number;
  readonly unit_id: string;
  readonly columns?: Partial<TextColumns>;
}
interface SeriesLine {
  readonly series: number;
  readonly source: Source;
  readonly frequency: Weighting['frequency'];
  readonly time: Weighting['time'];
}
interface HourLine {
  readonly series: number;
  /** Hours since 1970. */
  readonly hour: number;
  /** Null when they are no longer kept. */
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

/** Reads and writes whole units of one file. */
export class WholeUnits {
  readonly #parts;
  readonly #writer;
  readonly #file;

  /** Throws HistoryError, also when a gateway has the file. */
  static async open(path: string): Promise<WholeUnits> {
    const file = await prepareFile(path);
    try {
      await file.makeTables();
      return new WholeUnits(path, file);
    } catch (error) {
      file.release();
      throw error;
    }
  }

  private constructor(path: string, file: HistoryFile) {
    const { writer, reader } = connect(path);
    const reading = new TableReader(reader);
    const catalogue = new Catalogue(writer);
    this.#parts = { reader, reading, catalogue, recorder: new RowWriter(writer, reading, catalogue) };
    this.#writer = writer;
    this.#file = file;
    for (const held of [...this.#parts.recorder.hours.held()]) this.#parts.recorder.foldHour(held);
  }

  units(): string[] {
    return this.#parts.catalogue.units();
  }

  /** The lines of a unit, each with its end of line. Throws when there is none. */
  *lines(unitId: string): Generator<string> {
    const hash = createHash('sha256');
    let count = 0;
    for (const line of this.#content(unitId)) {
      const text = `${JSON.stringify(line)}\n`;
      hash.update(text);
      count += 1;
      yield text;
    }
    yield `${JSON.stringify({ lines: count, sha256: hash.digest('hex') } satisfies EndLine)}\n`;
  }

  /**
   * Writes what `read` gives; `read` is called twice. All or nothing. Throws if the file is wrong, or if the unit already has
   * some of it. `unitId`: in place of the name in the file.
   */
  async take(
    read: () => AsyncIterable<string>,
    unitId?: string,
  ): Promise<{ unitId: string; hours: number; intervals: number }> {
    await checked(read());
    const series = new Map<number, SeriesRecord>();
    const created: SeriesRecord[] = [];
    const done = { unitId: unitId ?? '', hours: 0, intervals: 0 };
    let columns = textColumnsOf({});
    this.#writer.pragma('synchronous = full');
    this.#writer.exec('begin immediate');
    try {
      for await (const text of read()) {
        const line = JSON.parse(text) as Line;
        if ('format' in line) {
          done.unitId ||= line.unit_id;
          columns = textColumnsOf(line.columns ?? {});
        } else if ('source' in line) series.set(line.series, this.#seriesFor(done.unitId, line, created));
        else if ('hour' in line) done.hours += this.#takeHour(seriesOf(series, line.series), line, columns);
        else if ('intervals' in line)
          done.intervals += this.#takeIntervals(seriesOf(series, line.series), line, columns.intervals);
      }
      this.#writer.exec('commit');
    } catch (error) {
      this.#writer.exec('rollback');
      throw error;
    }
    for (const record of created) this.#parts.catalogue.add(record);
    return done;
  }

  close(): void {
    this.#parts.reader.close();
    this.#writer.close();
    this.#file.release();
  }

  *#content(unitId: string): Generator<Line> {
    const series = this.#parts.catalogue.of(unitId);
    if (series.length === 0) throw new Error(`there is no history of ${unitId}`);
    yield { format: FORMAT, version: VERSION, unit_id: unitId, columns: TEXT_COLUMNS };
    for (const { id, source, weighting } of series) yield { series: id, source, ...weighting };
    for (const record of series) {
      const { id, intervalsFrom, intervalsTo } = record;
      const { first, end } = boundsOf([record], this.#parts);
      for (const { hour } of this.#parts.reading.hours(id, first, end)) {
        const stored = this.#parts.reading.stored(id, hour);
        const seconds = stored.seconds ? [...secondTexts(SecondTable.from(stored.seconds))] : null;
        const minutes = stored.minutes ? minuteTexts(MinuteTable.from(stored.minutes)) : [];
        yield { series: id, hour, seconds, minutes };
      }
      if (intervalsFrom === null || intervalsTo === null) continue;
      const all = this.#parts.reading.intervals(id, intervalsFrom, intervalsTo).map(intervalText);
      for (let from = 0; from < all.length; from += INTERVALS_A_LINE) {
        yield { series: id, intervals: all.slice(from, from + INTERVALS_A_LINE) };
      }
    }
  }

  #seriesFor(unitId: string, { source, frequency, time }: SeriesLine, created: SeriesRecord[]): SeriesRecord {
    const key = { unitId, source, weighting: { frequency, time } };
    const known = source === 'import' ? undefined : this.#parts.catalogue.find(key);
    if (known) return known;
    const made = this.#parts.catalogue.made(key, true);
    this.#parts.catalogue.write(made);
    created.push(made);
    return made;
  }

  #takeHour({ id, unitId }: SeriesRecord, { hour, seconds, minutes }: HourLine, columns: TextColumns): number {
    if (this.#parts.reading.minutes(id, hour)) {
      throw new Error(`${unitId} already has ${new Date(hour * 3_600_000).toISOString()}: nothing was written`);
    }
    const stored = {
      seconds: seconds ? secondsFrom(seconds, columns.seconds).bytes() : undefined,
      minutes: minutesFrom(minutes, columns.minutes).bytes(),
    };
    this.#parts.recorder.storeHour(id, hour, new OpenHour(stored));
    return 1;
  }

  #takeIntervals(record: SeriesRecord, { intervals }: IntervalsLine, columns: readonly string[]): number {
    for (const text of intervals) {
      const row = intervalFrom(text, columns);
      if (this.#parts.recorder.addInterval(record, row)) continue;
      throw new Error(`${record.unitId} already has ${new Date(row.at * 1_000).toISOString()}: nothing was written`);
    }
    return intervals.length;
  }
}

function seriesOf(series: ReadonlyMap<number, SeriesRecord>, id: number): SeriesRecord {
  const record = series.get(id);
  if (!record) throw new Error(`series ${id} was not named before its rows`);
  return record;
}

/** Throws unless the file is whole, unchanged, and of a version that is known. */
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
      throw new Error('the file was changed or is not whole: its hash is another one');
    }
    hash.update(`${text}\n`);
    count += 1;
  }
  throw new Error('the file ends too early');
}
