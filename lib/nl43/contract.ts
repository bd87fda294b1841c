/** What the codec hands to a session: a line to send, and how to read the line that comes back. */

/** What a reply says about the meter beyond its own value. The session keeps it (`meter/contract.ts`, `DeviceState`). */
export interface Observation {
  /** True while a measurement runs, paused or not. */
  readonly measuring?: boolean;
  readonly paused?: boolean;
  /** A measurement was begun by this very command. */
  readonly began?: true;
  /** The flag `Sleep Mode`: a meter that has it on may fall asleep and then is silent. */
  readonly sleepMode?: boolean;
  /** Four digits. */
  readonly storeName?: string;
  /** The meter's clock at this moment, `YYYY/MM/DD HH:MM:SS`. */
  readonly clock?: string;
}

export interface Command<T> {
  /**
   * The text on the wire without its line end: built by `encode.ts` from checked values, never from a caller's string.
   * The name of the command for messages is this text up to the comma.
   */
  readonly text: string;
  /** A setting changes something and is never sent again by itself; a request may be. */
  readonly kind: 'setting' | 'request';
  /** Reads the data line of a request. Throws DecodeError. Settings have no data line; theirs gets an empty string. */
  decode(line: string): T;
  tells?(value: T): Observation;
}

/** A command that answers with lines until it is stopped by SUB. */
export interface StreamCommand<Frame> {
  readonly text: string;
  decode(line: string): Frame;
  tells?(frame: Frame): Observation;
  /** What is asked for instead where the meter refuses this one, or sends lines that it cannot decode. */
  readonly fallback?: StreamCommand<Frame>;
}

/** A data line that is not what the layout says. Carries the raw line, shortened, for the log and the caller. */
export class DecodeError extends Error {
  readonly raw: string;

  constructor(what: string, raw: string) {
    const shown = raw.length > 120 ? `${raw.slice(0, 120)}...` : raw;
    super(`${what}: ${JSON.stringify(shown)}`);
    this.name = 'DecodeError';
    this.raw = shown;
  }
}

/** A level as the meter wrote it, trimmed (dB, one decimal), or null where it gave none. */
export type Level = string | null;

/** The raw text of levels that are outside what these meters can show, by name. Their values are null. */
export type Implausible = Readonly<Record<string, string>>;

/** One channel of a DOD or DLC line. A channel that is switched off is null as a whole. */
export interface DisplayChannel {
  readonly implausible?: Implausible;
  readonly lp: Level;
  readonly leq: Level;
  readonly le: Level;
  readonly lmax: Level;
  readonly lmin: Level;
  readonly ln1: Level;
  readonly ln2: Level;
  readonly ln3: Level;
  readonly ln4: Level;
  readonly ln5: Level;
  readonly lpeak: Level;
  readonly lieq: Level;
  readonly leq_mov: Level;
  readonly ltm5: Level;
  readonly over: boolean | null;
  readonly under: boolean | null;
}

/** One channel of a DRD line: the levels of one 100 ms interval. */
export interface FrameChannel {
  readonly implausible?: Implausible;
  readonly lp: Level;
  readonly leq: Level;
  readonly lmax: Level;
  readonly lmin: Level;
  readonly lpeak: Level;
  readonly lieq: Level;
  readonly over: boolean | null;
  readonly under: boolean | null;
}

export interface Channels<C> {
  readonly main: C;
  readonly sub1: C | null;
  readonly sub2: C | null;
  readonly sub3: C | null;
}

export type Display = Channels<DisplayChannel>;
export type Frame = Channels<FrameChannel> & { readonly counter: number };

/** What a `DRD?status` line says besides the levels. A field that cannot be read is null: its place is not verified. */
export interface StatusTail {
  /** The meter's own clock, `YYYY/MM/DD HH:MM:SS`, no zone. */
  readonly time: string | null;
  readonly power: 'Battery' | 'External' | 'USB' | null;
  readonly battery: 'Full' | 'Middle' | 'Low' | 'Dead' | 'Empty' | null;
  /** Megabytes. */
  readonly sd_free_mb: number | null;
  /** As `Measure?` words it. */
  readonly state: 'Start' | 'Stop' | null;
}

export type StatusFrame = Frame & StatusTail;
