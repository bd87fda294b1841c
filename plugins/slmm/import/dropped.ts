/** Data in a database of SLMM that the gateway does not take over, by name: users must know before they miss it. */
import { countOf } from '../../../lib/built-in.ts';
import { COLUMNS, type SlmmDatabase } from './database.ts';

const MOST = 100;

export class ImportNotes {
  readonly #lines: string[] = [];
  #more = 0;

  add(line: string): void {
    if (this.#lines.length < MOST) this.#lines.push(line);
    else this.#more += 1;
  }

  list(): string[] {
    return this.#more === 0 ? [...this.#lines] : [...this.#lines, `And ${this.#more} more.`];
  }
}

/** Columns of a table, and the reason why they are left out. */
const DROPPED: readonly (readonly [
  table: string,
  columns: readonly string[],
  one: string,
  several: string,
  why: string,
])[] = [
  [
    'alert_events',
    ['onset_value'],
    'level at the onset of an event (onset_value)',
    'levels at the onset of events (onset_value)',
    'an event here has its worst level',
  ],
  ['alert_events', ['notes'], 'note of an event', 'notes of events', 'SLMM never wrote any itself; copy them by hand'],
  [
    'nl43_status',
    ['leq', 'lmax', 'lmin', 'lpeak', 'ln1', 'ln2'],
    'line of last values with Leq, Lmax, Lmin, Lpeak or percentiles',
    'lines of last values with Leq, Lmax, Lmin, Lpeak or percentiles',
    'these belong to a whole measurement, and the gateway reads them again; Lp is taken from the line of the meter',
  ],
  [
    'nl43_status',
    ['battery_level', 'power_source'],
    'battery level or power source',
    'battery levels or power sources',
    'the gateway asks the meters',
  ],
  [
    'nl43_status',
    ['sd_remaining_mb', 'sd_free_ratio'],
    'size of a card',
    'sizes of cards',
    'the gateway asks the meters',
  ],
  [
    'nl43_status',
    ['measurement_state', 'measurement_start_time'],
    'state or start of a measurement',
    'states or starts of measurements',
    'the gateway asks the meters',
  ],
  [
    'nl43_status',
    ['last_poll_attempt', 'last_success', 'last_error'],
    'state of the background readings (last_poll_attempt, last_success, last_error)',
    'states of the background readings (last_poll_attempt, last_success, last_error)',
    'the gateway counts its own',
  ],
  [
    'nl43_readings',
    ['leq', 'lmax', 'ln1', 'ln2'],
    'reading with Leq, Lmax or percentiles',
    'readings with Leq, Lmax or percentiles',
    'these belong to the whole measurement until then, not to that minute; Lp is taken',
  ],
];

/** Adds a note for each kind of such data. Rejects with the reason of the signal. */
export async function noteDropped(database: SlmmDatabase, left: ImportNotes, signal: AbortSignal): Promise<void> {
  for (const [table, columns, one, several, why] of DROPPED) {
    const count = await database.countWith(table, columns, signal);
    if (count > 0) left.add(`${countOf(count, one, several)}: ${why}.`);
  }
  const logs = await database.count('device_logs', signal);
  if (logs > 0) left.add(`${countOf(logs, 'line')} of the log: the gateway writes its own.`);
  for (const [table, columns] of database.columns()) await noteUnknown(database, table, columns, left, signal);
}

async function noteUnknown(
  database: SlmmDatabase,
  table: string,
  columns: readonly string[],
  left: ImportNotes,
  signal: AbortSignal,
): Promise<void> {
  if (table.startsWith('sqlite_')) return;
  const known = COLUMNS[table];
  if (!known) {
    const count = await database.count(table, signal);
    if (count > 0)
      left.add(`The table ${JSON.stringify(table)} with ${countOf(count, 'row')}: it is not known of SLMM.`);
    return;
  }
  for (const name of columns.filter((one) => !known.includes(one))) {
    const count = await database.countWith(table, [name], signal);
    if (count > 0)
      left.add(`${countOf(count, 'value')} of ${JSON.stringify(name)} in ${table}: the column is not known of SLMM.`);
  }
}
