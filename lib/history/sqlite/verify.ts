/** Checks the file: its pages, and that each hour's seconds agree with its minutes and its sum. Only reads. */
import Database from 'better-sqlite3';
import { messageOf } from '../../errors.ts';
import { UNNAMED } from '../rows/columns.ts';
import { faultText, hourFault } from '../stored/hour-faults.ts';
import { visitRows } from '../write-queue.ts';
import type { JournalHead } from './journal.ts';
import { allSeries, TableReader } from './tables.ts';

interface HistoryVerdict {
  readonly hours: number;
  /** Hours of series that still get rows, and their rows in the journal. */
  readonly openHours: number;
  readonly openSeconds: number;
  /** One sentence for each fault; empty: the file is good. */
  readonly faults: readonly string[];
}

const MOST_FAULTS = 100;

/** Open hours are only read: their rows are in the journal. A gateway may run meanwhile. */
export function verifyFile(path: string): HistoryVerdict {
  const database = new Database(path, { readonly: true, fileMustExist: true });
  try {
    const pages = database.prepare<[], string>('pragma integrity_check(10)').pluck().all();
    const faults = pages.filter((line) => line !== 'ok');
    let hours = 0;
    // The tables come with the first levels.
    if (database.prepare('select 1 from sqlite_schema limit 1').get() === undefined)
      return { hours, openHours: 0, openSeconds: 0, faults };
    const journal = verifyJournal(database);
    faults.push(...journal.faults);
    const open = { openHours: journal.openHours, openSeconds: journal.openSeconds };
    const reading = new TableReader(database);
    for (const { id, unitId, source } of allSeries(database)) {
      for (const record of reading.hours(id, 0, Number.MAX_SAFE_INTEGER)) {
        hours += 1;
        const fault = hourFault(record, reading.stored(id, record.hour));
        if (fault) faults.push(faultText({ unitId, source }, record.hour, fault));
        if (faults.length >= MOST_FAULTS) return { hours, ...open, faults };
      }
    }
    return { hours, ...open, faults };
  } finally {
    database.close();
  }
}

/** Checks that each entry of the journal can be read, and belongs to existing series. */
function verifyJournal(database: Database.Database): Omit<HistoryVerdict, 'hours'> {
  const series = new Set(allSeries(database).map(({ id }) => id));
  const open = new Set<string>();
  const faults: string[] = [];
  let openSeconds = 0;
  const entries = database.prepare<[], { id: number; head: string; rows: Buffer }>(
    'select id, head, rows from history_journal order by id',
  );
  for (const { id, head, rows } of entries.iterate()) {
    try {
      const entry = JSON.parse(head) as JournalHead;
      if (!('series' in entry)) {
        if (!('removed' in entry || 'doubted' in entry || 'stated' in entry)) throw new Error('its head says nothing');
        continue;
      }
      visitRows(rows, entry.levels ?? UNNAMED, (index, at) => {
        const of = entry.series[index];
        if (of === undefined || !series.has(of)) throw new Error('it has a row of no series');
        openSeconds += 1;
        open.add(`${of} ${Math.floor(at / 3_600)}`);
      });
    } catch (error) {
      faults.push(`entry ${id} of the journal cannot be read: ${messageOf(error)}`);
      if (faults.length >= MOST_FAULTS) break;
    }
  }
  return { openHours: open.size, openSeconds, faults };
}
