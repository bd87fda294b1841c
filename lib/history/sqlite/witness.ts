/** If another file knows of levels, an empty history is lost, not new. */
import type { Log } from '../../log.ts';
import { HistoryError } from '../problem.ts';
import type { HistoryFile } from './prepare.ts';

/** Notes in another file that the history has levels. */
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

/** Refuses an empty file that once had levels, and notes the first levels with the witness. */
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
