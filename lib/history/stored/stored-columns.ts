/** The columns of the rows as they are stored. */
import type { StoredKind } from '../contract.ts';
import { TEXT_COLUMNS } from './text-rows.ts';

/**
 * Columns of each line; `time` is UTC. Levels are dB with two decimals, `samples` and the classes of `counts` with one.
 */
export const STORED_COLUMNS: Readonly<Record<StoredKind, readonly string[]>> = {
  seconds: columnsOf('seconds', 'offset'),
  minutes: columnsOf('minutes', 'minute'),
  intervals: columnsOf('intervals', 'at'),
};

/** The first cell of a stored row is its position in the hour; a line begins with the time and the series. */
function columnsOf(kind: StoredKind, place: string): readonly string[] {
  return [
    'time',
    'source',
    'frequency_weighting',
    'time_weighting',
    ...TEXT_COLUMNS[kind].filter((name) => name !== place),
  ];
}
