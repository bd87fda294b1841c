/** Folders and files in memory: names, times, contents. Knows nothing of meters, free space or FTP. */
import { posix } from 'node:path';
import type { Content } from './content.ts';

export interface FileNode {
  readonly kind: 'file';
  readonly content: Content;
  modifiedAt: number;
}

export interface FolderNode {
  readonly kind: 'folder';
  readonly modifiedAt: number;
  /** In the order in which they were made, as a directory of the card has them. */
  readonly entries: Map<string, TreeNode>;
}

export type TreeNode = FileNode | FolderNode;

export const emptyFolder = (modifiedAt: number): FolderNode => ({ kind: 'folder', modifiedAt, entries: new Map() });

/** The names of a path from the root on; `.` and `..` are resolved and cannot leave the root. */
const names = (path: string): string[] => posix.resolve('/', path).split('/').filter(Boolean);

/** Null where nothing is. The path is absolute. */
export function find(root: FolderNode, path: string): TreeNode | null {
  let node: TreeNode = root;
  for (const name of names(path)) {
    const next: TreeNode | undefined = node.kind === 'folder' ? node.entries.get(name) : undefined;
    if (!next) return null;
    node = next;
  }
  return node;
}

/** The folder at a path; missing folders on the way are made. Throws if a file has that name. */
export function makeFolder(root: FolderNode, path: string, modifiedAt: number): FolderNode {
  let folder = root;
  for (const name of names(path)) {
    const next: TreeNode = folder.entries.get(name) ?? emptyFolder(modifiedAt);
    if (next.kind === 'file') throw new TypeError(`${path}: ${name} is a file`);
    folder.entries.set(name, next);
    folder = next;
  }
  return folder;
}

export function putFile(root: FolderNode, path: string, content: Content, modifiedAt: number): FileNode {
  const { dir, base } = posix.parse(posix.resolve('/', path));
  const folder = makeFolder(root, dir, modifiedAt);
  if (!base || folder.entries.get(base)?.kind === 'folder') throw new TypeError(`${path} is a folder`);
  const file: FileNode = { kind: 'file', content, modifiedAt };
  folder.entries.set(base, file);
  return file;
}

/** Nothing happens where nothing is. */
export function remove(root: FolderNode, path: string): void {
  const { dir, base } = posix.parse(posix.resolve('/', path));
  const folder = find(root, dir);
  if (folder?.kind === 'folder') folder.entries.delete(base);
}

export function bytesUnder(node: TreeNode | null): number {
  if (!node) return 0;
  if (node.kind === 'file') return node.content.size;
  let bytes = 0;
  for (const entry of node.entries.values()) bytes += bytesUnder(entry);
  return bytes;
}
