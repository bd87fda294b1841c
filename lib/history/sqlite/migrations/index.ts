/** Every change of the tables, oldest first. A name that was ever released stays (see `lib/store/migrations`). */
import { FirstHistoryTables } from './0001-first-tables.ts';
import { MoreQuantities } from './0002-more-quantities.ts';
import { ChannelOfASeries } from './0003-channel-of-a-series.ts';

/** Run in this order, each once. */
export const historyMigrations = [
  { name: '0001-first-tables', class: FirstHistoryTables },
  { name: '0002-more-quantities', class: MoreQuantities },
  { name: '0003-channel-of-a-series', class: ChannelOfASeries },
];
