/**
 * The protocol of the meters of a family: sending of commands, reading of replies, and their meaning. `lib/meter` is
 * written against this contract and knows no command by name.
 */
import type { FrameQuantity, LevelsOf } from '../../domain/quantities.ts';
import type { ErrorCode } from '../../errors.ts';

/** A slot for a percentile on the display: 1 is `ln1`. */
export type PercentileSlot = 1 | 2 | 3 | 4 | 5;

/**
 * Facts about the meter in a reply, besides its own value. The session keeps them (`meter/contract.ts`, `DeviceState`).
 */
export interface Observation {
  readonly measuring?: boolean;
  readonly paused?: boolean;
  /** This command has cleared the values of the measurement, and started another measurement unless the meter is stopped. */
  readonly began?: true;
  /** Length of the measurement on the display without its pauses, seconds: from LE and Leq, rounded. */
  readonly measuredSeconds?: { readonly least: number; readonly most: number };
  /** The flag `Sleep Mode`: a meter with this flag may fall asleep, and then it does not answer. */
  readonly sleepMode?: boolean;
  readonly serialNumber?: string;
  readonly storeName?: string;
  /** Frequency weighting of the main channel, in the word of the meter: `A`, `C`, `Z`. */
  readonly frequencyWeighting?: string;
  readonly timeWeighting?: string;
  /** This command has set a weighting of the main channel. */
  readonly weightingSent?: true;
  /** A weighting of another channel (`channelNames`), in the same words; `sent`: this command has set it. */
  readonly otherWeighting?: {
    readonly channel: string;
    readonly frequency?: string;
    readonly time?: string;
    readonly sent?: true;
  };
  /** The percentile in a slot of the display: `ln1` is slot 1, and 5 of 100 is L5. */
  readonly percentile?: { readonly slot: PercentileSlot; readonly percent: number };
  /** The time on the meter's clock, read as UTC, ms. */
  readonly clock?: number;
  /** The type of the meter: `NL-43`. */
  readonly model?: string;
}

/** One command and how its reply is read. */
export interface Command<T> {
  /**
   * The text on the wire without its line end: the driver makes it from checked values, never from a caller's string.
   * The name of the command in messages is this text up to the comma.
   */
  readonly text: string;
  /** A setting changes something and is never repeated automatically; a request may be. */
  readonly kind: 'setting' | 'request';
  /** Reads the data line of a request. Throws DecodeError. Settings have no data line; they get an empty string. */
  decode(line: string): T;
  tells?(value: T): Observation;
  /**
   * How long its answer is valid. `setting`: until somebody sets it, through the gateway or with the keys.
   * `measurement`: until the measurement begins or ends. `minutes`: it changes slowly. Absent: only for a moment.
   */
  readonly holds?: 'setting' | 'measurement' | 'minutes';
}

/** Facts about a command for its reply or a message. */
export type Named = Pick<Command<unknown>, 'text' | 'kind'>;

/** A command that answers with messages until the stream is ended (`StreamTalk`). */
export interface StreamCommand<F> {
  readonly text: string;
  /** Throws DecodeError. */
  decode(message: string): F;
  tells?(frame: F): Observation;
  /** Values in a frame that requests would also return. By the text of the request, in the form of its `decode`. */
  answers?(frame: F): Readonly<Record<string, unknown>>;
  /** The stream to use if the meter refuses this stream, or sends lines that cannot be decoded. */
  readonly fallback?: StreamCommand<F>;
}

/** A line, cut to a length for a log or a message. */
export const shortened = (line: string): string => (line.length > 120 ? `${line.slice(0, 120)}...` : line);

/** A data line that does not match the layout. Has the raw line, shortened, for the log and the caller. */
export class DecodeError extends Error {
  readonly raw: string;

  constructor(what: string, raw: string) {
    super(`${what}: ${JSON.stringify(shortened(raw))}`);
    this.name = 'DecodeError';
    this.raw = shortened(raw);
  }
}

/** A line with more or fewer values than the known line. An option board may have added some. */
export class UnknownLayoutError extends DecodeError {}

/** A level as the meter wrote it, trimmed (dB, one decimal), or null without a level. */
export type Level = string | null;

/** The raw text of levels that these meters cannot show, by name. Their values are null. */
export type Implausible = Readonly<Record<string, string>>;

