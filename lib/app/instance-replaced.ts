/**
 * An instance that ended because another process has joined under its id, as on a copied computer. Its supervisor starts it again: if it joined at once then, the two would replace each other for
 * ever. So it leaves a mark in its data folder, and looks first whether the other one runs.
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../access/replace-file.ts';
import { sleep } from '../clock.ts';
import { CLUSTER_TIMES } from '../cluster/times.ts';
import { messageOf } from '../errors.ts';
import { StoreError } from '../store/problem.ts';
import type { InstanceParts } from './instance-parts.ts';

const FILE = 'instance-replaced.json';

/** Leaves the mark. Never rejects: without it the next start joins at once. */
export async function markReplaced({ settings, id, log }: InstanceParts): Promise<void> {
  await replaceFile(join(settings.data_dir, FILE), `${JSON.stringify({ member: id })}\n`).catch((error: unknown) => {
    log.warn({ reason: messageOf(error) }, `${FILE} cannot be written: the next start looks for no other process`);
  });
}

/**
 * Without a mark it resolves at once. With one it resolves, and the mark is gone, when no process with this id has given a sign of life for the time after which one that is silent is taken over. Throws
 * StoreError `in-use` as soon as there is one, and the reason of `stopping`.
 */
export async function refuseReplaced(
  { settings, store, id, clock, log, stopping }: InstanceParts,
  inTime: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>,
): Promise<void> {
  const path = join(settings.data_dir, FILE);
  if (!(await isMarked(path, id))) return;
  const look = async () => {
    const row = (await inTime((signal) => store.members(signal))).find((one) => one.id === id && one.open);
    return row && `${row.epoch} ${row.beat}`;
  };
  const first = await look();
  const end = clock.elapsed() + CLUSTER_TIMES.takeMs;
  log.warn(
    { seconds: CLUSTER_TIMES.takeMs / 1_000 },
    'another process had the id of this instance: it waits until that one has given no sign of life for so long',
  );
  while (clock.elapsed() < end) {
    await sleep(clock, CLUSTER_TIMES.beatMs, stopping);
    const now = await look();
    if (now === undefined || now === first) continue;
    throw new StoreError(
      'in-use',
      `another process runs as the instance of the data folder ${settings.data_dir}: stop that one; ` +
        'if the computer was copied, give the copy another name and remove instance.json from its data folder',
    );
  }
  await rm(path, { force: true });
}

/** One that cannot be read is one. One of another id is of the time before `instance.json` was removed. */
async function isMarked(path: string, id: string): Promise<boolean> {
  try {
    return JSON.parse(await readFile(path, 'utf8')).member === id;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ENOENT');
  }
}
