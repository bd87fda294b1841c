/** Faults: what they do on the wire. Types only. */
import type { RefusalCode } from '../../lib/drivers/nl43/spec/framing.ts';

/**
 * A fault changes what happens on the wire between the machine and a client. Each kind is one small module that returns a
 * `Fault`; several may be in force at once and are asked in the order in which they were switched on.
 */
export type Admission = 'serve' | 'refuse' | 'hang';

/**
 * The next thing that leaves the meter: bytes after a wait, a reset, an end of our sending side, or silence from here on.
 * `afterMs` counts from the emission before it; for the first, from the moment when the meter hands over the list. Nothing
 * overtakes earlier emissions. Emissions that are due together go out in one segment.
 */
export type Emission =
  | { readonly afterMs: number; readonly bytes: Uint8Array }
  | { readonly afterMs: number; readonly act: 'reset' | 'half-close' | 'silence' };

/** Which command a reply belongs to. */
export interface CommandContext {
  /** Number of this command since the meter was switched on, from 1; 0 for what no command asked for. */
  readonly command: number;
  /** The command line without CR LF; SUB as `\x1a`; empty for an unsolicited emission. */
  readonly text: string;
  readonly connection: number;
  /** 0 <= x < 1, seeded. */
  random(): number;
}

/** One fault at work. Every method is optional: without a method, that part of the meter works as usual. */
export interface Fault {
  /** It comes into force, for faults that last (`lasting` in the catalogue). */
  begin?(): void;
  /** It is over: no timer may stay. */
  end?(): void;
  /** Somebody cut the power of the meter. */
  powerCycled?(): void;
  /** A client connects. The first answer other than `serve` holds. */
  admit?(connection: number): Admission;
  /** While true the control port itself is closed: a SYN gets a RST. Connections that are open stay open. */
  readonly closesPort?: boolean;
  /** How long the place of a connection stays taken after a close, ms. */
  readonly slotFreeDelayMs?: number;
  /** The place of a connection stays taken when it ends, except for its own client. */
  readonly keepsPlace?: boolean;
  /** The meter refuses a command in place of doing it; null lets it pass. */
  refusal?(context: CommandContext): RefusalCode | null;
  /** Bytes from the client, before the meter sees them; null makes them vanish. */
  incoming?(bytes: Uint8Array, connection: number): Uint8Array | null;
  /** The reply to one command, or one DRD frame (`frame` true). */
  outgoing?(emissions: readonly Emission[], context: CommandContext, frame: boolean): readonly Emission[];
  /** Changes the FTP side while in force; fields of `FtpBehaviour`. */
  readonly ftp?: Partial<import('../ftp/behaviour.ts').FtpBehaviour>;
}

/** The faults in force as the listener asks them, each in turn: what one lets through the next one gets. */
export interface WireFaults {
  readonly portClosed: boolean;
  /** 0 if no fault keeps the place taken. */
  readonly slotFreeDelayMs: number;
  /** The end of a connection is not heard. */
  readonly keepsPlace: boolean;
  admit(connection: number): Admission;
  refusal(context: CommandContext): RefusalCode | null;
  incoming(bytes: Uint8Array, connection: number): Uint8Array | null;
  outgoing(emissions: readonly Emission[], context: CommandContext, frame: boolean): readonly Emission[];
  powerCycled(): void;
  /** The meter stops: no timer stays. */
  close(): void;
}

/** Parts that a meter gives to `createFaultBoard(parts): FaultBoard & WireFaults` of `faults/board.ts`. */
export interface FaultParts {
  readonly clock: import('../contract.ts').Clock;
  readonly seed: number;
  /** How the FTP side behaves; read again at every step. */
  readonly behaviour: import('../ftp/behaviour.ts').FtpBehaviour;
  /** For the event log: a fault was switched, or fired. */
  note(text: string): void;
  /** The control port opens or closes as `portClosed` now says. */
  portChanged(): void;
  /** Ends every open control connection: reset, or silent from here on. */
  cut(how: 'reset' | 'silence'): void;
  /** Sends a text that no command asked for. False when that connection is no longer served. */
  say(connection: number, emissions: readonly Emission[]): boolean;
  /** Cuts the power; it is back after this many ms. */
  powerCycle(afterMs: number): void;
}
