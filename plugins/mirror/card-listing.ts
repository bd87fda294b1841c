/** Lists a card: all mirrored folders, with the folders below them. */
import { type CardVisit, type FileEntry, GatewayError, isGatewayError } from '../../lib/index.ts';

const MOST_FILES = 100_000;
const MOST_FOLDERS = 5_000;

/** By path. */
export type Listed = ReadonlyMap<string, FileEntry>;

/** `folders`: paths on the card; a missing folder is left out. */
export async function listAll(card: CardVisit, folders: readonly string[]): Promise<Listed> {
  const listed = new Map<string, FileEntry>();
  const waiting = [...folders];
  const visited = new Set<string>();
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (visited.has(path)) continue;
    visited.add(path);
    for (const entry of await listFolder(card, path)) {
      if (entry.isDir) waiting.push(entry.path);
      else listed.set(entry.path, entry);
    }
    if (visited.size > MOST_FOLDERS || listed.size > MOST_FILES)
      throw new GatewayError(
        'FTP_FAILED',
        `There are more than ${MOST_FILES} files or ${MOST_FOLDERS} folders on the card.`,
      );
  }
  return listed;
}

/** A missing folder is empty: another card may have other folders. */
export async function listFolder(card: CardVisit, path: string): Promise<readonly FileEntry[]> {
  try {
    const entries = await card.list(path);
    // No file system has a name twice: repeated entries are not from the card.
    return [...new Map(entries.toReversed().map((entry) => [entry.path, entry])).values()].toReversed();
  } catch (error) {
    if (isGatewayError(error, 'FILE_NOT_FOUND')) return [];
    throw error;
  }
}

/** For `/a/b.rnd`: `/a`. */
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';

/** With the time of day if the listing has it. */
export const listedText = ({ modified, modifiedAt }: FileEntry): string => modifiedAt ?? modified;

/** The files of each folder. */
export function* byFolder(listed: Listed): Generator<readonly FileEntry[]> {
  const folders = Map.groupBy(listed.values(), ({ path }) => folderOf(path));
  yield* folders.values();
}
