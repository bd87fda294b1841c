/** An empty history where another file knows of levels is a lost one, not a new one. */
import type { Log } from '../../log.ts';
import { HistoryError } from '../problem.ts';
import type { HistoryFile } from './prepare.ts';

/** Remembers in another file that there are levels. */
export interface LevelWitness {
  hadLevels(): Promise<boolean>;
  noteLevels(are: boolean): Promise<void>;
}

interface Witnessed {
  readonly path: string;
  readonly witness?: LevelWitness;
  readonly acceptLoss?: boolean;
  readonly log: Log;
}

/** Refuses a file without levels where there were some, and has the witness told when the first ones are in it. */
export async function witnessed(
  file: HistoryFile,
  { path, witness, acceptLoss = false, log }: Witnessed,
): Promise<HistoryFile> {
  if (!witness) return file;
  const had = await witness.hadLevels();
  if (!file.isEmpty) {
    if (!had) await witness.noteLevels(true);
    return file;
  }
  const what = file.isNew ? 'is gone or empty' : 'has no levels (perhaps its side file history.db-wal is gone)';
  const detail = `the history ${path} ${what}, but gateway.db knows that it had levels`;
  if (had && !acceptLoss)
    throw new HistoryError(
      'lost',
      `${detail}. Either restore history.db from a backup, or start once with --accept-loss to begin without levels`,
    );
  if (had) {
    log.error(`${detail}: it begins empty, as --accept-loss says`);
    await witness.noteLevels(false);
  }
  return { ...file, firstLevels: () => witness.noteLevels(true) };
}
