/**
 * A family of meters: the abilities of its meters, as data and as operations, and their protocol. A family is a folder
 * here and a line in `index.ts`. A missing ability is refused with NOT_SUPPORTED before a byte is sent.
 */
import type { DisplayQuantity, FrameQuantity, LevelsOf } from '../domain/quantities.ts';
import type { CardFormat } from './card/contract.ts';
import type {
  Command,
  Conversation,
  FrameTiming,
  Implausible,
  Level,
  PercentileSlot,
  StreamCommand,
  Supply,
} from './wire/contract.ts';

/** Levels of one channel on the display of a meter. Quantities that its family does not have are absent. */
export interface ShownChannel extends Partial<LevelsOf<DisplayQuantity, Level>> {
  readonly implausible?: Implausible;
  /** Over or under the range of the meter; null: the meter does not report it. */
  readonly over: boolean | null;
  readonly under: boolean | null;
}

/** The values on the display of a meter. */
export interface ShownValues {
  /** The first channel: live values, history and alerts use it. */
  readonly main: ShownChannel;
  /** The other channels in the order of `Family.channels`; null: switched off. */
  readonly others?: readonly (ShownChannel | null)[];
}

/** Sends commands to one meter, one after the other. Only the session of the meter owns a sender. */
export interface Sender {
  /**
   * Errors: DEVICE_WRONG_STATE, DEVICE_REFUSED_*, DEVICE_GARBLED, DEVICE_UNREACHABLE, DEVICE_WEDGED, ADDRESS_REFUSED,
   * OUTCOME_UNKNOWN, DEVICE_TIMEOUT.
   */
  send<T>(command: Command<T>): Promise<T>;
  /** One frame of a stream that is ended immediately. Errors as `send`. */
  peek<F>(stream: StreamCommand<F>): Promise<F>;
  /** Lives as long as the session with the meter: a key for data that a driver keeps about this meter. */
  readonly session: object;
}

/**
 * All operations of a meter. Errors of each: as `Sender.send`, and INVALID for an impossible value, before anything is
 * sent.
 */
export interface Operations {
  live(): ShownValues;
  /** The result of the last finished measurement. */
  lastResult(): ShownValues;
  /** The same in the text of the meter, trimmed. */
  lastResultText(): string;
  measuring(): boolean;
  /** Starts a measurement. Not possible during a measurement. */
  start(options?: StartOptions): Started;
  stop(): void;
  pause(): void;
  resume(): void;
  /** Clears the values of the running measurement. */
  reset(): { readonly restarted: boolean };
  store(): void;
  model(): string;
  serialNumber(): string;
  firmware(): string;
  /** The time on its clock: `2026/11/21 06:00:07`, local time without a zone. */
  clock(): string;
  /** In the same form. A meter counts whole seconds. */
  setClock(shown: string): void;
  battery(): Battery;
  cardSpace(): { readonly freeMb: number; readonly totalMb: number };
  /** Null: the meter did not report it. */
  powerSource(): NonNullable<Supply['powerSource']> | null;
  /** Whether the meter may fall asleep while it does not measure; it then does not answer. */
  sleepMode(): boolean;
  setSleepMode(on: boolean): void;
  fileServer(): boolean;
  setFileServer(on: boolean): void;
  /** In the letters A, C, Z and F, S, I. `channel`: one of `channelNames`; default: the main channel. */
  weightings(channel?: string): { readonly frequency: string; readonly time: string };
  /** The percentile of `ln1` to `ln5`, 1 to 99: one slot at a time. The session keeps it (`DeviceState`). */
  percentile(slot: PercentileSlot): number;
  /** Its store mode in the meter's word, and whether it stores automatically from start to stop. */
  storeMode(): { readonly word: string; readonly isAutomatic: boolean };
  storeName(): string;
  setStoreName(number: number): void;
  /** Whether the card has data under the present store mode and name: a start would overwrite it. */
  isStoreNameTaken(): boolean;
  measurementSeconds(): number;
}

/** Operations that a plugin may ask for: `start`, `setClock`, ... */
export type OperationName = keyof Operations;

