/** The mirror copies the files of a store, as a separate job that goes on after a restart; then both sides are counted. */
import type { CardVisit, FileEntry, JobRun } from '../../../lib/built-in.ts';
import { type Caller, GatewayError, type Host, isGatewayError, sleep } from '../../../lib/index.ts';

export const MIRROR = 'mirror';

const LOOK_MS = 1_000;
/** Checks of the mirror for each check for more urgent work. */
const LOOKS_BETWEEN = 5;
const MOST_RUNS = 3;

interface KeptFolder {
  readonly path: string;
  readonly files: number;
  readonly bytes: number;
  readonly incomplete: readonly string[];
}
interface MirrorResult {
  readonly stopped: string | null;
  readonly folder: KeptFolder | null;
}

/** Below the paths of the mirror. Undefined: no such folder. Errors: those of the card. */
export function findFolder(host: Host, unitId: string, name: string, caller: Caller): Promise<string | undefined> {
  return visited(host, unitId, caller, async (visit) => {
    for (const path of host.configs.get(unitId)?.mirror.paths ?? []) {
      if (path.split('/').at(-1) === name) return path;
      const entry = (await listed(visit, path)).find((one) => one.isDir && one.name === name);
      if (entry) return entry.path;
    }
    return undefined;
  });
}

async function visited<T>(
  host: Host,
  unitId: string,
  { signal, deadlineMs, job }: Caller,
  work: (visit: CardVisit) => Promise<T>,
): Promise<T> {
  const visit = host.card(unitId).visit({ signal, job, ...(deadlineMs !== undefined && { deadlineMs }) });
  try {
    return await work(visit);
  } finally {
    await visit.close();
  }
}

/** A missing folder is empty. */
async function listed(visit: CardVisit, path: string): Promise<readonly FileEntry[]> {
  try {
    return await visit.list(path);
  } catch (error) {
    if (isGatewayError(error, 'FILE_NOT_FOUND')) return [];
    throw error;
  }
}

export interface Fetch {
  readonly host: Host;
  readonly unitId: string;
  readonly folder: string;
  readonly job: JobRun;
  /** Id of the mirror's job that was started before a restart; null: no job. */
  readonly started: number | null;
  /** Resolves when it is on the disk. */
  readonly keep: (mirrorJob: number | null) => Promise<void>;
  readonly mustYield: () => Promise<boolean>;
}

/** A few times at most. `yields`: more urgent work waits. Errors: those of the mirror's job; FTP_FAILED. */
export async function fetchFolder(fetch: Fetch): Promise<KeptFolder | 'yields'> {
  let { started } = fetch;
  for (let runs = 1; ; runs += 1) {
    const result = await mirrored({ ...fetch, started });
    if (result === 'yields') return result;
    await fetch.keep(null);
    started = null;
    if (result.stopped !== null)
      throw new GatewayError('STORAGE_FULL', `The mirror reached a limit: ${result.stopped}`);
    if (result.folder && result.folder.incomplete.length === 0) return result.folder;
    if (runs >= MOST_RUNS)
      throw new GatewayError('FTP_FAILED', `Files of ${fetch.folder} are still growing or could not be fetched whole.`);
  }
}

async function mirrored(fetch: Fetch): Promise<MirrorResult | 'yields'> {
  const { host, unitId, folder, job, started, keep } = fetch;
  const id = started ?? (await startMirror(host, unitId, folder));
  if (id !== started) await keep(id);
  for (let looks = 1; ; looks += 1) {
    const present = await host.jobs.get(id);
    if (present?.state === 'done') return present.result as MirrorResult;
    if (present?.state === 'failed') {
      await keep(null);
      throw new GatewayError('FTP_FAILED', `The mirror (job ${id}) failed: ${present.error?.detail ?? 'unknown'}`);
    }
    if (!present || present.state === 'cancelled') {
      await keep(null);
      throw new GatewayError('STOPPING', `The mirror (job ${id}) was cancelled.`);
    }
    if (looks % LOOKS_BETWEEN === 0 && (await fetch.mustYield())) return 'yields';
    await sleep(host.clock, LOOK_MS, job.signal);
  }
}

/** The mirror can switch FTP on, and off at its end: if FTP must be off afterwards, it is started again. */
export async function leaveToMirror(
  host: Host,
  unitId: string,
  present: number | null,
  switchOff: (() => Promise<void>) | null,
  signal: AbortSignal,
): Promise<number> {
  if (present !== null && !switchOff) return present;
  if (present !== null) await host.jobs.cancel(present);
  while (present !== null && (await host.jobs.get(present))?.state === 'running')
    await sleep(host.clock, LOOK_MS, signal);
  await switchOff?.();
  return (await host.jobs.startOnce(MIRROR, unitId, {})).job.id;
}

async function startMirror(host: Host, unitId: string, folder: string): Promise<number> {
  if (!host.jobs.knows(MIRROR))
    throw new GatewayError('NOT_READY', 'The plugin mirror, which fetches the files, is not loaded.');
  return (await host.jobs.start(MIRROR, unitId, { folder, byPerson: true })).id;
}

/** Files and bytes below a folder of the card, as it lists them now. Errors: those of the card. */
export function countOnCard(
  host: Host,
  unitId: string,
  folder: string,
  caller: Caller,
): Promise<{ readonly files: number; readonly bytes: number }> {
  return visited(host, unitId, caller, async (visit) => {
    let files = 0;
    let bytes = 0;
    const waiting = [folder];
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      for (const entry of await listed(visit, path)) {
        if (entry.isDir) waiting.push(entry.path);
        else files += 1;
        bytes += entry.size;
      }
    }
    return { files, bytes };
  });
}
