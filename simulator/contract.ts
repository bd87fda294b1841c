/**
 * The parts of a simulated meter and their promises to each other. Types only.
 *
 *   bytes -> listener -> request reader -> machine (state) -> reply writer -> timed output -> bytes
 *                                          |      |
 *                                instrument (sound)  card (files) -> ftp server
 *
 * Faults stand between the listener and the machine and change what passes. The machine does not know of them.
 */

/** Time. Real with a speed, or virtual and moved by a test (`clock.ts`). */
export interface Clock {
  /** Wall time, whole ms since 1970-01-01 UTC. */
  now(): number;
  /** Monotonic milliseconds, with fractions. */
  elapsed(): number;
  /** Calls `fire` once after `ms`; the disposer cancels. */
  after(ms: number, fire: () => void): () => void;
}

/** As the wire orders them. */
export type ChannelName = 'main' | 'sub1' | 'sub2' | 'sub3';
/** IEC 61672-1. */
export type FrequencyWeighting = 'A' | 'C' | 'Z';
/** IEC 61672-1; `I` is the impulse weighting. */
export type TimeWeighting = 'F' | 'S' | 'I';

/** How one channel measures. */
export interface ChannelSetup {
  readonly on: boolean;
  readonly frequency: FrequencyWeighting;
  readonly time: TimeWeighting;
}

/** How the meter measures. */
export interface InstrumentSetup {
  readonly channels: Readonly<Record<ChannelName, ChannelSetup>>;
  /** The five percentages of LN1 ... LN5. */
  readonly percentiles: readonly [number, number, number, number, number];
  /** Window of Leq,mov in ms, or null when off. */
  readonly movingLeqMs: number | null;
  /** Where a class of 0.1 dB lies and which of its edges LN is. Default: rounded. */
  readonly percentileClass?: PercentileClass;
}

/**
 * What LN is, when the level falls into a class of 0.1 dB:
 * - `rounded`: a level counts in the tenth that it is shown as; LN below 50 is the next tenth above, above 50 the next one below
 * - `outer edges`: the upper edge of the class up to L50, the lower edge above it
 * - `nearest`: the middle of the class, which is a whole 0.1 dB
 * - `lower edge`, `upper edge`: always this edge
 */
export type PercentileClass = 'rounded' | 'outer edges' | 'nearest' | 'lower edge' | 'upper edge';

/** Levels in dB re 20 uPa, unrounded; null for a level that is missing. */
export interface DisplayValues {
  readonly lp: number | null;
  readonly leq: number | null;
  readonly le: number | null;
  readonly lmax: number | null;
  readonly lmin: number | null;
  readonly ln: readonly [number | null, number | null, number | null, number | null, number | null];
  readonly lpeak: number | null;
  readonly lieq: number | null;
  readonly leqMov: number | null;
  readonly ltm5: number | null;
  readonly over: boolean;
  readonly under: boolean;
}

/** One interval: for DRD 100 ms, for the card the Lp store interval or the Leq interval. */
export interface BlockValues {
  readonly lp: number;
  readonly leq: number;
  readonly le: number;
  readonly lmax: number;
  readonly lmin: number;
  readonly ln: readonly [number, number, number, number, number];
  readonly lpeak: number;
  readonly lieq: number;
  readonly over: boolean;
  readonly under: boolean;
}

/** One value a channel; null where the channel is off. */
export type PerChannel<T> = Readonly<Record<ChannelName, T | null>>;

/** An interval of a measurement, complete. */
export interface Block {
  readonly from: number;
  readonly to: number;
  readonly channels: PerChannel<BlockValues>;
}

/**
 * The sound level meter proper: a sound field integrated into levels. Time is the uptime in ms that the caller gives;
 * it never goes back. Work is done lazily, in `advance`: without a call nothing is computed.
 * The same seed, scenario and calls give the same numbers, however often `advance` is called in between.
 */
export interface Instrument {
  advance(to: number): void;
  configure(setup: InstrumentSetup): void;
  /** Clears all measured values and begins. Time counts from the last `advance`. */
  start(): void;
  pause(): void;
  resume(): void;
  /** Ends the measurement; its values stay on the display and become `result`. */
  stop(): void;
  /** Measured time of the present or last measurement, ms, without pauses. */
  readonly measuredMs: number;
  /** What DOD shows. A channel that is off is null. */
  display(): PerChannel<DisplayValues>;
  /** What DLC shows: the last finished measurement, null before the first. `lp` is null in it. */
  result(): PerChannel<DisplayValues> | null;
  /** The last complete interval of 100 ms, on a grid that begins with `beginFrames()`. */
  frame(): PerChannel<BlockValues>;
  /** Begins a new grid of 100 ms frames at the present time. */
  beginFrames(): void;
  /** Calls `take` for every complete interval of `periodMs` of measured time, in order, during `advance`. */
  onBlock(periodMs: number, take: (block: Block) => void): () => void;
  /** Changes the sound from now on: a scenario by name, or a steady level in dB(A). */
  play(sound: { readonly scenario: string } | { readonly steadyDb: number }): void;
}

