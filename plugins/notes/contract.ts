/**
 * Notes of people about a time at a meter, and exclusions: excluded time does not count. Nothing is deleted: each
 * change is a new version, and old versions stay. Code that sums up levels asks for the excluded time, and leaves it
 * out.
 */
import type { Range, Versioned } from '../../lib/index.ts';

/** A `note` explains a time; the levels of an `exclusion` do not count. */
export const NOTE_KINDS = Object.freeze(['note', 'exclusion'] as const);
/** `exclusion`: the time does not count. */
export type NoteKind = (typeof NOTE_KINDS)[number];

/** Reasons; `own_noise`: noise of the measuring people, `intrusion`: somebody at the microphone. */
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

/** Input of a person. Times are ms since 1970 UTC. */
export interface NoteBody {
  /** Beginning of its time. */
  readonly from: number;
  /** Its end; null: it continues until somebody ends it. */
  readonly to: number | null;
  readonly kind: NoteKind;
  readonly reason: NoteReason;
  /** May have several lines; may be empty. */
  readonly text: string;
  /** Names of channels of the meter, small letters (`main`, `sub1`); null: all. */
  readonly channels: readonly string[] | null;
  /** Made from observations of stations, by a rule or by a person who accepted its proposal. */
  readonly observed: boolean;
}

/** One version of a note. */
export interface Note extends NoteBody, Versioned {}

/** Excluded time, and its notes. */
export interface ExcludedTime {
  /** Full seconds, ascending, without overlaps, within the span: for `History.query`. */
  readonly ranges: readonly Range[];
  /** Ids of the notes, ascending. */
  readonly notes: readonly number[];
}

/** All notes of all units; notes of a removed unit stay, like its levels. */
export interface Notes {
  /** The last version of each note, of one unit or of all, the newest note first; `removed`: with removed notes. */
  list(unitId?: string, options?: { readonly removed?: boolean }): readonly Note[];
  /** The present version; undefined for a removed note. */
  find(id: number): Note | undefined;
  /** All versions of these notes, the newest note first, its oldest version first. */
  versions(ids: readonly number[]): Promise<readonly Note[]>;
  /**
   * Resolves when it is on the disk. Errors: INVALID for an exclusion that repeats another one, or for too many notes;
   * STORAGE_FULL, STORAGE_FAILED.
   */
  add(unitId: string, body: NoteBody, by: string): Promise<Note>;
  /** Stores this body as the next version of the note. Errors: NOTE_NOT_FOUND; as `add`. */
  change(id: number, body: NoteBody, by: string): Promise<Note>;
  /** Errors: NOTE_NOT_FOUND, STORAGE_FULL, STORAGE_FAILED. */
  remove(id: number, by: string): Promise<Note>;
  /**
   * Excluded time of a channel (default: the main channel), in a span (ms since 1970 UTC, widened to full seconds). An
   * exclusion without an end reaches to the end of the span.
   */
  excluded(unitId: string, span: Range, channel?: string | null): ExcludedTime;
}

/** The host of a plugin that uses the notes. */
export interface WithNotes {
  readonly notes: Notes;
}

/** Query parameter: whether excluded time counts. */
export interface AskedExclusions {
  readonly exclusions: 'apply' | 'ignore';
}
