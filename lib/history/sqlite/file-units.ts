/**
 * A SQLite file whose units are written and read as a whole. The gateway must be stopped; the lock of the file ensures
 * it.
 */
import type { SeriesKey } from '../contract.ts';
import { hourValues, type IntervalRecord } from '../stored/columns.ts';
import type { PackedHour, SeriesRecord, UnitStore } from '../stored/source.ts';
import { WholeUnits } from '../stored/whole-units.ts';
import { atOnce, type Work } from '../stored/work.ts';
import { Catalogue } from './catalogue.ts';
import { prepareFile } from './prepare.ts';
import { RowWriter } from './recorder.ts';
import { FileSource, type OwnFile } from './source.ts';
import { connect, type DatabaseConnection, statementsOf, TableReader } from './tables.ts';

/** A file that nothing else works on: its open hours are stored. */
interface ClosedFile extends OwnFile {
  release(): void;
}

/** Throws HistoryError, also when a gateway has the file. */
export async function openFile(path: string): Promise<ClosedFile> {
  const file = await prepareFile(path);
  try {
    await file.makeTables();
    const { writer, reader } = connect(path);
    const reading = new TableReader(reader);
    const catalogue = new Catalogue(writer);
    const recorder = new RowWriter(writer, reading, catalogue);
    const parts = { reader, reading, catalogue, recorder };
    for (const held of [...recorder.hours.held()]) recorder.foldHour(held);
    const release = () => {
      reader.close();
      writer.close();
      file.release();
    };
    return { parts, source: new FileSource(parts), writer, release };
  } catch (error) {
    file.release();
    throw error;
  }
}

export const openFileStore = async (path: string): Promise<UnitStore> => new FileStore(await openFile(path));

export const openFileUnits = async (path: string): Promise<WholeUnits> => new WholeUnits(await openFileStore(path));

class FileStore implements UnitStore {
  readonly source: FileSource;
  readonly #catalogue: Catalogue;
  readonly #recorder: RowWriter;
  readonly #writer: DatabaseConnection;
  readonly #statements;
  readonly #release: () => void;
  #created: SeriesRecord[] = [];

  constructor({ parts, source, writer, release }: ClosedFile) {
    this.source = source;
    this.#catalogue = parts.catalogue;
    this.#recorder = parts.recorder;
    this.#writer = writer;
    this.#statements = statementsOf(writer);
    this.#release = release;
  }

  units(): Work<readonly string[]> {
    return atOnce(this.#catalogue.units());
  }

  begin(): Work<void> {
    this.#writer.pragma('synchronous = full');
    this.#writer.exec('begin immediate');
    this.#created = [];
    return atOnce(undefined);
  }

  commit(): Work<void> {
    this.#writer.exec('commit');
    for (const record of this.#created) this.#catalogue.add(record);
    this.#created = [];
    return atOnce(undefined);
  }

  undo(): Work<void> {
    this.#writer.exec('rollback');
    this.#created = [];
    return atOnce(undefined);
  }

  seriesFor(key: SeriesKey): Work<SeriesRecord> {
    const known = key.source === 'import' ? undefined : this.#catalogue.find(key);
    if (known) return atOnce(known);
    const made = this.#catalogue.made(key, true);
    this.#catalogue.write(made);
    this.#created.push(made);
    return atOnce(made);
  }

  addHours({ id }: SeriesRecord, hours: readonly PackedHour[]): Work<void> {
    const { seconds, minutes, sum } = this.#statements;
    for (const { record, ...rows } of hours) {
      if (rows.seconds) seconds.run(id, record.hour, rows.seconds);
      minutes.run(id, record.hour, rows.minutes);
      sum.run(id, record.hour, ...hourValues(record, rows.seconds?.length ?? 0, rows.minutes.length));
    }
    return atOnce(undefined);
  }

  addIntervals(series: SeriesRecord, rows: readonly IntervalRecord[]): Work<readonly IntervalRecord[]> {
    return atOnce(rows.filter((row) => !this.#recorder.addInterval(series, row)));
  }

  async close(): Promise<void> {
    this.#release();
  }
}