/** One channel of a frame: the levels of one 100 ms interval. */
export interface FrameChannel extends LevelsOf<FrameQuantity, Level> {
  readonly implausible?: Implausible;
  readonly over: boolean | null;
  readonly under: boolean | null;
}

/** Power and card of a meter; null: unreadable. */
export interface Supply {
  readonly powerSource: 'Battery' | 'External' | 'USB' | null;
  readonly batteryWord: string | null;
  readonly batteryPercent: number | null;
  readonly cardFreeMb: number | null;
}

/** One frame of the fast stream. */
export interface Frame {
  readonly counter: number;
  /** The first channel: live values, history and alerts use it. */
  readonly main: FrameChannel;
  readonly others?: readonly (FrameChannel | null)[];
  /** Only if the stream has it. */
  readonly supply?: Supply;
}

/** The meter refused. This is an answer: the meter is there, and the connection works. */
export interface Refusal {
  readonly result: string;
  readonly code: ErrorCode & ('DEVICE_REFUSED_COMMAND' | 'DEVICE_REFUSED_PARAMETER' | 'DEVICE_WRONG_STATE');
  /** For a person; follows "The meter refused ...: ". */
  readonly why: string;
}

/** One message of a meter: a line without its end, or a block, one character per byte. An Error: why it is missing. */
export type Framed = string | Error;

/** Cuts the bytes of one connection, in any segmentation, into messages. */
export interface Framer {
  readonly rest: string;
  /** The messages that these bytes complete, in order. Keeps the rest; the chunk may be reused afterwards. */
  feed(chunk: Uint8Array): Framed[];
  reset(): void;
}

/** Result of a reply. */
export type MeterReply =
  | { readonly kind: 'done'; readonly data: string }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** These bytes are not a reply: lines can no longer be matched to commands. */
  | { readonly kind: 'garbled'; readonly raw: string };

/** Reads one reply, message by message. Pure: no bytes, no time, no connection. */
export interface ReplyReader {
  /** The message that is expected next, in words for a timeout. */
  readonly stage: string;
  take(message: string): MeterReply | undefined;
}

/** The requests about the state of the meter, in the order of asking. A value without a request stays unknown. */
export interface StateQuestions {
  readonly measuring?: Command<unknown>;
  readonly paused?: Command<unknown>;
  readonly storeName?: Command<unknown>;
  readonly clock?: Command<unknown>;
  /** Asked if the serial number was known before: the meter may have been exchanged. */
  readonly serialNumber?: Command<unknown>;
}

/** Text that a meter shows when it is ready for a command. It has no end of message. */
interface Prompt {
  is(text: string): boolean;
  /** Whether the text ends with a prompt, maybe after a broken message. */
  endsWith(text: string): boolean;
  /** Whether a whole message between two commands has only prompts, or is empty. */
  isAll(message: string): boolean;
}

/** Timing of the frames of a stream. */
export interface FrameTiming {
  readonly frameMs: number;
  /** The counter goes from 1 to this, then starts again. */
  readonly lastCounter: number;
}

/** How to get and end the fast stream. */
export interface StreamTalk {
  readonly command: StreamCommand<Frame>;
  readonly abort: Uint8Array;
  /** The same for a trace. */
  readonly abortShown: string;
  /** A sentence: in which state the meter gives its stream. It follows the words of a refusal. */
  readonly refusedWhen?: string;
}

/** Protocol for a meter of a family on one connection. Pure functions; nothing here sends. */
export interface Conversation {
  createFramer(): Framer;
  /** The bytes of a command on the wire. `text`: printable ASCII, made by the driver. */
  bytesOf(text: string): Uint8Array;
  /** A `MeterReply` at once: this command gets no answer, and is done after sending. */
  readReply(command: Named): ReplyReader | MeterReply;
  readonly prompt?: Prompt;
  readonly stream?: StreamTalk;
  readonly stateQuestions: StateQuestions;
  /**
   * A request that changes nothing: its answer shows that the connection works. Absent: settings are sent without it.
   */
  readonly proof?: Command<unknown>;
  /** Whether an unreadable message looks like the answer to another command: the connection cannot be trusted then. */
  answersAnother?(text: string, message: string): boolean;
  /** A control port that refuses while the FTP port accepts no longer listens for commands, until a power cycle. */
  readonly wedges?: true;
  /** Time between the last byte of a reply and the next command, ms. Default: the setting `meter_spacing_ms`. */
  readonly restMs?: number;
}
