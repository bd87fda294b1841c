/** Checks the file: its pages, and that each hour's seconds agree with its minutes and its sum. Only reads. */
import Database from 'better-sqlite3';
import { messageOf } from '../../errors.ts';
import { visitRows } from '../rows/batch.ts';
import { PLACES, UNNAMED } from '../rows/columns.ts';
import { sumOf } from '../rows/hour.ts';
import { MinuteTable } from '../rows/minutes.ts';
import { SecondTable } from '../rows/seconds.ts';
import type { HourRecord } from '../stored/columns.ts';
import type { JournalHead } from './recorder.ts';
import { allSeries, TableReader } from './tables.ts';

/** What a check has found. */
export interface HistoryVerdict {
  readonly hours: number;
  /** Hours of series that still get rows, and the rows of them in the journal. */
  readonly openHours: number;
  readonly openSeconds: number;
  /** One sentence for each fault; none: the file is good. */
  readonly faults: readonly string[];
}

const MOST_FAULTS = 100;

/** Hours that are still open are only read: their rows are in the journal. A gateway may run meanwhile. */
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
        const fault = faultOf(record, reading.stored(id, record.hour));
        if (fault) faults.push(`${unitId}, ${source}, ${new Date(record.hour * 3_600_000).toISOString()}: ${fault}`);
        if (faults.length >= MOST_FAULTS) return { hours, ...open, faults };
      }
    }
    return { hours, ...open, faults };
  } finally {
    database.close();
  }
}

/** Each entry of the journal can be read, and belongs to series that there are. */
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

function faultOf(record: HourRecord, stored: ReturnType<TableReader['stored']>): string | undefined {
  try {
    if (!stored.minutes) return 'its minutes are not there';
    if (record.secondBytes > 0 && !stored.seconds) return 'its seconds are not there';
    const minutes = MinuteTable.from(stored.minutes);
    const seconds = stored.seconds ? SecondTable.from(stored.seconds) : undefined;
    if (seconds && !sameMinutes(minutes, seconds)) return 'its minutes are not those of its seconds';
    const sum = sumOf(minutes, seconds);
    const same =
      (['steps', 'readings', 'lp', 'lmaxAt'] as const).every((name) => sum[name] === record[name]) &&
      PLACES.every((place) => sum.levels[place] === record.levels[place]);
    const sameCounts = Buffer.compare(Buffer.from(sum.counts), Buffer.from(record.counts)) === 0;
    return same && sameCounts ? undefined : 'its sum is not that of its minutes';
  } catch (error) {
    return `it cannot be read: ${messageOf(error)}`;
  }
}

function sameMinutes(minutes: MinuteTable, seconds: SecondTable): boolean {
  const made = new MinuteTable();
  for (let minute = 0; minute < 60; minute++) {
    made.fill(minute, seconds);
    const columns = ({ levels, steps, readings, lp, flagged }: MinuteTable) => [
      ...levels,
      steps,
      readings,
      lp,
      ...flagged,
    ];
    const own = columns(minutes);
    if (columns(made).some((column, index) => column[minute] !== own[index]?.[minute])) return false;
  }
  return true;
}
