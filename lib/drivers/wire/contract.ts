/**
 * How one talks to the meters of a family: how a command is sent, how its reply is read, and what the replies say. `lib/meter` is
 * written against this contract and knows no command by name.
 */
import type { FrameQuantity, LevelsOf } from '../../domain/quantities.ts';
import type { ErrorCode } from '../../errors.ts';

/** The place of a percentile on the display: 1 is `ln1`. */
export type PercentileSlot = 1 | 2 | 3 | 4 | 5;

/** What a reply says about the meter beyond its own value. The session keeps it (`meter/contract.ts`, `DeviceState`). */
export interface Observation {
  /** True while a measurement runs, paused or not. */
  readonly measuring?: boolean;
  readonly paused?: boolean;
  /** A measurement was begun by this very command. */
  readonly began?: true;
  /** How long the measurement on the display has run without its pauses, seconds: LE and Leq say it, rounded. */
  readonly measuredSeconds?: { readonly least: number; readonly most: number };
  /** The flag `Sleep Mode`: a meter that has it on may fall asleep, and then it does not answer. */
  readonly sleepMode?: boolean;
  /** Serial number: another number means another meter. */
  readonly serialNumber?: string;
  /** Four digits. */
  readonly storeName?: string;
  /** Frequency weighting of the main channel, in the word of the meter: `A`, `C`, `Z`. */
  readonly frequencyWeighting?: string;
  /** Time weighting of the main channel, in the word of the meter: `F`, `S`, `I`. */
  readonly timeWeighting?: string;
  /** A weighting of the main channel was set by this very command. */
  readonly weightingSent?: true;
  /** A weighting of another channel (`channelNames`), in the same words; `sent`: it was set by this very command. */
  readonly otherWeighting?: {
    readonly channel: string;
    readonly frequency?: string;
    readonly time?: string;
    readonly sent?: true;
  };
  /** Which percentile a place of the display shows: `ln1` is slot 1, and 5 of 100 is L5. */
  readonly percentile?: { readonly slot: PercentileSlot; readonly percent: number };
  /** What the meter's clock shows now, as if it showed UTC, ms. */
  readonly clock?: number;
  /** The type of the meter: `NL-43`. */
  readonly model?: string;
}

/** One command and how its reply is read. */
export interface Command<T> {
  /**
   * The text on the wire without its line end: built by the driver from checked values, never from a caller's string.
   * The name of the command for messages is this text up to the comma.
   */
  readonly text: string;
  /** A setting changes something and is never sent again by itself; a request may be. */
  readonly kind: 'setting' | 'request';
  /** Reads the data line of a request. Throws DecodeError. Settings have no data line; theirs gets an empty string. */
  decode(line: string): T;
  tells?(value: T): Observation;
  /**
   * Until when its answer holds. `setting`: until somebody sets it, here or with the keys; `measurement`: until the measurement begins
   * or ends. Absent: for a moment.
   */
  readonly holds?: 'setting' | 'measurement';
}

/** What a reply or a message needs to know of its command. */
export type Named = Pick<Command<unknown>, 'text' | 'kind'>;

/** A command that answers with messages until the stream is ended (`StreamTalk`). */
export interface StreamCommand<F> {
  readonly text: string;
  /** Throws DecodeError. */
  decode(message: string): F;
  tells?(frame: F): Observation;
  /** What a frame says that a request would, by the text of the request: the value that its `decode` would give. */
  answers?(frame: F): Readonly<Record<string, unknown>>;
  /** The stream to ask for if the meter refuses this one, or sends lines that cannot be decoded. */
  readonly fallback?: StreamCommand<F>;
}

/** As much of a line as a log or a message shows. */
export const shortened = (line: string): string => (line.length > 120 ? `${line.slice(0, 120)}...` : line);

/** A data line that is not what the layout says. Carries the raw line, shortened, for the log and the caller. */
export class DecodeError extends Error {
  readonly raw: string;

  constructor(what: string, raw: string) {
    super(`${what}: ${JSON.stringify(shortened(raw))}`);
    this.name = 'DecodeError';
    this.raw = shortened(raw);
  }
}

/**
 * A line of values that has more or fewer of them than the known one: which is which is not known. An option board may have added
 * some.
 */
export class UnknownLayoutError extends DecodeError {}

/** A level as the meter wrote it, trimmed (dB, one decimal), or null where it gave none. */
export type Level = string | null;

/** The raw text of levels that are outside what these meters can show, by name. Their values are null. */
export type Implausible = Readonly<Record<string, string>>;

/** One channel of a frame: the levels of one 100 ms interval. */
export interface FrameChannel extends LevelsOf<FrameQuantity, Level> {
  readonly implausible?: Implausible;
  readonly over: boolean | null;
  readonly under: boolean | null;
}

