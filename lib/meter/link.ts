/**
 * The one connection to a meter: opened when needed, kept, dropped when it can no longer be trusted. It sends nothing.
 *
 *   none -> dialling -> open -> none
 */
import { type Clock, sleep } from '../clock.ts';
import { isGatewayError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Address, Connection, Ending, Transport } from '../transport/contract.ts';
import type { CommandGap } from './command-gap.ts';
import type { ConnectLimit } from './connect-limit.ts';
import type { MeterReport } from './contract.ts';
import type { Counters } from './counters.ts';
import { dial } from './dial.ts';
import { endpointOf } from './faults.ts';
import type { Retry } from './retry.ts';
import type { MeterSettings } from './settings.ts';
import { Wire } from './wire.ts';

export interface LinkParts {
  readonly unitId: string;
  readonly address: Address;
  /** Asked anew for each probe: it may change without a new session. */
  readonly ftpPort: () => number;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: MeterSettings;
  readonly commandGap: CommandGap;
  readonly counters: Counters;
  /** How soon a line that failed may be dialled again. */
  readonly retry: Retry;
  /** How many connections the fleet may open. */
  readonly limit: ConnectLimit;
  /** Whether an operator waits for this meter. */
  readonly urgent: () => boolean;
  /** Whether the last attempt failed: then the slot is not the likeliest reason for silence. */
  readonly failing: () => boolean;
  /** The connection ended otherwise than in good order, or could not be had. */
  readonly onTrouble: () => void;
}

export interface OpenLine {
  readonly wire: Wire;
  /** The connection was open already: it may have died without a sign. */
  readonly kept: boolean;
  /** It looks open, but may reach nobody: see `isDoubtful`. */
  readonly doubtful: boolean;
}

export class Link {
  readonly #parts: LinkParts;
  #wire: Wire | undefined;
  /** The wire was opened while the slot of the meter may still have been taken by the one before. */
  #early = false;
  #dialling = false;
  #connectedSince: number | null = null;
  #lastEnding: MeterReport['lastEnding'] = null;
  #endedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: LinkParts) {
    this.#parts = parts;
  }

  get peer(): string {
    return endpointOf(this.#parts.address);
  }

  get dialling(): boolean {
    return this.#dialling;
  }

  get isOpen(): boolean {
    return this.#wire !== undefined;
  }

  /**
   * The connection looks open, but was quiet for so long that it may be dead; or it is new, was opened soon after the one
   * before and has not brought a byte: a meter whose slot is taken leaves it unserved (field log).
   */
  get isDoubtful(): boolean {
    const wire = this.#wire;
    if (!wire) return false;
    return wire.quietMs > this.#parts.settings.idleCheckMs || (this.#early && !wire.spoke);
  }

  get connectedSince(): number | null {
    return this.#connectedSince;
  }

  get lastEnding(): MeterReport['lastEnding'] {
    return this.#lastEnding;
  }

  /** A wire that may be used now. Errors: as `dial`. One caller at a time. */
  async open(signal: AbortSignal): Promise<OpenLine> {
    if (this.#wire?.ending && this.#forget(this.#wire, this.#wire.ending)) this.#parts.onTrouble();
    if (this.#wire?.unfit) this.drop(this.#wire.unfit);
    const wire = this.#wire;
    if (wire) return { wire, kept: true, doubtful: this.isDoubtful };
    await this.#patience(signal);
    this.#dialling = true;
    try {
      this.#early = this.#slotMayBeTaken && !this.#parts.failing();
      return { wire: this.#adopt(await this.#dial(signal)), kept: false, doubtful: this.#early };
    } finally {
      this.#dialling = false;
    }
  }

  /** Breaks the connection off: what it might still bring must not be heard. */
  drop(reason: string): void {
    const wire = this.#wire;
    if (!wire) return;
    this.#parts.log.info({ reason }, 'connection dropped');
    this.#forget(wire, { by: 'us', reason });
    this.#parts.onTrouble();
    wire.destroy(reason);
  }

  /** Ends the connection in good order: what was sent still goes out. */
  close(reason: string): void {
    const wire = this.#wire;
    if (!wire) return;
    this.#forget(wire, { by: 'us', reason });
    wire.close(reason);
  }

  get #slotMayBeTaken(): boolean {
    return this.#parts.clock.elapsed() - this.#endedAt < this.#parts.settings.slotFreeMs;
  }

  /** Until the meter has rested and a line that failed may be tried again. */
  async #patience(signal: AbortSignal): Promise<void> {
    const { commandGap, retry, clock } = this.#parts;
    await commandGap.wait(signal);
    for (let ms = retry.remainingMs(true); ms > 0; ms = retry.remainingMs(true)) await sleep(clock, ms, signal);
  }

  /** A slot of the meter may still be taken by the connection before: then one timeout proves nothing, so a second try. */
  async #dial(signal: AbortSignal): Promise<Connection> {
    const early = this.#slotMayBeTaken;
    try {
      return await this.#dialOnce(signal);
    } catch (error) {
      if (!early || signal.aborted || !isGatewayError(error, 'DEVICE_TIMEOUT')) throw error;
      await this.#parts.commandGap.wait(signal);
      return this.#dialOnce(signal);
    }
  }

  async #dialOnce(signal: AbortSignal): Promise<Connection> {
    const { unitId, address, ftpPort, transport, clock, settings, commandGap, counters } = this.#parts;
    const { connectTimeoutMs, probeTimeoutMs } = settings;
    await this.#parts.limit.take(this.#parts.urgent, signal);
    try {
      return await dial(
        { unitId, address, ftpPort: ftpPort(), transport, clock, connectTimeoutMs, probeTimeoutMs },
        signal,
      );
    } catch (error) {
      commandGap.restart();
      counters.connectFailures += 1;
      this.#parts.onTrouble();
      throw error;
    }
  }

  #adopt(connection: Connection): Wire {
    const { clock, commandGap, counters, settings } = this.#parts;
    const onDirty = (why: string) => this.drop(why);
    const wire = new Wire({ connection, clock, commandGap, counters, maxLineBytes: settings.maxLineBytes, onDirty });
    this.#wire = wire;
    this.#connectedSince = clock.now();
    counters.connects += 1;
    wire.ended.then((ending) => {
      if (this.#forget(wire, ending)) this.#parts.onTrouble();
    });
    return wire;
  }

  /** True the first time. */
  #forget(wire: Wire, { by, reason }: Ending): boolean {
    if (this.#wire !== wire) return false;
    this.#wire = undefined;
    this.#connectedSince = null;
    this.#lastEnding = { by, reason, at: this.#parts.clock.now() };
    this.#endedAt = this.#parts.clock.elapsed();
    this.#parts.commandGap.restart();
    return true;
  }
}
