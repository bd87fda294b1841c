/**
 * How the FTP side behaves: a plain object that may be changed while the server runs and is read again at every step. The
 * defaults are the meter as the field knows it; faults change fields and put the defaults back.
 */
export interface FtpBehaviour {
  /** Every login is answered `530 Login Fail`. */
  loginRefused: boolean;
  /** From switching on until the port accepts, ms on the server's clock. A login about 3 s after it was served (field log). */
  startDelayMs: number;
  /** The meter's data connection never arrives, as if the address of PORT could not be reached. */
  dataConnectionNever: boolean;
  /** How long the meter tries to open a data connection, ms. Unknown: no capture shows an address that cannot be reached. */
  connectMs: number;
  /** Round trip of the link: every reply comes so much later, and so do data. From ... to, ms, drawn evenly each time. */
  linkMs: readonly [number, number];
  /** `REST n` lets the next RETR begin at byte n; otherwise it is answered 502. */
  restart: boolean;
  /** A slow card: this many bytes a second, measured on the server's clock; null for as fast as the client reads. */
  bytesPerSecond: number | null;
  /** The data connection breaks after this many bytes; null for never. */
  cutAfterBytes: number | null;
  /** Form of a break: reset and 426; a proper end and a false 226; both connections gone without a word. */
  cutEnding: 'aborted' | 'claims-complete' | 'vanishes';
  /** After this many bytes nothing more comes, and no end either; null for never. */
  stallAfterBytes: number | null;
  /** Which transfers cut and stall. */
  breaks: 'files' | 'listings' | 'both';
  /** Added to the size of every file in a listing. */
  listedSizeOff: number;
  /** Bytes by which a file grows each time it is read, after it was listed. */
  growing: number;
  /** Further names in every listing, written byte for byte (Latin-1), line breaks included. */
  hostileNames: readonly string[];
  /** A listing goes on until the client leaves. */
  endlessListing: boolean;
  sessions: number;
  /** A further session gets 421, or is accepted and gets nothing until a place is free. */
  surplus: 'refused' | 'held';
  /** Listings have `.` and `..`. */
  dotEntries: boolean;
}

/** The defaults, with changes. `Object.assign(behaviour, ftpBehaviour())` puts a running server back to them. */
export const ftpBehaviour = (changes: Partial<FtpBehaviour> = {}): FtpBehaviour => ({
  loginRefused: false,
  startDelayMs: 1_500,
  dataConnectionNever: false,
  connectMs: 130_000,
  linkMs: [0, 0],
  restart: false,
  bytesPerSecond: null,
  cutAfterBytes: null,
  cutEnding: 'aborted',
  stallAfterBytes: null,
  breaks: 'files',
  listedSizeOff: 0,
  growing: 0,
  hostileNames: [],
  endlessListing: false,
  sessions: 1,
  surplus: 'refused',
  dotEntries: false,
  ...changes,
});
