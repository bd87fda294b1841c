/**
 * Entries of the journal, and their effect on the hours in memory: after a crash, and on a computer that takes over.
 */
import { FLAGS, type Flag } from '../../domain/flags.ts';
import type { Range, Restated } from '../contract.ts';
import { UNNAMED } from '../rows/columns.ts';
import type { OpenHours } from '../stored/open-hours.ts';
import { restated } from '../stored/restated.ts';
import { visitRows } from '../write-queue.ts';

/**
 * Rows of some series, with the names of their levels (no names: those of the first release). Or a change, so that
 * removed rows stay removed, doubtful rows doubtful, and moved rows moved. `Series`: in the file of a computer its
 * number there.
 */
export type JournalHead<Series = number> =
  | { readonly series: readonly Series[]; readonly levels?: readonly string[] }
  | { readonly removed: readonly Series[]; readonly from: number; readonly to: number }
  | { readonly doubted: Series; readonly flag: Flag; readonly from: number; readonly to: number }
  | Stated<Series>;

/** Rows of the other series in a span (seconds since 1970) belong to this series, and are no longer doubtful. */
export interface Stated<Series = number> extends Range {
  readonly stated: Series;
  readonly others: readonly Series[];
}

export interface JournalEntry<Series = number> {
  readonly head: JournalHead<Series>;
  /** In the format of `PackedRows`. */
  readonly rows: Uint8Array;
}

export function renamed<From, To>(head: JournalHead<From>, name: (series: From) => To): JournalHead<To> {
  if ('series' in head) return { ...head, series: head.series.map(name) };
  if ('removed' in head) return { ...head, removed: head.removed.map(name) };
  if ('doubted' in head) return { ...head, doubted: name(head.doubted) };
  return { ...head, stated: name(head.stated), others: head.others.map(name) };
}

/** Applies the entry to the hours. Returns how many of its rows existed already. */
export function applyEntry({ head, rows }: JournalEntry, hours: OpenHours, journalId: number): number {
  if ('series' in head) return takeRows(rows, head.levels ?? UNNAMED, head.series, hours, journalId);
  if ('removed' in head) removeAgain(head.removed, head, hours);
  else if ('doubted' in head) doubtAgain(head.doubted, head, hours);
  else restateAgain(head, hours, journalId);
  return 0;
}

export function takeRows(
  rows: Uint8Array,
  levels: readonly string[],
  ids: readonly number[],
  hours: OpenHours,
  journalId: number,
): number {
  let duplicates = 0;
  visitRows(Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength), levels, (index, at, row, samples) => {
    const series = ids[index] ?? 0;
    if (!hours.open(series, Math.floor(at / 3_600), journalId).add(row, samples)) duplicates += 1;
  });
  return duplicates;
}

/** Applies a statement about the weighting to one hour in memory. */
export function restatedRows(
  hour: number,
  stated: Stated,
  hours: OpenHours,
  journalId: number,
): Pick<Restated, 'moved' | 'confirmed'> {
  const rows = hours.open(stated.stated, hour, journalId);
  const others = stated.others.flatMap((other) => hours.get(other, hour) ?? []);
  return restated(rows, others, hour, stated);
}

function doubtAgain(series: number, { flag, from, to }: Range & { readonly flag: Flag }, hours: OpenHours): void {
  const bit = FLAGS.indexOf(flag);
  for (const { series: id, hour, rows } of hours.held())
    if (id === series && bit >= 0 && hour * 3_600 < to && hour * 3_600 + 3_600 > from)
      rows.flag(Math.max(0, from - hour * 3_600), Math.min(3_600, to - hour * 3_600), bit);
}

/** Rows of the journal are in memory again, unchanged; rows of other hours were moved on the disk. */
function restateAgain(entry: Stated, hours: OpenHours, journalId: number): void {
  const held = [...hours.held()].filter(({ series }) => series === entry.stated || entry.others.includes(series));
  for (const hour of new Set(held.map((one) => one.hour)))
    if (hour * 3_600 < entry.to && hour * 3_600 + 3_600 > entry.from) restatedRows(hour, entry, hours, journalId);
}

function removeAgain(series: readonly number[], { from, to }: Range, hours: OpenHours): void {
  for (const { series: id, hour, rows } of [...hours.held()]) {
    if (!series.includes(id)) continue;
    const first = Math.max(0, from - hour * 3_600) / 60;
    const after = Math.min(3_600, to - hour * 3_600) / 60;
    if (after > first) rows.remove(first, after);
  }
}
