/** Lists a card, and compares its files with the copies of the unit: new files, grown files, another card. */
import { open } from 'node:fs/promises';
import type { CardFormat, CardVisit, FileEntry } from '../../lib/built-in.ts';
import { GatewayError, isGatewayError, releaseChunk } from '../../lib/index.ts';
import { pathOfCopy } from './places.ts';
import type { MirrorStore } from './store.ts';
import type { FileRow, FileState } from './tables.ts';

const MOST_FILES = 100_000;
const MOST_FOLDERS = 5_000;

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

export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';

/** With the time of day if the listing has it. */
export const listedText = ({ modified, modifiedAt }: FileEntry): string => modifiedAt ?? modified;

export function* byFolder(listed: Listed): Generator<readonly FileEntry[]> {
  const folders = Map.groupBy(listed.values(), ({ path }) => folderOf(path));
  yield* folders.values();
}

/**
 * `same day`: one listing has the time of day, the other the year, and they fit. `other year`: only a guessed year
 * differs: the clock of the meter was set, or is years off. The bytes show whether it is another file.
 */
type TimeMatch = 'same' | 'same day' | 'other year' | 'other';

/**
 * By the clock of the meter, a listing has the time of day of a young file, and the year of an older file. The year
 * beside a time of day is a guess of the gateway. Both as `listedText` gives them.
 */
