/** A program in a process of its own that prints its address, and what it has cost so far. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The start of production. */
export const BUILD = fileURLToPath(new URL('../../dist/lib/start.cjs', import.meta.url));

export interface Program {
  /** The first address that it printed. */
  readonly base: string;
  readonly pid: number;
  /** Its output after the line with its address. */
  readonly output: Readable;
  stop(): Promise<void>;
}

const ADDRESS = /(http:\/\/[^\s"]+)["\s]/;

const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** Node with these words; resolves when the program has printed an address. */
export async function startProgram(words: readonly string[]): Promise<Program> {
  const child = spawn(process.execPath, words, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  const died = once(child, 'exit').then(([code]) => {
    throw new Error(`a program ended with ${code} before it printed its address`);
  });
  let address: string | undefined;
  for (let printed = ''; address === undefined; address = ADDRESS.exec(printed)?.[1]) {
    const [piece] = await Promise.race([once(child.stdout, 'data'), died]);
    printed += String(piece);
  }
  died.catch(() => {});
  child.stdout.resume();
  const stop = async () => {
    child.kill();
    await once(child, 'exit');
    children.delete(child);
  };
  return { base: address, pid: child.pid ?? 0, output: child.stdout, stop };
}

/** User and system time of a process so far; 0 where the system does not tell. Linux counts in hundredths of a second. */
export function cpuSeconds(pid: number): number {
  const place = `/proc/${pid}/stat`;
  if (!existsSync(place)) return 0;
  const fields = readFileSync(place, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Resident, MB (2^20 bytes); 0 where the system does not tell. */
export const residentMb = (pid: number): number => statusMb(pid, 'VmRSS');

/** The resident part that no file holds: without the pages of the program, which all its processes share. */
export const ownMb = (pid: number): number => statusMb(pid, 'RssAnon');

function statusMb(pid: number, name: string): number {
  const place = `/proc/${pid}/status`;
  if (!existsSync(place)) return 0;
  const [, kilobytes = '0'] = new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(place, 'utf8')) ?? [];
  return Number(kilobytes) / 1_024;
}
