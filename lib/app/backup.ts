/**
 * A backup while the gateway runs: one archive with the whole data folder, databases as consistent copies. The key of the
 * stored credentials is not in it. `slm restore` restores it.
 */
import { mkdtemp, readdir, rm, stat, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { Clock } from '../clock.ts';
import { GatewayError, messageOf } from '../errors.ts';
import type { Route } from '../http/contract.ts';
import { stream } from '../http/reply.ts';
import type { Log } from '../log.ts';
import { type ArchivedFile, type TarEntry, tarOf, unlessGone } from './tar.ts';

interface BackupParts {
  readonly dataDir: string;
  readonly version: string;
  /** Makes a consistent copy of each database. Keys: names in the data folder. */
  readonly copies: Readonly<Record<string, (file: string) => Promise<void>>>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Copies under way. If a crash leaves them behind, the next start removes them. */
const DRAFT = '.backup-draft-';
/** `slm restore` reads this format. */
const FORMAT = 'slm-backup';
const FORMAT_VERSION = 1;
/** For other files: free space that the copies must leave, bytes. */
const SPARE = 50_000_000;
/**
 * Not in a backup: old copies; the identity on PostgreSQL; sessions (a restored backup must not sign people in again);
 * locks of this process; files of databases that are copied.
 */
const NOT_TAKEN =
  /^(copies|instance\.json|sessions\.json|\.backup-draft-.*|.*\.lock|.*\.lock-journal|.*\.db(-wal|-shm|-journal)?)$/;

/** Removes the copies that an earlier process left behind. */
export async function forgetDrafts(dataDir: string): Promise<void> {
  const names = await readdir(dataDir).catch(() => []);
  for (const name of names.filter((name) => name.startsWith(DRAFT)))
    await rm(join(dataDir, name), { recursive: true, force: true });
}

/** `POST /_backup`: sends the archive while it is made. Errors: STORAGE_FULL, STORAGE_FAILED. */
export const backupRoute = (parts: BackupParts): Route => ({
  method: 'POST',
  path: '/_backup',
  access: 'admin',
  summary: 'Make a backup and download it: one archive with all data except the key',
  description:
    'A tar archive, compressed with gzip: the databases as they are at this moment, API keys as hashes, audit log, and the files of the mirror. The last file is manifest.json with the SHA-256 of each; an archive without it is not whole.',
  answer: 'file',
  contentTypes: ['application/gzip'],
  errors: ['STORAGE_FULL', 'STORAGE_FAILED'],
  async handle() {
    const draft = await copiesIn(parts);
    const madeAt = new Date(parts.clock.now()).toISOString();
    const manifest = (entries: readonly TarEntry[]) =>
      JSON.stringify(
        { format: FORMAT, format_version: FORMAT_VERSION, version: parts.version, made_at: madeAt, files: entries },
        undefined,
        1,
      );
    const tar = await tarOf(filesOf(parts.dataDir, draft), {
      name: 'manifest.json',
      modifiedMs: parts.clock.now(),
      text: manifest,
    });
    const gzip = pipeline(tar, createGzip({ level: 1 }), (error) => {
      if (error) parts.log.warn({ reason: messageOf(error) }, 'a backup broke off');
      rm(draft, { recursive: true, force: true }).catch(() => {});
    });
    const name = `slm-backup-${madeAt.slice(0, 19).replaceAll(':', '-')}.tar.gz`;
    return stream({ contentType: 'application/gzip', stream: gzip, name });
  },
});

async function copiesIn({ dataDir, copies, log }: BackupParts): Promise<string> {
  await needRoom(dataDir, Object.keys(copies));
  const draft = await mkdtemp(join(resolve(dataDir), DRAFT));
  try {
    for (const [name, copy] of Object.entries(copies)) await copy(join(draft, name));
    return draft;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (error instanceof GatewayError) throw error;
    log.error({ err: error }, 'a backup could not be made');
    throw new GatewayError('STORAGE_FAILED', 'The copies of the databases could not be made. The log has the reason.');
  }
}

async function needRoom(dataDir: string, names: readonly string[]): Promise<void> {
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(dataDir, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  const needed = sizes.reduce((sum, size) => sum + size, SPARE);
  const { bavail, bsize } = await statfs(dataDir);
  if (bavail * bsize >= needed) return;
  const mb = Math.ceil(needed / 1_000_000);
  throw new GatewayError('STORAGE_FULL', `A backup needs ${mb} MB of space in the data folder for its copies.`);
}

async function* filesOf(dataDir: string, draft: string): AsyncGenerator<ArchivedFile> {
  for (const name of await readdir(draft)) yield { name, path: join(draft, name) };
  yield* below(dataDir, '', (name) => !NOT_TAKEN.test(name));
}

/** Links are not followed: their targets are not in the data folder. */
async function* below(folder: string, prefix: string, wanted = (_name: string) => true): AsyncGenerator<ArchivedFile> {
  for (const entry of (await readdir(folder, { withFileTypes: true }).catch(unlessGone)) ?? []) {
    const [name, path] = [`${prefix}${entry.name}`, join(folder, entry.name)];
    if (!wanted(entry.name)) continue;
    if (entry.isDirectory()) yield* below(path, `${name}/`);
    else if (entry.isFile()) yield { name, path };
  }
}