/** What a meter says of its power and its card; null: nothing that can be read. */
export interface Supply {
  readonly powerSource: 'Battery' | 'External' | 'USB' | null;
  /** The word of the meter. */
  readonly batteryWord: string | null;
  /** 0-100; null for a word without a known percentage. */
  readonly batteryPercent: number | null;
  /** Megabytes. */
  readonly cardFreeMb: number | null;
}

/** One frame of the fast stream. */
export interface Frame {
  readonly counter: number;
  /** The first channel: live values, history and alerts are about it. */
  readonly main: FrameChannel;
  /** The other channels in the order of `Family.channels`; null: switched off. */
  readonly others?: readonly (FrameChannel | null)[];
  /** Where the stream carries it. */
  readonly supply?: Supply;
}

/** The meter refused. This is an answer: the meter is there, and the connection works. */
export interface Refusal {
  /** As the meter writes it. */
  readonly result: string;
  readonly code: ErrorCode & ('DEVICE_REFUSED_COMMAND' | 'DEVICE_REFUSED_PARAMETER' | 'DEVICE_WRONG_STATE');
  /** For a person; follows "The meter refused ...: ". */
  readonly why: string;
}

/** One message of a meter: a line without its end or a block, one character a byte (ISO 8859-1); or why there is none, such as too long. */
export type Framed = string | Error;

/** Cuts the bytes of one connection, in any segmentation, into messages. */
export interface Framer {
  /** The bytes of the message that is not finished yet, as text. */
  readonly rest: string;
  /** The messages that these bytes complete, in order. Keeps what is left over; the chunk may be reused afterwards. */
  feed(chunk: Uint8Array): Framed[];
  /** Forgets the unfinished message. */
  reset(): void;
}

/** What a reply has turned out to be. */
export type MeterReply =
  | { readonly kind: 'done'; readonly data: string }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** These bytes are not a reply: it is no longer known which line belongs to which command. */
  | { readonly kind: 'garbled'; readonly raw: string };

/** Reads one reply, message by message. Pure: no bytes, no time, no connection. */
export interface ReplyReader {
  /** The message that it waits for, in words: a timeout names it. */
  readonly stage: string;
  /** Undefined: the reply is not complete yet. */
  take(message: string): MeterReply | undefined;
}

/** The requests whose answers say what state the meter is in, in the order of asking. A value without a request stays unknown. */
export interface StateQuestions {
  readonly measuring?: Command<unknown>;
  readonly paused?: Command<unknown>;
  readonly storeName?: Command<unknown>;
  readonly clock?: Command<unknown>;
  /** Asked where the serial number was known before: the meter may have been exchanged. */
  readonly serialNumber?: Command<unknown>;
}

/** What a meter shows when it is ready for a command. It has no end of a message. */
export interface Prompt {
  /** Nothing but prompts. */
  is(text: string): boolean;
  /** Whether the text ends with one, maybe after a message that was broken off. */
  endsWith(text: string): boolean;
  /** Whether a whole message between two commands is nothing but prompts, or empty. */
  isAll(message: string): boolean;
}

/** How the frames of a stream follow each other. */
export interface FrameTiming {
  /** What one frame covers, ms. */
  readonly frameMs: number;
  /** The counter goes from 1 to this, then begins again. */
  readonly lastCounter: number;
}

/** How the fast stream is had and ended. */
export interface StreamTalk {
  readonly command: StreamCommand<Frame>;
  /** Ends it. Sent by itself. */
  readonly abort: Uint8Array;
  /** The same for a trace. */
  readonly abortShown: string;
  /** A sentence: in which state the meter gives its stream. It follows the words of a refusal. */
  readonly refusedWhen?: string;
}

/** How one talks to a meter of a family over one connection. Pure functions; nothing here sends. */
export interface Conversation {
  createFramer(): Framer;
  /** The bytes of a command on the wire. `text`: printable ASCII, made by the driver. */
  bytesOf(text: string): Uint8Array;
  /** A reply at once: this command is not answered, and is done when it was sent. A question confirms it (`MeterSetting.write`). */
  readReply(command: Named): ReplyReader | MeterReply;
  /** Absent: the meter shows none. */
  readonly prompt?: Prompt;
  /** Absent: it has no stream. */
  readonly stream?: StreamTalk;
  /** What is asked after the connection was lost. */
  readonly stateQuestions: StateQuestions;
  /**
   * A request that every meter knows and that changes nothing: its answer shows that the connection works. Absent: settings are
   * sent without it.
   */
  readonly proof?: Command<unknown>;
  /**
   * Whether a message that the command cannot read looks like the answer to another command. Then replies and commands may be out
   * of step, and the connection cannot be trusted. Absent: it cannot be told.
   */
  answersAnother?(text: string, message: string): boolean;
  /** A control port that refuses while the FTP port accepts is one that no longer listens for commands, until a power cycle. */
  readonly wedges?: true;
  /** Between the last byte of a reply and the next command, ms. Default: the setting `meter_spacing_ms`. */
  readonly restMs?: number;
}
