/** The contract of the history on PostgreSQL: the same suite as on SQLite, on one history for all of its tests. */
import t from 'tap';
import { historyContract } from '../contract/history/index.ts';
import { openedHistory } from '../support/history.ts';
import { freshDatabase } from '../support/postgres.ts';

const stage = await openedHistory(t, { database: await freshDatabase(t) });
historyContract(t, async () => stage);
