/** A folder of the card as a ZIP: first all listings, one session each, then one file after another. */
import { type Card, type FileEntry, GatewayError, stream, type ZipEntry, zipStream } from '../../lib/index.ts';

const MOST_FILES = 100_000;
const MOST_FOLDERS = 2_000;
const DEEPEST = 16;

export async function archiveOf(card: Card, path: string, signal: AbortSignal) {
  const files = await filesBelow(card, path, signal);
  const folder = path.replace(/\/+$/, '');
  const entries = files.map(
    (entry): ZipEntry => ({
      path: entry.path.slice(folder.length),
      size: entry.size || undefined,
      modifiedAt: entry.modifiedAt === undefined ? undefined : Date.parse(`${entry.modifiedAt}Z`),
      open: async () => (await opened(card, entry, signal)).stream,
    }),
  );
  const name = `${folder.split('/').at(-1) || 'card'}.zip`;
  return stream({ contentType: 'application/zip', stream: zipStream(entries), name });
}

const opened = (card: Card, { path, size }: FileEntry, signal: AbortSignal) =>
  size === 0 ? card.download(path, signal) : card.open(path, { from: 0, to: size }, signal);

async function filesBelow(card: Card, path: string, signal: AbortSignal): Promise<FileEntry[]> {
  const files: FileEntry[] = [];
  const waiting = [{ path, depth: 0 }];
  for (let folders = 0; ; folders += 1) {
    const next = waiting.shift();
    if (!next) return files;
    if (folders >= MOST_FOLDERS || files.length > MOST_FILES || next.depth > DEEPEST)
      throw new GatewayError('FTP_FAILED', `There is too much below ${path} for one ZIP; choose a smaller folder.`);
    for (const entry of await card.list(next.path, signal)) {
      if (entry.isDir) waiting.push({ path: entry.path, depth: next.depth + 1 });
      else files.push(entry);
    }
  }
}
