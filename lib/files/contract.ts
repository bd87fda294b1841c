/** The card of a meter, reached by FTP. Nothing is kept between calls, except by a visit; nothing is buffered whole. */
import type { Readable } from 'node:stream';
import type { DeviceConfig } from '../store/contract.ts';

/** A line of a listing. */
export interface FileEntry {
  readonly name: string;
  /** Full path on the card, `/`-separated. */
  readonly path: string;
  /** Bytes; 0 for a folder. */
  readonly size: number;
  /** `<Mon> <DD> <YYYY>`, e.g. `Dec 24 2025`. */
  readonly modified: string;
  /** Device time `YYYY-MM-DDTHH:MM:SS`, no zone; only where the listing had a time of day. */
  readonly modifiedAt: string | undefined;
  readonly isDir: boolean;
}

/** A file on its way. */
export interface Download {
  readonly name: string;
  /**
   * Bytes, where the listing told it; undefined also for a file listed with 0 bytes (one that is being written may be).
   * The stream has exactly so many: of a file that grew meanwhile, what it was when it was listed.
   */
  readonly size: number | undefined;
  /** Breaks with an error when the transfer breaks: never a short file with a proper end. */
  readonly stream: Readable;
}

/** What the card of one unit has cost since the gateway started: control and data connections together. */
export interface Traffic {
  /** Each is a connection, a login and a QUIT. */
  sessions: number;
  bytesSent: number;
  bytesReceived: number;
}

/** A part of a file whose entry was listed before. */
export interface Part {
  /** The first byte, and the one after the last. */
  readonly from: number;
  readonly to: number;
  /** Work that nobody waits for: it is broken off with DEVICE_BUSY as soon as somebody else wants the card. */
  readonly givesWay?: boolean;
}

/** One caller of a card. */
export interface CardCaller {
  /** Ends what it waits for, and what is done for it. */
  readonly signal: AbortSignal;
  /**
   * The longest wait for the session before to end, and then for a turn beside commands, ms. Default: what `CardsOptions` and
   * `MeterSettings` say.
   */
  readonly deadlineMs?: number;
}

/** The card of one meter. Every call takes the meter's FTP in turn. */
export interface Card {
  /** Gives back the memory of a chunk of a download that nobody reads any more. Not calling it costs memory, nothing else. */
  release(chunk: Uint8Array): void;
  readonly traffic: Readonly<Traffic>;
  /**
   * The entries of a folder, without `.` and `..`, in the meter's order.
   * Errors: INVALID (the path), FTP_DISABLED, FILE_NOT_FOUND, FTP_LOGIN_FAILED, FTP_DATA_CONNECTION, FTP_FAILED,
   * DEVICE_UNREACHABLE, DEVICE_TIMEOUT; DEVICE_BUSY and QUEUE_TIMEOUT while other sessions with this meter go on.
   */
  list(path: string, caller: CardCaller): Promise<readonly FileEntry[]>;
  /**
   * Opens a file. Resolves when its first bytes, or its end, are there. Errors as `list`. The FTP session ends with the
   * stream; destroying the stream, or aborting the signal at any time, ends it at once.
   */
  download(path: string, caller: CardCaller): Promise<Download>;
  /** The entry of a file or folder, from the listing of its folder. Errors as `list`; the root has none. */
  find(path: string, caller: CardCaller): Promise<FileEntry>;
  /**
   * Opens a part of a file without listing it again. The meter is asked to begin there (REST); one that refused once is not asked
   * again, and the bytes before are read and dropped. Errors as `list`, and FTP_FAILED when the file is shorter.
   */
  open(path: string, part: Part, caller: CardCaller): Promise<Download>;
  visit(options: VisitOptions): CardVisit;
}

/** How long, and how politely, a visit uses the card. */
export interface VisitOptions extends CardCaller {
  /** As in `Part`, for all of it. Default: others wait for the end of the present piece of work. */
  readonly givesWay?: boolean;
}

/**
 * Several pieces of work on a card, in the order of asking, in one session as far as that is possible: one login for a thousand
 * files. A download is over when its stream is; the next piece of work waits for that. Errors: as those of `Card`.
 */
export interface CardVisit {
  release(chunk: Uint8Array): void;
  list(path: string): Promise<readonly FileEntry[]>;
  find(path: string): Promise<FileEntry>;
  download(path: string): Promise<Download>;
  open(path: string, part: Part): Promise<Download>;
  /** Waits for what is being done, and frees the meter at once. Without it, the meter is free after a second without work. */
  close(): Promise<void>;
}

/** The cards of all meters. */
export interface Cards {
  /** The card of the meter that this config describes. */
  of(config: DeviceConfig): Card;
  /** The unit was removed: a new one with the same name counts its traffic from zero. */
  forget(unitId: string): void;
}
