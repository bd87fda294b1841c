/**
 * What a family of meters is to the gateway: what its meters can do, as data and as operations, and how one talks to them. A
 * family is a folder here and a line in `index.ts`. What it lacks is refused with NOT_SUPPORTED before a byte is sent.
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

/** Levels of one channel that a meter shows. What its family does not have is absent. */
export interface ShownChannel extends Partial<LevelsOf<DisplayQuantity, Level>> {
  readonly implausible?: Implausible;
  /** Over or under the range of the meter; null: it does not say. */
  readonly over: boolean | null;
  readonly under: boolean | null;
}

/** The values that a meter shows. */
export interface ShownValues {
  /** The first channel: live values, history and alerts are about it. */
  readonly main: ShownChannel;
  /** The other channels in the order of `Family.channels`; null: switched off. */
  readonly others?: readonly (ShownChannel | null)[];
}

/** Sends commands to one meter, one after the other. Only the session of the meter has one, and gives it to operations and settings. */
export interface Sender {
  /**
   * Errors: DEVICE_WRONG_STATE, DEVICE_REFUSED_*, DEVICE_GARBLED, DEVICE_UNREACHABLE, DEVICE_WEDGED, ADDRESS_REFUSED,
   * OUTCOME_UNKNOWN, DEVICE_TIMEOUT.
   */
  send<T>(command: Command<T>): Promise<T>;
  /** One frame of a stream that is ended right after it. Errors as `send`. */
  peek<F>(stream: StreamCommand<F>): Promise<F>;
  /** Lives as long as the session with the meter: a key for what a driver remembers of this meter. */
  readonly session: object;
}

/**
 * Everything that may be done with a meter: what it takes, and what it brings. Errors of each: as `Sender.send`, and INVALID
 * for a value that no meter of the family can have, before anything is sent.
 */
export interface Operations {
  /** The values that it shows now. */
  live(): ShownValues;
  /** The result of the last finished measurement. */
  lastResult(): ShownValues;
  /** The same as the meter writes it, trimmed. */
  lastResultText(): string;
  /** Whether a measurement runs, paused or not. */
  measuring(): boolean;
  /** Starts a measurement. Not possible while one runs. */
  start(options?: StartOptions): Started;
  stop(): void;
  pause(): void;
  resume(): void;
  /** Clears the values of the measurement that runs. */
  reset(): { readonly restarted: boolean };
  /** Stores the finished measurement on the card. */
  store(): void;
  /** The type of the meter: `NL-43`. */
  model(): string;
  serialNumber(): string;
  firmware(): string;
  /** What its clock shows: `2026/11/21 06:00:07`, local time without a zone. */
  clock(): string;
  /** The same form. A meter counts whole seconds. */
  setClock(shown: string): void;
  battery(): Battery;
  /** Megabytes. */
  cardSpace(): { readonly freeMb: number; readonly totalMb: number };
  /** Null: the meter said nothing about it. */
  powerSource(): NonNullable<Supply['powerSource']> | null;
  /** Whether it may fall asleep while it does not measure; then it does not answer. */
  sleepMode(): boolean;
  setSleepMode(on: boolean): void;
  /** Whether its FTP server is on. */
  fileServer(): boolean;
  setFileServer(on: boolean): void;
  /** In the letters A, C, Z and F, S, I. The session keeps them (`DeviceState`). `channel`: one of `channelNames`; default: the main one. */
  weightings(channel?: string): { readonly frequency: string; readonly time: string };
  /** Which percentile `ln1` to `ln5` is, 1 to 99: one slot at a time. The session keeps it (`DeviceState`). */
  percentile(slot: PercentileSlot): number;
  /** How it stores, in its own word, and whether it stores from start to stop by itself. */
  storeMode(): { readonly word: string; readonly isAutomatic: boolean };
  /** The series number in the names of folders and files, four digits. */
  storeName(): string;
  /** 0-9999. */
  setStoreName(number: number): void;
  /** Whether the card has data under the store mode and name of now: a start would write over it. */
  isStoreNameTaken(): boolean;
  /** How long a measurement lasts that is started now, seconds. */
  measurementSeconds(): number;
}

/** What a plugin may ask a meter to do: `start`, `setClock`, ... */
export type OperationName = keyof Operations;

/** How a measurement is started. */
export interface StartOptions {
  /** The caller has seen to it already that the meter does not fall asleep. */
  readonly isAwake?: boolean;
}

