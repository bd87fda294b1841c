/** The contract on SQLite; one file for all of its tests, in which everything works on the same thread. */
import t from 'tap';
import { historyContract } from '../contract/history/index.ts';
import { openedHistory } from '../support/history.ts';

const stage = await openedHistory(t);
historyContract(t, async () => stage);
