/**
 * Test files that several processes share. Each takes the next one as soon as it is free, so that all end close together.
 *
 * `FAILED_FILES=FOLDER`: which files failed, a list for each process; with the same folder again, only what has not passed runs.
 * `FILE_TIMES=FILE`: what each file took, a line with tabs: the file, CPU seconds of this process and of those that it started and that have ended, real seconds.
 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { secondsOf } from './slow-files.ts';

/** Files that were taken, a folder for each run of tap. */
const TAKEN = fileURLToPath(new URL('../../node_modules/.cache/shares/', import.meta.url));
const { FAILED_FILES, FILE_TIMES } = process.env;
/** A run is the process that started this one. Where nobody knows when that was, each process of it runs all files: none is left out. */
const RUN = `${process.ppid} ${begun(process.ppid) ?? randomUUID()}`.replaceAll(/[^\w-]+/g, '-');
const OLD_MS = 24 * 3_600_000;

export class FileRuns {
  readonly #kind: string;
  readonly #all: readonly string[];
  #waiting: string[];
  #file = '';
  #before: readonly number[] = [];

  constructor(kind: string, files: Iterable<string>) {
    this.#kind = kind;
    this.#all = [...files].toSorted().toSorted((a, b) => secondsOf(b) - secondsOf(a));
    this.#waiting = this.#all.filter((file) => !FAILED_FILES || !existsSync(this.#markOf(FAILED_FILES, file)));
    mkdirSync(TAKEN, { recursive: true });
    for (const run of readdirSync(TAKEN)) {
      const folder = join(TAKEN, run);
      if (run !== RUN && Date.now() - statSync(folder).mtimeMs > OLD_MS)
        rmSync(folder, { recursive: true, force: true });
    }
  }

  /** Whether each one passed in an earlier run. */
  get havePassed(): boolean {
    return this.#waiting.length === 0;
  }

  /** Also the files that passed run once more. */
  runAll(): void {
    this.#waiting = [...this.#all];
  }

  /** The longest one that nobody has begun; undefined: none is left. */
  next(): string | undefined {
    const file = this.#waiting.shift();
    if (file === undefined || marked(this.#markOf(join(TAKEN, RUN), file))) {
      this.#file = file ?? '';
      this.#before = FILE_TIMES ? secondsUsed() : [];
      return file;
    }
    return this.next();
  }

  /** The last one has ended. */
  ended(passed: boolean): void {
    if (FILE_TIMES) {
      const used = secondsUsed().map((seconds, at) => (seconds - (this.#before[at] ?? 0)).toFixed(2));
      appendFileSync(FILE_TIMES, `${[this.#file, ...used].join('\t')}\n`);
    }
    if (!FAILED_FILES) return;
    if (passed) marked(this.#markOf(FAILED_FILES, this.#file));
    else appendFileSync(join(FAILED_FILES, `${basename(process.argv[1] ?? '', '.ts')}.txt`), `${this.#file}\n`);
  }

  #markOf(folder: string, file: string): string {
    return join(folder, this.#kind, file.replaceAll('/', ' '));
  }
}

/** When a process began, in the words of the system: a number alone comes again. */
function begun(pid: number): string | undefined {
  const words = [
    () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19],
    () => execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }),
  ];
  for (const ask of words)
    try {
      return ask();
    } catch {
      // Another system.
    }
  return undefined;
}

/** Makes an empty file. False where it was there. */
function marked(path: string): boolean {
  mkdirSync(join(path, '..'), { recursive: true });
  try {
    writeFileSync(path, '', { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
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