/** What came of a start. */
export interface Started {
  /** A part of a sentence: what did not work, although the measurement is started. */
  readonly warning?: string;
}

/** The charge of the battery. */
export interface Battery {
  /** 0-100; null for a word without a known percentage. */
  readonly percent: number | null;
  /** The word of the meter; null when it gave a number. */
  readonly word: string | null;
}

/** How a family does one of them. */
export interface Operation<N extends OperationName> {
  run(sender: Sender, ...values: Parameters<Operations[N]>): Promise<ReturnType<Operations[N]>>;
  /** It takes several commands: the meter is reserved for them under this label. Absent: one command. */
  readonly reserves?: string;
  /** Of several commands, none of which changes anything at the meter. */
  readonly reads?: true;
  /** The one request that brings the value: one that cannot be read is asked rarely (`Meter.isWorthAsking`). */
  readonly request?: Command<unknown>;
}

/** A setting of a meter that is read and set by one rule, wherever it is: paths of the API, profiles, campaigns. */
export interface MeterSetting {
  /** As in the list of all settings: `lp_interval`. */
  readonly name: string;
  /** JSON Schema of its value, which is always text: words or a pattern, with the range in its description. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** The unit of its number; several, with commas between, where its text names one of them. Absent: it is no number. */
  readonly unit?: string;
  /** When the meter takes a change: always, or only while it does not measure. */
  readonly changes: 'always' | 'stopped';
  /** It takes several commands: the meter is reserved for them under this label, after `read` or `set`. Absent: one command. */
  readonly several?: string;
  /** The text in the form in which `read` gives it: `300s` is `5m`. Errors: INVALID for what the schema lets pass and no meter can hold. */
  normal(value: string): string;
  /** Errors: as `Sender.send`. */
  read(sender: Pick<Sender, 'send'>): Promise<string>;
  /** The new value, as `read` would give it. Errors: INVALID before anything is sent; as `Sender.send`. */
  write(sender: Pick<Sender, 'send'>, value: string): Promise<string>;
}

/** A value that a sensor sent by itself. It may come late, and twice. */
export interface PushedValues extends ShownValues {
  /** What the values cover ends here, ms UTC; null: the sensor has no clock, and the arrival counts. */
  readonly at: number | null;
  /** How much time they cover, seconds. */
  readonly seconds: number;
}

/** One family of meters. Nothing here sends or waits. */
export interface Family {
  /** In configs: small letters, digits, `-`. */
  readonly name: string;
  /** For people: `Rion NL-43 and NL-53`. */
  readonly title: string;
  /** Whether a meter that says it is of this type belongs to it. Default: any does. */
  readonly isModel?: (model: string) => boolean;
  /** The first one is the main channel. */
  readonly channels: readonly string[];
  /** The quantities that it shows when it is asked, or sends. */
  readonly quantities: readonly DisplayQuantity[];
  /** The fast stream; absent: it has none. */
  readonly stream?: FrameTiming & { readonly quantities: readonly FrameQuantity[] };
  /** In the order in which they are set. */
  readonly settings: readonly MeterSetting[];
  /** The files on its card; absent: it has none that one can fetch. */
  readonly card?: CardFormat;
  readonly operations: { readonly [N in OperationName]?: Operation<N> };
  /** How one talks to its meters; absent: nobody does, they send by themselves. */
  readonly conversation?: Conversation;
  /** Reads what a sensor sent by itself. Throws DecodeError. */
  readonly decodePushed?: (message: string) => readonly PushedValues[];
  /** Reads a line of values that another program has stored as the meter sent it. Throws DecodeError. */
  readonly readStoredLine?: (line: string) => Pick<ShownChannel, 'lp' | 'leq'>;
  /** What a new config has, where it is not what a config of the usual family has. */
  readonly fresh?: { readonly tcpPort?: number };
}

/** The families that the gateway knows. */
export interface Families {
  readonly names: readonly string[];
  /**
   * Every setting that a family has, once, in the order in which they are set. If families have one of the same name, its schema
   * allows the values of all, and the rest is that of the first.
   */
  readonly settings: readonly MeterSetting[];
  find(name: string): Family | undefined;
  /** Errors: NOT_SUPPORTED for a name that is not known, with those that are. */
  get(name: string): Family;
}