export function matchOfTimes(known: string, listed: string): TimeMatch {
  if (known === listed) return 'same';
  const [one, other] = [partsOf(known), partsOf(listed)];
  if (one.day !== other.day) return 'other';
  const isOfOneForm = (one.time === undefined) === (other.time === undefined);
  if (isOfOneForm && (one.time === undefined || one.time !== other.time)) return 'other';
  return one.year === other.year ? 'same day' : 'other year';
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function partsOf(text: string): { readonly day: string; readonly year: string; readonly time: string | undefined } {
  const [date = '', time] = text.split('T');
  const [year = '', month = '', day = ''] = date.split('-');
  if (time !== undefined) return { day: `${MONTHS[Number(month) - 1]} ${day}`, year, time };
  return { day: text.slice(0, -5), year: text.slice(-4), time: undefined };
}

interface SeenFile {
  readonly card: number;
  readonly path: string;
  readonly size: number;
  readonly modified: string;
}

/** The card in the meter, and how certain this is. */
interface FoundCard {
  readonly card: number;
  /**
   * No file is certainly the same, and this one may be. If its bytes begin like those of its copy, the number is right.
   * Otherwise the card is new, with the number `next`.
   */
  readonly asked: string | undefined;
  readonly next: number;
}

/**
 * FTP shows no number of a card. A card was seen before if one of its files is unchanged, or if a larger file begins
 * with it; a formatted card is another card. Files of measurements (`isStore`) count before other files, which are
 * similar on all cards. `present`: the last card in the meter; 0: no card. `folders`: the listed ones.
 */
export function whichCard(
  all: readonly SeenFile[],
  listed: ReadonlyMap<string, { readonly size: number; readonly modified: string }>,
  present: number,
  folders: readonly string[],
  isStore: (path: string) => boolean,
): FoundCard {
  const seen = all.filter(({ path }) => folders.some((folder) => isBelow(folder, path)));
  const next = all.reduce((most, { card }) => Math.max(most, card), 0) + 1;
  if (seen.length === 0) return { card: Math.max(1, present), asked: undefined, next };
  const cards = [...new Set(seen.map(({ card }) => card))].map((card) => {
    const files = seen.filter((file) => file.card === card);
    return { card, ...compared(files, listed, isStore) };
  });
  cards.sort((a, b) => b.share - a.share || Number(b.card === present) - Number(a.card === present));
  const [best] = cards;
  if (!best || best.share === 0) return { card: next, asked: undefined, next };
  return { card: best.card, asked: best.isSure ? undefined : best.asked, next };
}

const isBelow = (folder: string, path: string): boolean => path.startsWith(`${folder.replace(/\/+$/, '')}/`);

function compared(
  seen: readonly SeenFile[],
  listed: Parameters<typeof whichCard>[1],
  isStore: (path: string) => boolean,
): { readonly share: number; readonly isSure: boolean; readonly asked: string | undefined } {
  const stores = seen.filter(({ path }) => isStore(path));
  const counted = stores.length > 0 ? stores : seen;
  let sure = 0;
  const unsure: string[] = [];
  for (const { path, size, modified } of counted) {
    const entry = listed.get(path);
    if (!entry || entry.size < size) continue;
    const match = entry.size > size ? 'grown' : matchOfTimes(modified, entry.modified);
    if (match === 'same') sure += 1;
    else if (match !== 'other') unsure.push(path);
  }
  return { share: (sure + unsure.length) / counted.length, isSure: sure > 0, asked: unsure[0] };
}

interface HeldFile {
  readonly id: string;
  readonly size: number;
  readonly modified: string;
  readonly state: FileState;
  /** Whether its levels are in the history. */
  readonly isRead: boolean;
}

/** The copies of a unit, read once for each run: a card may have a hundred thousand files, most of them unchanged. */
export class Holdings {
  readonly seen: SeenFile[] = [];
  bytes = 0;
  readonly #cards = new Map<number, Map<string, HeldFile>>();

  static async of(store: MirrorStore, unitId: string): Promise<Holdings> {
    const holdings = new Holdings();
    holdings.bytes = await store.bytesOfVersions(unitId);
    for await (const page of store.all(unitId))
      for (const { id, card, path, size, modified, sha256, kept, half, state, parsed } of page) {
        if (sha256 !== null) holdings.seen.push({ card, path, size, modified });
        holdings.bytes += kept + half;
        const files = holdings.#cards.get(card) ?? new Map<string, HeldFile>();
        holdings.#cards.set(
          card,
          files.set(path, { id, size, modified, state, isRead: parsed !== null && parsed === sha256 }),
        );
      }
    return holdings;
  }

  file(card: number, path: string): HeldFile | undefined {
    return this.#cards.get(card)?.get(path);
  }

  /** Ids of files that are newly gone: files of other cards, and unlisted files of this card. */
  gone(present: number, listed: { has(path: string): boolean }): string[] {
    const ids: string[] = [];
    for (const [card, files] of this.#cards)
      for (const [path, { id, state }] of files)
        if (state !== 'gone_from_card' && (card !== present || !listed.has(path))) ids.push(id);
    return ids;
  }
}

/**
 * The files to read for their levels in this run: new files, and the headers of their stores. `format`: undefined if no
 * levels are read.
 */
export function unreadFiles(
  listed: Listed,
  holdings: Pick<Holdings, 'file'>,
  card: number,
  format: CardFormat | undefined,
): ReadonlySet<string> {
  if (format === undefined) return new Set();
  const isUnread = (path: string): boolean => {
    const entry = listed.get(path);
    const held = holdings.file(card, path);
    return !held?.isRead || held.size !== entry?.size || matchOfTimes(held.modified, listedText(entry)) === 'other';
  };
  const paths = [...listed.keys()];
  const levels = paths.filter((path) => format.kindOf(path) === 'levels' && isUnread(path));
  // The header of a store is in its folder, the levels are there or in subfolders.
  const folders = new Set(levels.flatMap((path) => [folderOf(path), folderOf(folderOf(path))]));
  const headers = paths.filter((path) => format.kindOf(path) === 'header' && folders.has(folderOf(path)));
  return new Set([...levels, ...headers]);
}

/** A file of levels has its time in the first of these bytes. */
const COMPARED = 4_096;

/**
 * Whether a file on a card begins with the bytes of its copy: a grown file does, a file of another card does not. True
 * also if the copy is empty.
 */
export async function beginsAs(card: CardVisit, copy: FileRow, root: string): Promise<boolean> {
  const known = await beginningOf(pathOfCopy(root, copy), Math.min(COMPARED, copy.kept));
  if (known.length === 0) return true;
  const { stream } = await card.open(copy.path, { from: 0, to: known.length });
  let at = 0;
  let isSame = true;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    isSame &&= chunk.equals(known.subarray(at, at + chunk.length));
    at += chunk.length;
    releaseChunk(chunk);
  }
  return isSame;
}

async function beginningOf(path: string, bytes: number): Promise<Buffer> {
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return Buffer.of();
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
