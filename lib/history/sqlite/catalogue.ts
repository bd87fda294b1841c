/** All series: in memory, and on the disk with the commit of the first row of each. */
import { MAIN_CHANNEL } from '../../domain/ids.ts';
import { SOURCES } from '../check.ts';
import type { SeriesKey } from '../contract.ts';
import type { IntervalRecord } from '../stored/columns.ts';
import type { SeriesRecord } from '../stored/source.ts';
import { allSeries, type DatabaseConnection } from './tables.ts';

const keyOf = ({ unitId, channel = MAIN_CHANNEL, source, weighting }: SeriesKey) =>
  `${source} ${channel} ${weighting.frequency}${weighting.time} ${unitId}`;

export class Catalogue {
  readonly #byId = new Map<number, SeriesRecord>();
  readonly #byUnit = new Map<string, SeriesRecord[]>();
  readonly #byKey = new Map<string, SeriesRecord>();
  readonly #insert;
  readonly #bounds;
  #lastId = 0;

  constructor(writer: DatabaseConnection) {
    for (const record of allSeries(writer)) this.add(record);
    this.#insert = writer.prepare(
      'insert into history_series (id, unit_id, source, frequency, time, channel, ready) values (?, ?, ?, ?, ?, ?, ?)',
    );
    this.#bounds = writer.prepare('update history_series set intervals_from = ?, intervals_to = ? where id = ?');
  }

  units(): string[] {
    return [...this.#byUnit].flatMap(([unit, records]) => (records.some(({ ready }) => ready) ? unit : [])).sort();
  }

  /** The visible series: the best source first, and the oldest first within a source. */
  of(unitId: string): SeriesRecord[] {
    return (this.#byUnit.get(unitId) ?? [])
      .filter(({ ready }) => ready)
      .toSorted((a, b) => SOURCES.indexOf(a.source) - SOURCES.indexOf(b.source) || a.id - b.id);
  }

  all(): Iterable<SeriesRecord> {
    return this.#byId.values();
  }

  get(id: number): SeriesRecord | undefined {
    return this.#byId.get(id);
  }

  find(key: SeriesKey): SeriesRecord | undefined {
    return this.#byKey.get(keyOf(key));
  }

  /** A new one: `write` it in a transaction, and `add` it when that is committed. */
  made({ unitId, channel = MAIN_CHANNEL, source, weighting }: SeriesKey, ready: boolean): SeriesRecord {
    this.#lastId += 1;
    return { id: this.#lastId, unitId, channel, source, weighting, ready, intervalsFrom: null, intervalsTo: null };
  }

  write({ id, unitId, channel, source, weighting, ready }: SeriesRecord): void {
    const named = channel === MAIN_CHANNEL ? null : channel;
    this.#insert.run(id, unitId, source, weighting.frequency, weighting.time, named, ready ? 1 : 0);
  }

  add(record: SeriesRecord): void {
    this.#lastId = Math.max(this.#lastId, record.id);
    this.#byId.set(record.id, record);
    this.#byUnit.set(record.unitId, [...(this.#byUnit.get(record.unitId) ?? []), record]);
    if (record.source !== 'import') this.#byKey.set(keyOf(record), record);
  }

  drop(record: SeriesRecord): void {
    this.#byId.delete(record.id);
    this.#byUnit.set(
      record.unitId,
      (this.#byUnit.get(record.unitId) ?? []).filter(({ id }) => id !== record.id),
    );
  }

  clear(record: SeriesRecord): void {
    this.#bounds.run(null, null, record.id);
    record.intervalsFrom = null;
    record.intervalsTo = null;
  }

  /** Notes that the series has this interval, with the transaction that is open. Bounds that are too wide do no harm. */
  widen(record: SeriesRecord, { at, duration }: Pick<IntervalRecord, 'at' | 'duration'>): void {
    const from = Math.min(record.intervalsFrom ?? at, at);
    const to = Math.max(record.intervalsTo ?? 0, at + duration);
    if (from === record.intervalsFrom && to === record.intervalsTo) return;
    record.intervalsFrom = from;
    record.intervalsTo = to;
    this.#bounds.run(from, to, record.id);
  }
}
