/**
 * What a process that runs many test files leaves behind for others. `FAILED_FILES=FOLDER`: which files failed, a list for each process; where the
 * list of an earlier run is there, only these run again. `FILE_TIMES=FILE`: what each file took, a line with tabs.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The list of this process; undefined if none is wanted. */
function listOfFailed(): string | undefined {
  const { FAILED_FILES: folder } = process.env;
  return folder ? join(folder, `${basename(process.argv[1] ?? '', '.ts')}.txt`) : undefined;
}

/** Those that failed the last time. All, where that is not known: it was the first time, or the process broke off. */
export function filesToRun(files: readonly string[]): readonly string[] {
  const list = listOfFailed();
  const failed = list && existsSync(list) ? readFileSync(list, 'utf8').split('\n') : [];
  const again = files.filter((file) => failed.includes(file));
  return again.length > 0 ? again : files;
}

/** For the next run. Called when all files have run. */
export function noteFailed(files: readonly string[]): void {
  const list = listOfFailed();
  if (list === undefined) return;
  mkdirSync(join(list, '..'), { recursive: true });
  writeFileSync(list, files.join('\n'));
}

/** Begins to measure a file; what it returns writes the line: the file, CPU seconds of this process and of those that it started and that have ended, real seconds. */
export function timed(file: string): () => void {
  const { FILE_TIMES: path } = process.env;
  if (!path) return () => {};
  const before = secondsUsed();
  return () => {
    const used = secondsUsed().map((seconds, at) => (seconds - (before[at] ?? 0)).toFixed(2));
    appendFileSync(path, `${[file, ...used].join('\t')}\n`);
  };
}

/** Since the process began, where the system is Linux: the CPU time of those that it started is nowhere else. */
function secondsUsed(): readonly number[] {
  const TICKS_PER_SECOND = 100;
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ').map(Number) ?? [];
  const [user = 0, system = 0, userOfEnded = 0, systemOfEnded = 0] = fields.slice(11, 15);
  return [
    ...[user + system, userOfEnded + systemOfEnded].map((ticks) => ticks / TICKS_PER_SECOND),
    performance.now() / 1_000,
  ];
}
