/**
 * The stores of a card. One Auto store: a folder with a header, Leq files and Lp files that grow while the measurement runs and are split.
 *
 *   Auto_0019/  Auto_Leq/    NL_0001_SLM_Leq_0019_0001.rnd   next file after 60,000 records
 *               Auto_Lp_01/  NL_0001_SLM_Lp _0019_0001.rnd   next file after an hour of measured time
 *               Auto_Lp_02/  ...                              next folder after 1,000 files
 *               NL_0001_SLM_0019.rnh
 *
 * Limits from the manual of the SV series, ch. 10.7. Inferred: the hour counts from the start and not from the clock; numbers
 * of files and addresses go on through the whole store.
 *
 * Manual stores: one file for a store name, one row for an address. Captured: `Manual_0019/NL_0001_SLM_MAN_0019_0000.rnd`. Inferred from the
 * column `Address`: that all addresses share the file, in order. The channels that were on at the first store give its columns.
 */
import { CHANNELS } from '../../lib/drivers/nl43/spec/layouts.ts';
import type { Block, DisplayValues, OpenStore, PerChannel, StoreLabel } from '../contract.ts';
import type { Content } from './content.ts';
import { CardProblem, type Disk, type GrowingFile } from './disk.ts';
import { dataFile, headerFile, LEQ_FOLDER, lpFolder, storeFolder } from './names.ts';
import {
  label as channelLabel,
  leqHead,
  leqRow,
  lpHead,
  lpRow,
  type ManualValues,
  manualRow,
  type RowSetup,
} from './rows.ts';
import { find } from './tree.ts';

export interface SplitLimits {
  readonly leqRecords: number;
  readonly lpFileMs: number;
  readonly lpFilesPerFolder: number;
}

export const SPLITS: SplitLimits = Object.freeze({
  leqRecords: 60_000,
  lpFileMs: 3_600_000,
  lpFilesPerFolder: 1_000,
});

/** Throws a CardProblem where not even the first files find room. */
export function openAutoStore(disk: Disk, home: string, store: StoreLabel, limits: SplitLimits): OpenStore {
  const folder = `${home}/${storeFolder('Auto', store.storeName)}`;
  disk.folder(folder, store.startedAt);
  const leq = store.leqIntervalMs === null ? null : leqSeries(disk, folder, store, limits);
  const lp = store.lpIntervalMs === null ? null : lpSeries(disk, folder, store, limits, store.lpIntervalMs);
  disk.file(`${folder}/${headerFile(store.indexNumber, store.storeName)}`, bytes(storeHeader(store)), store.startedAt);
  let open = true;
  return {
    lp: (block, deviceTime) => void (open && lp?.take(block, deviceTime)),
    leq: (block, deviceTime) => void (open && leq?.take(block, deviceTime)),
    close() {
      open = false;
      lp?.end();
      leq?.end();
    },
  };
}

interface Series {
  take(block: Block, deviceTime: number): void;
  end(): void;
}

function leqSeries(disk: Disk, folder: string, store: StoreLabel, { leqRecords }: SplitLimits): Series {
  const path = (sequence: number) =>
    `${folder}/${LEQ_FOLDER}/${dataFile('Leq', store.indexNumber, store.storeName, sequence)}`;
  return series(disk, { path, head: leqHead(store), row: leqRow, perFile: leqRecords }, store);
}

function lpSeries(disk: Disk, folder: string, store: StoreLabel, limits: SplitLimits, intervalMs: number): Series {
  const path = (sequence: number) => {
    const part = lpFolder(Math.ceil(sequence / limits.lpFilesPerFolder));
    return `${folder}/${part}/${dataFile('Lp', store.indexNumber, store.storeName, sequence)}`;
  };
  const perFile = Math.max(1, Math.round(limits.lpFileMs / intervalMs));
  return series(disk, { path, head: lpHead(store), row: lpRow, perFile }, store);
}

interface Shape {
  path(sequence: number): string;
  readonly head: string;
  readonly row: typeof lpRow;
  readonly perFile: number;
}

/** Files one after another. The first is there from the start; the next is begun by the row that no longer fits. */
function series(disk: Disk, shape: Shape, store: StoreLabel): Series {
  const cut = store.form?.cut ?? false;
  let sequence = 1;
  let file: GrowingFile | null = disk.rows(shape.path(1), shape.head, store.startedAt, cut);
  let number = 0;
  return {
    take(block, deviceTime) {
      if (number > 0 && number % shape.perFile === 0) {
        file?.close();
        file = null;
      }
      number++;
      file ??= nextFile(disk, shape.path(++sequence), shape.head, { at: deviceTime, cut });
      const end = deviceTime + (block.to - block.from);
      if (file) file.write(shape.row(number, store, block, deviceTime), end);
      else {
        sequence--;
        disk.lose();
      }
    },
    end: () => file?.close(),
  };
}

function nextFile(
  disk: Disk,
  path: string,
  head: string,
  { at, cut }: { readonly at: number; readonly cut: boolean },
): GrowingFile | null {
  try {
    return disk.rows(path, head, at, cut);
  } catch (problem) {
    if (problem instanceof CardProblem) return null;
    throw problem;
  }
}

const bytes = (text: string) => ({ size: text.length, read: () => [Buffer.from(text, 'latin1')] });

// The `.rnh` header of an Auto store: `CSV`, then sections of `key,value` lines. It has the percentage of each
// LN column, but no times of the measurement. The shape is inferred from programs that read such files; keys inferred,
// spelt like the commands of the same things.

function storeHeader(label: StoreLabel): string {
  const four = (value: number) => String(value).padStart(4, '0');
  const lines = [
    'CSV',
    '[System]',
    `Type,${label.model}`,
    `Serial Number,${label.serial}`,
    `Index Number,${four(label.indexNumber)}`,
    '[Store]',
    `Store Mode,${label.mode}`,
    `Store Name,${four(label.storeName)}`,
    `Lp Store Interval,${interval(label.lpIntervalMs)}`,
    `Leq Calculation Interval,${interval(label.leqIntervalMs)}`,
    '[Channel]',
    ...CHANNELS.flatMap((channel) => channelLines(label, channel)),
    '[Percentile]',
    ...label.setup.percentiles.map((percent, at) => `Percentile ${at + 1},${percent}`),
  ];
  return `${lines.join('\r\n')}\r\n`;
}

function channelLines(label: StoreLabel, channel: (typeof CHANNELS)[number]): string[] {
  const setup = label.setup.channels[channel];
  const name = channelLabel(channel);
  if (channel !== 'main' && !setup.on) return [`Channel (${name}),Off`];
  return [
    `Channel (${name}),On`,
    `Frequency Weighting (${name}),${setup.frequency}`,
    `Time Weighting (${name}),${setup.time}`,
  ];
}

/** `100ms`, `1s`, `15m`, `8h`: the words of the interval commands. */
function interval(ms: number | null): string {
  if (ms === null) return 'Off';
  for (const [unit, size] of [
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1_000],
  ] as const) {
    if (ms % size === 0) return `${ms / size}${unit}`;
  }
  return `${ms}ms`;
}

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

export function manualExists(disk: Disk, home: string, storeName: number, address: number): boolean {
  const folder = find(disk.root, `${home}/${storeFolder('Manual', storeName)}`);
  if (folder?.kind !== 'folder') return false;
  return [...folder.entries.values()].some(
    (entry) => entry.kind === 'file' && entry.content instanceof ManualSheet && entry.content.has(address),
  );
}
