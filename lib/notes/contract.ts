/**
 * What people know of a time at a meter: notes, and exclusions, which say that a time does not count. Nothing is deleted: each change
 * is a new version, and what was stays. Who sums levels up asks for the excluded time, and leaves it out.
 */
import type { Range } from '../history/contract.ts';
import type { Versioned } from '../store/contract.ts';

/** A `note` explains a time; the levels of an `exclusion` do not count. */
export const NOTE_KINDS = Object.freeze(['note', 'exclusion'] as const);
/** `exclusion`: the time does not count. */
export type NoteKind = (typeof NOTE_KINDS)[number];

/** Why; `own_noise`: of the people who measure, `intrusion`: somebody at the microphone. */
export const NOTE_REASONS = Object.freeze([
  'calibration',
  'rain',
  'wind',
  'own_noise',
  'intrusion',
  'fault',
  'other',
] as const);
/** Why a time does not count, or what was heard. */
export type NoteReason = (typeof NOTE_REASONS)[number];

/** What a person says. Times are ms since 1970 UTC. */
export interface NoteBody {
  /** The first moment that it is about. */
  readonly from: number;
  /** The end; null: it goes on until somebody ends it. */
  readonly to: number | null;
  readonly kind: NoteKind;
  readonly reason: NoteReason;
  /** May have several lines; may be empty. */
  readonly text: string;
  /** Names of channels of the meter, small letters (`main`, `sub1`); null: all. */
  readonly channels: readonly string[] | null;
  /** It was made of what stations observed, by a rule or by a person who took up its proposal. */
  readonly observed: boolean;
}

/** One version of a note. */
export interface Note extends NoteBody, Versioned {}

/** Time that does not count, and the notes that say so. */
export interface ExcludedTime {
  /** Full seconds, ascending, not overlapping, within the span: what `History.query` leaves out. */
  readonly ranges: readonly Range[];
  /** Ids of the notes, ascending. */
  readonly notes: readonly number[];
}

/** All notes of all units; those of a unit that was removed stay, like its levels. */
export interface Notes {
  /** The last version of each note, of one unit or of all, the newest note first; `removed`: also of those that were removed. */
  list(unitId?: string, options?: { readonly removed?: boolean }): readonly Note[];
  /** The present version; undefined for one that was removed. */
  find(id: number): Note | undefined;
  /** All versions of these notes, the newest note first, its oldest version first. */
  versions(ids: readonly number[]): Promise<readonly Note[]>;
  /** Resolves when it is on the disk. Errors: INVALID for an exclusion that another one makes needless, or too many notes; STORAGE_FULL, STORAGE_FAILED. */
  add(unitId: string, body: NoteBody, by: string): Promise<Note>;
  /** The note with this body is its next version. Errors: NOTE_NOT_FOUND; as `add`. */
  change(id: number, body: NoteBody, by: string): Promise<Note>;
  /** Errors: NOTE_NOT_FOUND, STORAGE_FULL, STORAGE_FAILED. */
  remove(id: number, by: string): Promise<Note>;
  /** Of a channel (default: the main one), in a span (ms since 1970 UTC, widened to full seconds). An exclusion without an end reaches to the end of the span. */
  excluded(unitId: string, span: Range, channel?: string | null): ExcludedTime;
}