/** Options of a start. */
export interface StartOptions {
  /** The caller has already made sure that the meter does not fall asleep. */
  readonly isAwake?: boolean;
}

/** Result of a start. */
export interface Started {
  /** A part of a sentence: a failure although the measurement is started. */
  readonly warning?: string;
}

/** The charge of the battery. */
export interface Battery {
  /** 0-100; null for a word without a known percentage. */
  readonly percent: number | null;
  /** The word of the meter; null when it gave a number. */
  readonly word: string | null;
}

/** How a family performs one operation. */
export interface Operation<N extends OperationName> {
  run(sender: Sender, ...values: Parameters<Operations[N]>): Promise<ReturnType<Operations[N]>>;
  /** The operation takes several commands: the meter is reserved for them under this label. Absent: one command. */
  readonly reserves?: string;
  /** The operation takes several commands that change nothing at the meter. */
  readonly reads?: true;
  /** The single request for the value: a value that cannot be read is requested rarely (`Meter.isWorthAsking`). */
  readonly request?: Command<unknown>;
}

/** A setting of a meter with one rule for reading and setting, everywhere: paths of the API, profiles, campaigns. */
export interface MeterSetting {
  /** As in the list of all settings: `lp_interval`. */
  readonly name: string;
  /** JSON Schema of its value, which is always text: words or a pattern, with the range in its description. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** The unit of its number; with commas between, if its text names one of several. Absent: it is not a number. */
  readonly unit?: string;
  /** When the meter accepts a change: always, or only while it does not measure. */
  readonly changes: 'always' | 'stopped';
  /** It takes several commands: the meter is reserved for them under this label, after `read` or `set`. */
  readonly several?: string;
  /** The text in the form of `read`: `300s` becomes `5m`. Errors: INVALID for a value that no meter can have. */
  normal(value: string): string;
  /** Errors: as `Sender.send`. */
  read(sender: Pick<Sender, 'send'>): Promise<string>;
  /** Returns the new value in the form of `read`. Errors: INVALID before anything is sent; as `Sender.send`. */
  write(sender: Pick<Sender, 'send'>, value: string): Promise<string>;
}

/** A value that a sensor sent on its own. It may arrive late, and twice. */
export interface PushedValues extends ShownValues {
  /** End of the time of the values, ms UTC; null: the sensor has no clock, and the arrival counts. */
  readonly at: number | null;
  readonly seconds: number;
}

/** One family of meters. It does not send and does not wait. */
export interface Family {
  readonly name: string;
  readonly title: string;
  /** Whether a meter of this type belongs to the family. Default: every type does. */
  readonly isModel?: (model: string) => boolean;
  /** The first channel is the main channel. */
  readonly channels: readonly string[];
  /** Quantities on its display, or in its messages. */
  readonly quantities: readonly DisplayQuantity[];
  /** The fast stream; absent: the family has no stream. */
  readonly stream?: FrameTiming & { readonly quantities: readonly FrameQuantity[] };
  /** In the order in which they are set. */
  readonly settings: readonly MeterSetting[];
  /** The files on its card; absent: the meter has no files to fetch. */
  readonly card?: CardFormat;
  readonly operations: { readonly [N in OperationName]?: Operation<N> };
  /** The protocol of its meters; absent: the gateway sends nothing, the meters send on their own. */
  readonly conversation?: Conversation;
  /** Reads a message that a sensor sent on its own. Throws DecodeError. */
  readonly decodePushed?: (message: string) => readonly PushedValues[];
  /** Reads a line of values as the meter sent it and another program stored it. Throws DecodeError. */
  readonly readStoredLine?: (line: string) => Pick<ShownChannel, 'lp' | 'leq'>;
  /** Values of a new config that differ from those of the usual family. */
  readonly fresh?: { readonly tcpPort?: number };
}

/** The families in the gateway. */
export interface Families {
  readonly names: readonly string[];
  /**
   * Every setting of any family, once, in the order in which they are set. A setting of several families has a schema
   * for the values of all; its other properties are those of the first.
   */
  readonly settings: readonly MeterSetting[];
  find(name: string): Family | undefined;
  /** Errors: NOT_SUPPORTED for an unknown name, with the known names. */
  get(name: string): Family;
}