/** Names and kind of a store on the card. Times are device time, ms since 1970 in the meter's own local clock. */
export interface StoreLabel {
  readonly mode: 'Auto' | 'Manual';
  readonly storeName: number;
  readonly indexNumber: number;
  readonly address: number;
  readonly startedAt: number;
  readonly model: 'NL-43' | 'NL-53';
  readonly serial: string;
  readonly setup: InstrumentSetup;
  readonly lpIntervalMs: number | null;
  readonly leqIntervalMs: number | null;
  /** How `.rnd` files are written; see `RndForm`. Default: its defaults. */
  readonly form?: Partial<RndForm>;
}

/**
 * One open Auto store; rows arrive while the measurement runs and the files grow with them. `deviceTime` is the device time
 * at which the block began. A row that finds no card or no room is gone.
 */
export interface OpenStore {
  lp(block: Block, deviceTime: number): void;
  leq(block: Block, deviceTime: number): void;
  close(): void;
}

/** A card that comes in place of another: empty, or with stores of another meter. */
interface NewCard {
  /** Default: the size of the old one. */
  readonly totalMb?: number;
  /** Device time at which it was first used. Default: that of the old one. */
  readonly startedAt?: number;
  /** The stores `Auto_0019` and `Manual_0019`, as a meter of this serial number and index number wrote them. */
  readonly stores?: { readonly serial?: string; readonly index?: number };
}

/** A file or a folder. */
export interface CardEntry {
  readonly name: string;
  readonly folder: boolean;
  /** Bytes; 0 for a folder. */
  readonly size: number;
  readonly modifiedAt: number;
}

/** Paths are absolute and `/`-separated. */
interface CardContent {
  /** The entries of a folder, oldest first; null if there is no folder. */
  list(path: string): readonly CardEntry[] | null;
  /** The bytes of a file, made when they are read; null if there is no file. Breaks with a CardProblem on eject. */
  read(path: string): Iterable<Uint8Array> | null;
}

/** The SD card. Writing throws a `CardProblem` (reason `missing` or `full`); an Auto store replaces one of the same name. */
export interface Card {
  readonly inserted: boolean;
  readonly totalMb: number;
  readonly freeMb: number;
  exists(mode: 'Auto' | 'Manual', storeName: number, address: number): boolean;
  openAuto(label: StoreLabel): OpenStore;
  storeManual(label: StoreLabel, measuredMs: number, values: PerChannel<DisplayValues>): void;
  /** Puts any file on the card: foreign files, large ones (content generated, never held). */
  addFile(
    path: string,
    content: Uint8Array | { readonly bytes: number; readonly seed: number },
    modifiedAt: number,
  ): void;
  addFolder(path: string, modifiedAt: number): void;
  eject(): void;
  insert(): void;
  /** Puts another card in. The content of the old card is gone; a store that is being written goes on without a card. */
  exchange(card: NewCard): void;
  /** Leaves this many MB free. */
  fill(freeMb: number): void;
}

/** One thing that happened, with the time on the simulator's monotonic clock, ms. */
export type MeterEvent =
  /** `client`: the address of who connects. */
  | {
      readonly at: number;
      readonly kind: 'connect' | 'refused' | 'held';
      readonly connection: number;
      readonly client: string;
    }
  | { readonly at: number; readonly kind: 'disconnect'; readonly connection: number }
  /** Bytes exactly as they came from or went to the wire. */
  | { readonly at: number; readonly kind: 'in' | 'out'; readonly connection: number; readonly bytes: Uint8Array }
  /** A complete command line (without CR LF), or SUB as `\x1a`, with the time its last byte came. */
  | { readonly at: number; readonly kind: 'command'; readonly connection: number; readonly text: string }
  /** A complete reply (with its prompt, if there is one). */
  | { readonly at: number; readonly kind: 'reply'; readonly connection: number; readonly text: string }
  | { readonly at: number; readonly kind: 'ftp'; readonly text: string }
  | { readonly at: number; readonly kind: 'state' | 'fault' | 'power'; readonly text: string };

/** The events of a meter, for tests. */
export interface EventLog {
  readonly events: readonly MeterEvent[];
  /** Texts of all command lines, SUB as `\x1a`, in order. */
  readonly commands: readonly string[];
  readonly connects: number;
  /** Pairs of a complete reply and the next command that were closer than `restMs`. */
  spacingViolations(restMs?: number): readonly { readonly command: string; readonly gapMs: number }[];
  clear(): void;
  /** Calls for every new event; the disposer ends it. */
  follow(listener: (event: MeterEvent) => void): () => void;
}

