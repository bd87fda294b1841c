/**
 * The differences between operating systems: only this file asks for the system. Tests pass another system to these
 * functions. systemd and its program are in `supervisor.ts`, which does nothing without systemd.
 */
import { open, rename } from 'node:fs/promises';
import nodePath, { type PlatformPath } from 'node:path';
import { sleep, systemClock } from './clock.ts';

/** Windows has no signals, modes and sockets like the others. */
export type System = 'posix' | 'windows';

const SYSTEM: System = process.platform === 'win32' ? 'windows' : 'posix';

/**
 * Whether others than the owner have one of the rights `bits` to a file of this mode. On Windows this is unknown: its
 * rights are lists that Node does not read, and Node gives the mode 0666 for every file.
 */
export const othersMay = (bits: number, mode: number, system: System = SYSTEM): boolean =>
  system === 'posix' && (mode & bits) !== 0;

/** Checks that the user must make, because the gateway cannot make them here. */
export const notChecked = (system: System = SYSTEM): string | undefined =>
  system === 'posix'
    ? undefined
    : 'on Windows the gateway cannot see who else may read or change its files: keep the data folder and the key file where only the user of the gateway can read them';

/** A new name lasts only if its folder is on the disk, too. Windows refuses that, and keeps a journal of its names. */
export async function syncFolder(folder: string, system: System = SYSTEM): Promise<void> {
  if (system === 'windows') return;
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

/** On Windows an open file cannot be replaced. Programs such as virus scanners open files for a short time. */
const WAITS_MS = [10, 30, 100, 300, 1_000];
const HELD = new Set(['EPERM', 'EACCES', 'EBUSY']);

/** Replaces `path` with `draft`, in one step. */
export async function moveOver(
  draft: string,
  path: string,
  { system = SYSTEM, move = rename, clock = systemClock } = {},
): Promise<void> {
  for (const waitMs of system === 'windows' ? WAITS_MS : []) {
    try {
      return await move(draft, path);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && HELD.has(String(error.code)))) throw error;
    }
    await sleep(clock, waitMs);
  }
  await move(draft, path);
}

/** Whether a path is the folder, or something in it. Both are absolute. */
export function isWithin(folder: string, path: string, rules: PlatformPath = nodePath): boolean {
  const way = rules.relative(folder, path);
  return !rules.isAbsolute(way) && way.split(rules.sep)[0] !== '..';
}

/** Whether a text is a path and not a name: `./a`, `/a`, and on Windows `.\a` and `C:\a` as well. */
export const isPath = (given: string, rules: PlatformPath = nodePath): boolean =>
  rules.isAbsolute(given) || /^\.{0,2}\//.test(given.replaceAll(rules.sep, '/'));

/**
 * SIGHUP is sent by a terminal that is closed, and by supervisors to have settings read again. On Windows it means that
 * the window of the process was closed.
 */
export const hangUpEnds = (isTerminal: boolean, system: System = SYSTEM): boolean => isTerminal || system === 'windows';

/**
 * Named pipe for listening on this computer in place of a socket in a folder; undefined: the system has such sockets.
 */
export const pipeNamed = (name: string, system: System = SYSTEM): string | undefined =>
  system === 'windows' ? `\\\\.\\pipe\\${name}` : undefined;
