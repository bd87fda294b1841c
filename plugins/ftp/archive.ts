/** A folder of the card as a ZIP: first all listings, then one file after another, with one login. */
import {
  type Card,
  type CardCaller,
  type CardVisit,
  type FileEntry,
  GatewayError,
  stream,
  type ZipEntry,
  zipStream,
} from '../../lib/index.ts';

const MOST_FILES = 100_000;
const MOST_FOLDERS = 2_000;
const DEEPEST = 16;

/** Errors: those of listings, and FTP_FAILED where there is too much for one ZIP. */
export async function archiveOf(card: Card, path: string, caller: CardCaller) {
  const visit = card.visit(caller);
  const files = await filesBelow(visit, path);
  const folder = path.replace(/\/+$/, '');
  const entries = files.map(
    (entry): ZipEntry => ({
      path: entry.path.slice(folder.length),
      size: entry.size || undefined,
      modifiedAt: entry.modifiedAt === undefined ? undefined : Date.parse(`${entry.modifiedAt}Z`),
      open: async () => (await opened(visit, entry)).stream,
    }),
  );
  const name = `${folder.split('/').at(-1) || 'card'}.zip`;
  const zip = zipStream(entries);
  zip.once('close', () => void visit.close());
  return stream({ contentType: 'application/zip', stream: zip, name });
}

const opened = (visit: CardVisit, { path, size }: FileEntry) =>
  size === 0 ? visit.download(path) : visit.open(path, { from: 0, to: size });

async function filesBelow(visit: CardVisit, path: string): Promise<FileEntry[]> {
  const files: FileEntry[] = [];
  const waiting = [{ path, depth: 0 }];
  for (let folders = 0; ; folders += 1) {
    const next = waiting.shift();
    if (!next) return files;
    if (folders >= MOST_FOLDERS || files.length > MOST_FILES || next.depth > DEEPEST)
      throw new GatewayError('FTP_FAILED', `There is too much below ${path} for one ZIP; choose a smaller folder.`);
    for (const entry of await visit.list(next.path)) {
      if (entry.isDir) waiting.push({ path: entry.path, depth: next.depth + 1 });
      else files.push(entry);
    }
  }
}
