/** Imports in the file of this computer. */
import type { Range, SeriesKey } from '../contract.ts';
import { INTERVAL_COLUMNS, type IntervalRecord, intervalValues } from '../stored/columns.ts';
import type { ImportStore, RowPlace } from '../stored/imports.ts';
import type { SeriesRecord } from '../stored/source.ts';
import { atOnce, type Work } from '../stored/work.ts';
import type { Catalogue } from './catalogue.ts';
import type { DatabaseConnection, TableReader } from './tables.ts';

const ROWS_AT_ONCE = 2_000;

interface Parts {
  readonly writer: DatabaseConnection;
  readonly reading: TableReader;
  readonly catalogue: Catalogue;
}

/** All statements end at once. */
export class FileImports implements ImportStore {
  readonly #parts: Parts;
  readonly #statements;

  constructor(parts: Parts) {
    const { writer } = parts;
    this.#parts = parts;
    this.#statements = {
      insert: writer.prepare(
        `insert into history_interval (series, ${INTERVAL_COLUMNS.join(', ')})
         values (?, ${INTERVAL_COLUMNS.map(() => '?').join(', ')}) on conflict do nothing`,
      ),
      ready: writer.prepare('update history_series set ready = 1 where id = ?'),
      someRows: writer.prepare(
        'delete from history_interval where series = ? and at in (select at from history_interval where series = ? limit ?)',
      ),
      series: writer.prepare('delete from history_series where id = ?'),
      page: writer.prepare<[number, number, number], RowPlace>(
        'select at, duration, line from history_interval where series = ? and at >= ? order by at limit ?',
      ),
    };
  }

  make(key: SeriesKey): Work<SeriesRecord> {
    const record = this.#parts.catalogue.made(key, false);
    this.#parts.catalogue.write(record);
    this.#parts.catalogue.add(record);
    return atOnce(record);
  }

  add(series: SeriesRecord, rows: readonly IntervalRecord[]): Work<readonly IntervalRecord[]> {
    const refused = this.#parts.writer.transaction(() =>
      rows.filter((row) => {
        const { changes } = this.#statements.insert.run(series.id, ...intervalValues(row));
        if (changes > 0) this.#parts.catalogue.widen(series, row);
        return changes === 0;
      }),
    )();
    return atOnce(refused);
  }

  page({ id }: SeriesRecord, from: number) {
    const rows = this.#statements.page.all(id, from, ROWS_AT_ONCE);
    return atOnce({ rows, isLast: rows.length < ROWS_AT_ONCE });
  }

  overlapping({ unitId, ...own }: SeriesRecord, rows: readonly RowPlace[]): Work<ReadonlySet<RowPlace>> {
    const { catalogue, reading } = this.#parts;
    const others = catalogue.of(unitId).filter(({ source, channel, weighting: { frequency, time } }) => {
      const isOfChannel = source === own.source && channel === own.channel;
      return isOfChannel && frequency === own.weighting.frequency && time === own.weighting.time;
    });
    const isThere = ({ at, duration }: RowPlace) =>
      others.some(({ id }) => reading.intervals(id, at, at + duration).length > 0);
    return atOnce(new Set(rows.filter(isThere)));
  }

  show(series: SeriesRecord): Work<Range> {
    const { writer } = this.#parts;
    // Acknowledged rows must be on the disk: this commit also writes everything before it.
    writer.pragma('synchronous = full');
    try {
      this.#statements.ready.run(series.id);
    } finally {
      writer.pragma('synchronous = normal');
    }
    series.ready = true;
    return atOnce({ from: series.intervalsFrom ?? 0, to: series.intervalsTo ?? 0 });
  }

  *remove(id: number): Work<void> {
    const record = this.#parts.catalogue.get(id);
    if (!record || record.ready) return;
    while (this.#statements.someRows.run(id, id, ROWS_AT_ONCE).changes > 0) yield null;
    this.#statements.series.run(id);
    this.#parts.catalogue.drop(record);
  }

  unfinished(): Work<readonly number[]> {
    return atOnce([...this.#parts.catalogue.all()].flatMap(({ id, ready }) => (ready ? [] : id)));
  }
}
