/** The card of a meter, reached by FTP. Only a visit keeps a session between calls; no file is buffered as a whole. */
import type { Readable } from 'node:stream';
import type { DeviceConfig } from '../store/contract.ts';

/** A line of a listing. */
export interface FileEntry {
  readonly name: string;
  readonly path: string;
  /** Bytes; 0 for a folder. */
  readonly size: number;
  /** `<Mon> <DD> <YYYY>`, e.g. `Dec 24 2025`. */
  readonly modified: string;
  /** Device time `YYYY-MM-DDTHH:MM:SS`, no zone; only if the listing had a time of day. */
  readonly modifiedAt: string | undefined;
  readonly isDir: boolean;
}

/** A file during its transfer. */
export interface Download {
  readonly name: string;
  /**
   * Bytes in the listing; undefined if unknown, also for a file listed with 0 bytes (it may be under writing). The
   * stream has exactly this size: a file that grows meanwhile is cut.
   */
  readonly size: number | undefined;
  /** Breaks with an error when the transfer breaks: a short file never has a proper end. */
  readonly stream: Readable;
}

/** Costs of the card of one unit since the gateway started: control and data connections together. */
export interface Traffic {
  /** Each session is a connection, a login and a QUIT. */
  sessions: number;
  bytesSent: number;
  bytesReceived: number;
}

/** One caller of a card. */
export interface CardCaller {
  readonly signal: AbortSignal;
  /** The longest wait for the earlier session to end, and then for a turn beside commands, ms. */
  readonly deadlineMs?: number;
  /** As `Caller.who` and `Caller.job` of the control port: FTP interrupts a watched stream, too. */
  readonly who?: string | undefined;
  readonly job?: string | undefined;
}

/** Limits of a visit to the card. */
export interface VisitOptions extends CardCaller {
  /**
   * Work without a waiting person: it is broken off with DEVICE_BUSY as soon as another caller wants the card. Default:
   * others wait for the end of the present piece of work.
   */
  readonly givesWay?: boolean;
}

/**
 * Several pieces of work on a card, in the order of asking, if possible in one session: one login for a thousand files.
 * A download ends with its stream; the next piece of work waits for that.
 */
export interface CardVisit {
  /**
   * The entries of a folder, without `.` and `..`, in the meter's order. Errors: INVALID (the path), FTP_DISABLED,
   * FILE_NOT_FOUND, FTP_LOGIN_FAILED, FTP_DATA_CONNECTION, FTP_FAILED, DEVICE_UNREACHABLE, DEVICE_TIMEOUT; DEVICE_BUSY
   * and QUEUE_TIMEOUT during other sessions with this meter.
   */
  list(path: string): Promise<readonly FileEntry[]>;
  /** The entry of a file or folder, from the listing of its folder. Errors as `list`; the root has no entry. */
  find(path: string): Promise<FileEntry>;
  /**
   * Opens a file. Resolves after its first bytes, or its end. Errors as `list`. Destroying the stream, or aborting the
   * signal at any time, ends the session at once.
   */
  download(path: string): Promise<Download>;
  /**
   * Opens a part of a file without listing it again: from its first byte to the byte after the last. The meter is asked
   * to begin there (REST). After one refusal it is not asked again, and the earlier bytes are read and dropped. Errors
   * as `list`, and FTP_FAILED when the file is shorter.
   */
  open(path: string, part: { readonly from: number; readonly to: number }): Promise<Download>;
  /**
   * Waits for the present work, and then frees the meter at once. Without this call, the meter is free after a second
   * without work.
   */
  close(): Promise<void>;
}

/** The card of one meter. Every call takes the meter's FTP in turn, and has a session of its own. */
export interface Card {
  readonly traffic: Readonly<Traffic>;
  /** As in `CardVisit`. */
  list(path: string, caller: CardCaller): Promise<readonly FileEntry[]>;
  /** As in `CardVisit`; the session ends with the stream. */
  download(path: string, caller: CardCaller): Promise<Download>;
  visit(options: VisitOptions): CardVisit;
}

/** The cards of all meters. */
export interface Cards {
  /** The card of the meter that this config describes. */
  of(config: DeviceConfig): Card;
  /** The unit was removed: a new one with the same name counts its traffic from zero. */
  forget(unitId: string): void;
}
