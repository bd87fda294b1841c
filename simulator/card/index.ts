/**
 * The SD card of a meter, in memory: the tree that a field card had, stores that the meter writes, and whatever a test puts
 * there. Serves no FTP. Times are device times, sizes in MB are of 1,048,576 bytes.
 */
import { posix } from 'node:path';
import type { Card, CardEntry, CardTree, StoreLabel } from '../contract.ts';
import { generated, givenBytes } from './content.ts';
import { CardProblem, Disk, MB } from './disk.ts';
import { screenshot } from './media.ts';
import { screenshotFile, storeFolder } from './names.ts';
import { addSampleStores } from './sample-stores.ts';
import { manualExists, openAutoStore, SPLITS, type SplitLimits, storeManual } from './stores.ts';
import { find, type TreeNode } from './tree.ts';

export { generate } from './content.ts';
export { CardProblem } from './disk.ts';
export { recording } from './media.ts';
export { addSampleStores } from './sample-stores.ts';
export type { SplitLimits } from './stores.ts';

interface CardOptions {
  readonly model: StoreLabel['model'];
  readonly totalMb: number;
  /** For the contents that are made up. */
  readonly seed: number;
  readonly startedAt: number;
  /** Where files and folders of an Auto store are split; by default at the limits of the meter. */
  readonly splits?: Partial<SplitLimits>;
}

/**
 * A card as found in the field: the meter's own folder with a screenshot, the empty folder and the picture of the camera
 * that had it before. No stores; `addSampleStores` adds some.
 */
export function createCard({ model, totalMb, seed, startedAt, splits }: CardOptions): Card & CardTree {
  let disk = new Disk(totalMb * MB, startedAt);
  const home = `/${model}`;
  const limits = { ...SPLITS, ...splits };
  const openStores = new Map<number, () => void>();
  unpack(disk, home, seed, startedAt);

  const look = (path: string) => (disk.inserted ? find(disk.root, path) : null);
  const autoFolder = (storeName: number) => `${home}/${storeFolder('Auto', storeName)}`;

  const card: Card & CardTree = {
    model,
    get startedAt() {
      return disk.madeAt;
    },
    get totalMb() {
      return disk.totalMb;
    },
    get inserted() {
      return disk.inserted;
    },
    get freeMb() {
      return disk.inserted ? Math.floor(disk.free / MB) : 0;
    },
    get lostRows() {
      return disk.lostRows;
    },
    exists(mode, storeName, address) {
      if (!disk.inserted) return false;
      return mode === 'Auto'
        ? find(disk.root, autoFolder(storeName)) !== null
        : manualExists(disk, home, storeName, address);
    },
    openAuto(label) {
      openStores.get(label.storeName)?.();
      disk.remove(autoFolder(label.storeName));
      const store = openAutoStore(disk, home, label, limits);
      openStores.set(label.storeName, store.close);
      return store;
    },
    storeManual: (label, measuredMs, values) => storeManual(disk, home, label, measuredMs, values),
    addFile(path, content, modifiedAt) {
      const made = content instanceof Uint8Array ? givenBytes(content) : generated(content.bytes, content.seed);
      disk.file(path, made, modifiedAt);
    },
    addFolder: (path, modifiedAt) => disk.folder(path, modifiedAt),
    eject() {
      disk.inserted = false;
    },
    insert() {
      disk.inserted = true;
    },
    exchange({ totalMb: size = disk.totalMb, startedAt: since = disk.madeAt, stores }) {
      disk.inserted = false;
      openStores.clear();
      disk = new Disk(size * MB, since);
      unpack(disk, home, seed + 1, since);
      if (stores) addSampleStores(card, { ...stores, at: since, seed: seed + 1 });
    },
    fill: (freeMb) => disk.leaveFree(freeMb * MB),

    entry(path) {
      const node = look(path);
      return node && describe(posix.basename(posix.resolve('/', path)) || '/', node);
    },
    list(path) {
      const node = look(path);
      return node?.kind === 'folder' ? [...node.entries].map(([name, entry]) => describe(name, entry)) : null;
    },
    read(path) {
      const node = look(path);
      return node?.kind === 'file' ? whileInserted(disk, node.content.read()) : null;
    },
  };
  return card;
}

const SCREENSHOT_BEFORE_MS = 12 * 60_000;

/** Captured: `DCIM`, empty, and a foreign picture next to the meter's folder; the fourth entry of that root is not known. */
function unpack(disk: Disk, home: string, seed: number, at: number): void {
  disk.folder(home, at);
  disk.folder('/DCIM', at);
  disk.file('/NIKON001.DSC', generated(512, seed), at);
  const takenAt = at - SCREENSHOT_BEFORE_MS;
  disk.folder(`${home}/Screenshot`, takenAt);
  disk.file(`${home}/Screenshot/${screenshotFile(1, takenAt)}`, screenshot(seed), takenAt);
}

const describe = (name: string, node: TreeNode): CardEntry => ({
  name,
  folder: node.kind === 'folder',
  size: node.kind === 'file' ? node.content.size : 0,
  modifiedAt: node.modifiedAt,
});

function* whileInserted(disk: Disk, pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  for (const piece of pieces) {
    if (!disk.inserted) throw new CardProblem('missing');
    yield piece;
  }
}
