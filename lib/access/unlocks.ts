/**
 * Addresses that were unlocked with `npm run keys -- unlock`: a small file in the data folder. The command writes it; a
 * running gateway reads it at most once a second while somebody is locked out.
 */
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../clock.ts';
import { stampOf } from '../http/file-stamp.ts';
import { withLock } from './file-lock.ts';
import { replaceFile } from './replace-file.ts';

const LOOK_MS = 1_000;
/** No wait is longer, so older entries have no effect. */
const KEEP_MS = 3_600_000;

/** The file by which another process says that an address is no longer locked out. */
export const unlockFileIn = (dataDir: string): string => join(dataDir, 'unlocked.json');

/** Prefix of an address to the time of its unlocking, ms UTC. What cannot be read counts as none. */
function readUnlocks(path: string): Record<string, number> {
  try {
    const { unlocked } = JSON.parse(readFileSync(path, 'utf8')) as { unlocked: Record<string, number> };
    return Object.fromEntries(Object.entries(unlocked).filter(([, at]) => Number.isFinite(at)));
  } catch {
    return {};
  }
}

/** Says so for an address or its network. The gateway sees it within a second. */
export async function addUnlock(path: string, prefix: string, clock: Clock): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await withLock(`${path}.lock`, clock, async () => {
    const now = clock.now();
    const fresh = Object.entries(readUnlocks(path)).filter(([, at]) => now - at < KEEP_MS);
    const unlocked = { ...Object.fromEntries(fresh), [prefix]: now };
    await replaceFile(path, `${JSON.stringify({ version: 1, unlocked })}\n`);
  });
}

/** Reads what other processes said. */
export class Unlocks {
  readonly #path: string;
  readonly #clock: Clock;
  #stamp: string;
  #looked: number;
  #known: Record<string, number>;

  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
    this.#stamp = stampOf(path);
    this.#looked = clock.elapsed();
    this.#known = readUnlocks(path);
  }

  /** Prefixes that were unlocked since the last call. */
  fresh(): string[] {
    const now = this.#clock.elapsed();
    if (now - this.#looked < LOOK_MS) return [];
    this.#looked = now;
    const stamp = stampOf(this.#path);
    if (stamp === this.#stamp) return [];
    this.#stamp = stamp;
    const before = this.#known;
    this.#known = readUnlocks(this.#path);
    return Object.keys(this.#known).filter((prefix) => this.#known[prefix] !== before[prefix]);
  }
}
