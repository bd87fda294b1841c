/** What a database of SLMM holds and the gateway does not take, by name: nobody should miss it later without a word. */
import type { SlmmDatabase } from './database.ts';
import type { ImportNotes } from './notes.ts';

/** Columns of a table, and why they are left out. */
const DROPPED: readonly (readonly [table: string, columns: readonly string[], what: string, why: string])[] = [
  ['alert_events', ['onset_value'], 'levels at the onset of events (onset_value)', 'an event here has its worst level'],
  ['alert_events', ['notes'], 'notes of events', 'SLMM never wrote any itself; copy them by hand'],
  ['nl43_status', ['battery_level', 'power_source'], 'battery levels and power sources', 'the gateway reads them anew'],
  ['nl43_status', ['sd_remaining_mb', 'sd_free_ratio'], 'sizes of cards', 'the gateway reads them anew'],
  [
    'nl43_status',
    ['measurement_state', 'measurement_start_time'],
    'states and starts of measurements',
    'the gateway asks the meters',
  ],
  [
    'nl43_readings',
    ['leq', 'lmax', 'ln1', 'ln2'],
    'readings with Leq, Lmax or percentiles',
    'they belong to the whole measurement until then, not to that minute; their Lp is taken',
  ],
];

/** Adds a note for each kind of data that is there. */
export function noteDropped(database: SlmmDatabase, left: ImportNotes): void {
  for (const [table, columns, what, why] of DROPPED) {
    const count = database.countWith(table, columns);
    if (count > 0) left.add(`${count} ${what}: ${why}.`);
  }
  const logs = database.count('device_logs');
  if (logs > 0) left.add(`${logs} lines of the log: the gateway writes its own.`);
}
