/**
 * Manual stores: one file for a store name, one row for an address. Captured: `Manual_0019/NL_0001_SLM_MAN_0019_0000.rnd`.
 * Inferred from the column `Address`: that all addresses share the file, in order. The channels that were on at the first
 * store give the columns of the file.
 */
import type { DisplayValues, PerChannel, StoreLabel } from '../contract.ts';
import type { Content } from './content.ts';
import { CardProblem, type Disk } from './disk.ts';
import { dataFile, storeFolder } from './names.ts';
import { leqHead, type ManualValues, manualRow, type RowSetup } from './rows.ts';
import { find } from './tree.ts';

class ManualSheet implements Content {
  readonly #store: RowSetup;
  readonly #head: string;
  readonly #rows = new Map<number, string>();
  #size: number;

  constructor(store: RowSetup) {
    this.#store = store;
    this.#head = leqHead(store);
    this.#size = this.#head.length;
  }

  get size(): number {
    return this.#size;
  }

  has(address: number): boolean {
    return this.#rows.has(address);
  }

  row(address: number, values: ManualValues): { readonly text: string; readonly growth: number } {
    const text = manualRow(address, this.#store, values);
    return { text, growth: text.length - (this.#rows.get(address)?.length ?? 0) };
  }

  put(address: number, text: string): void {
    this.#size += text.length - (this.#rows.get(address)?.length ?? 0);
    this.#rows.set(address, text);
  }

  *read(): Generator<Uint8Array> {
    const rows = [...this.#rows].sort(([a], [b]) => a - b).map(([, text]) => text);
    yield Buffer.from(this.#head + rows.join(''), 'latin1');
  }
}

/** Puts the row of an address, in place of an older row. Throws a CardProblem. */
export function storeManual(
  disk: Disk,
  home: string,
  store: StoreLabel,
  measuredMs: number,
  values: PerChannel<DisplayValues>,
): void {
  if (!disk.inserted) throw new CardProblem('missing');
  const folder = `${home}/${storeFolder('Manual', store.storeName)}`;
  const path = `${folder}/${dataFile('MAN', store.indexNumber, store.storeName, 0)}`;
  const endedAt = store.startedAt + measuredMs;
  const present = find(disk.root, path);
  const known = present?.kind === 'file' && present.content instanceof ManualSheet ? present.content : null;
  const sheet = known ?? new ManualSheet({ setup: store.setup, form: store.form });
  const { text, growth } = sheet.row(store.address, { startedAt: store.startedAt, measuredMs, values });
  if (growth + (known ? 0 : sheet.size) > disk.free) throw new CardProblem('full');
  const file = known ? present : disk.file(path, sheet, endedAt);
  disk.grow(growth);
  sheet.put(store.address, text);
  if (file?.kind === 'file') file.modifiedAt = endedAt;
}

/** Whether any file of the store name has the address. */
export function manualExists(disk: Disk, home: string, storeName: number, address: number): boolean {
  const folder = find(disk.root, `${home}/${storeFolder('Manual', storeName)}`);
  if (folder?.kind !== 'folder') return false;
  return [...folder.entries.values()].some(
    (entry) => entry.kind === 'file' && entry.content instanceof ManualSheet && entry.content.has(address),
  );
}