/** A meter as it is started. */
export interface MeterOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** 0, the default, takes any free port. */
  readonly tcpPort?: number;
  readonly ftpPort?: number;
  readonly model?: 'NL-43' | 'NL-53';
  /** Eight digits. */
  readonly serial?: string;
  /** Everything random comes from it. Default 1. */
  readonly seed?: number;
  /** Name of a file in config/scenarios. Default `office`. */
  readonly scenario?: string;
  /** A named set from config/profiles, or switches over the default one. */
  readonly profile?: string | Partial<import('./profile.ts').Profile>;
  readonly clock?: Clock;
  /** Step of the sound model, ms. Default 10; a fleet uses 100. */
  readonly soundStepMs?: number;
  /** The card holds the stores of a field card: `Auto_0019` and `Manual_0019`. Default: none. */
  readonly sampleStores?: boolean;
  /** Events kept, newest last. Default 100,000. */
  readonly keepEvents?: number;
}

/** A running simulated meter: two real servers on loopback, one machine behind them. */
export interface SimulatedMeter {
  readonly host: string;
  readonly tcpPort: number;
  readonly ftpPort: number;
  readonly log: EventLog;
  readonly instrument: Instrument;
  readonly card: Card & CardContent;
  readonly faults: FaultBoard;
  /** The value a request would show, by wire name (`Sleep Mode`, `Battery Level`, `Clock` ...). */
  read(name: string): string;
  /** Throws a TypeError, as `set` does, on a name or value that the meter does not have. */
  check(name: string, value: string): void;
  /** Sets a value as the keys of the meter would: no state check (`Battery Level`, `Store Mode` ...). `Measure` starts and stops. */
  set(name: string, value: string): void;
  /** Cuts the power: connections die, measured values are lost, settings stay. `after` ms later the meter is back. */
  powerCycle(afterMs?: number): Promise<void>;
  stop(): Promise<void>;
}

/** Meters differ in how they write `.rnd` files. */
export interface RndForm {
  /** LIeq, Leq,mov and Ltm5 have values; otherwise they are missing, as on the display. */
  readonly additional: boolean;
  /**
   * A public reader of NL-53 files looks for a column by the beginning of its name. It takes the last match. `by prefix`: no
   * column name begins with an earlier name. `Leqmov last`: Leq,mov is called `Leqmov` and hides Leq, Lpeak hides Lp.
   */
  readonly columns: 'by prefix' | 'Leqmov last';
  /** One row an interval, as public readers of NL-43 files want it; or one block of lines, as an NL-52 with its RT option writes. */
  readonly layout: 'rows' | 'blocks';
  /** Each line ends with a comma. */
  readonly lastComma: boolean;
  /** A memo of the user in Shift-JIS in addition to the levels. */
  readonly memo: boolean;
  /** A file that is being written ends at a full sector, in the middle of a row. */
  readonly cut: boolean;
}

/** The card as its FTP server sees it. Paths are absolute and `/`-separated. All answer null without a card. */
export interface CardTree extends CardContent {
  readonly model: StoreLabel['model'];
  /** Device time at which the card was first used. */
  readonly startedAt: number;
  /** Rows of stores that found no card or no room, since the beginning. */
  readonly lostRows: number;
  entry(path: string): CardEntry | null;
}

/**
 * When a fault works. All given conditions must hold. A fault of single replies is asked again for each reply. A lasting
 * fault begins once and stays: with the first command that fits, or at `fromMs` without a condition about commands.
 */
export interface When {
  /** Only for the commands with these numbers, counted from when the fault is switched on, from 1. */
  readonly commands?: readonly number[];
  /** Only for commands that begin with this text, case ignored. */
  readonly matching?: string;
  /** Only from and until these times after it was switched on, ms. */
  readonly fromMs?: number;
  readonly untilMs?: number;
  /** With this probability each time, 0 ... 1. */
  readonly probability?: number;
  /** At most this many times. */
  readonly times?: number;
}

/** The faults of one meter, for those who switch them. */
export interface FaultBoard {
  /** Switches a fault on: a kind of the catalogue with its settings. Returns its id. Throws a TypeError that names what is wrong. */
  on(kind: string, settings?: Readonly<Record<string, unknown>>, when?: When): string;
  /** False if there is no such fault, or no longer. */
  off(id: string): boolean;
  clear(): void;
  /** `fired` counts replies, connections and inputs that were changed, and for a lasting fault how often it began. */
  readonly active: readonly ActiveFault[];
}

/** A fault that is switched on. */
export interface ActiveFault {
  readonly id: string;
  readonly kind: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly when: When;
  readonly fired: number;
}
