/**
 * Small disks: file systems in memory. They belong to the processes of the proof (`ip netns exec` gives them mounts of their own) and go with
 * them.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const PAGES = [1_048_576, 65_536, 4_096];
const AGAIN_MS = 1_000;

/** A disk of some megabytes at a folder, which it makes. */
export class SmallDisk {
  readonly folder: string;
  #filling: NodeJS.Timeout | undefined;

  constructor(folder: string, megabytes: number) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
    const words = ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'proof', folder];
    const { status, stderr, error } = spawnSync('mount', words, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`no file system in memory at ${folder}: ${error?.message ?? stderr.trim()}`);
  }

  /** Takes the last page, and each that becomes free, until `free`. */
  fill(): void {
    this.#take();
    this.#filling = setInterval(() => this.#take(), AGAIN_MS);
  }

  /** Gives the room back. */
  free(): void {
    clearInterval(this.#filling);
    rmSync(this.#file, { force: true });
  }

  get #file(): string {
    return join(this.folder, 'filled by the proof');
  }

  #take(): void {
    const file = openSync(this.#file, 'a');
    try {
      for (const size of PAGES) while (wrote(file, size));
    } finally {
      closeSync(file);
    }
  }
}

function wrote(file: number, size: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(size)) > 0;
  } catch {
    return false;
  }
}
