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

/** Refuses an empty file where there were levels, and has the witness told when the first ones come. */
export async function witnessed(
  file: HistoryFile,
  { path, witness, acceptLoss = false, log }: Witnessed,
): Promise<HistoryFile> {
  if (!witness) return file;
  const had = await witness.hadLevels();
  if (!file.isNew) {
    if (!had) await witness.noteLevels(true);
    return file;
  }
  const detail = `the history ${path} is gone or empty, but gateway.db knows that it had levels`;
  if (had && !acceptLoss)
    throw new HistoryError(
      'lost',
      `${detail}. Either restore history.db from a backup, or start once with --accept-loss to begin without levels`,
    );
  if (had) {
    log.error(`${detail}: it begins empty, as --accept-loss says`);
    await witness.noteLevels(false);
  }
  const makeTables = async () => {
    await file.makeTables();
    await witness.noteLevels(true);
  };
  return { ...file, makeTables };
}
