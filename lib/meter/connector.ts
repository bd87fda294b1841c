/**
 * The one connection to a meter: opened when needed, kept, dropped when it can no longer be trusted. It sends nothing.
 *
 *   none -> connecting -> open -> none
 */
import { sleep, within } from '../clock.ts';
import { isGatewayError } from '../errors.ts';
import type { ByteStream, Ending } from '../transport/contract.ts';
import { Connection } from './connection.ts';
import type { MeterReport } from './contract.ts';
import { endpointOf, isRefused, noConnectionInTime, unreachable, wedged } from './faults.ts';
import type { MeterPort, PortOwner } from './meter-port.ts';
import type { Retry } from './retry.ts';
import type { SessionParts } from './session-parts.ts';

export interface ConnectorParts extends SessionParts {
  /** How soon a connection that failed may be dialled again. */
  readonly retry: Retry;
  /** Whether an operator waits for this meter. */
  readonly urgent: () => boolean;
  /** Whether the last attempt failed: then the slot is not the likeliest reason for silence. */
  readonly failing: () => boolean;
  /** Another unit wants the same meter under another name. */
  readonly onPortWanted: () => void;
  /** The connection ended otherwise than in good order, or could not be had. */
  readonly onTrouble: () => void;
}

export interface OpenConnection {
  readonly connection: Connection;
  /** It was open already: it may have died without a sign. */
  readonly kept: boolean;
  /** It looks open, but may reach nobody: see `isDoubtful`. */
  readonly doubtful: boolean;
}

/** How long the answer of the FTP port is believed while the control port is tried again and again. */
const PROBE_KEPT_MS = 10_000;

export class Connector implements PortOwner {
  readonly #parts: ConnectorParts;
  #connection: Connection | undefined;
  /** It was opened while the slot of the meter may still have been taken by the one before. */
  #early = false;
  #connecting = false;
  #connectedSince: number | null = null;
  #lastEnding: MeterReport['lastEnding'] = null;
  #endedAt = Number.NEGATIVE_INFINITY;
  /** Where the meter was when it was last connected to. */
  #port: MeterPort | undefined;
  #cancelIdleClose = () => {};
  #probe = { at: Number.NEGATIVE_INFINITY, answers: false };

  constructor(parts: ConnectorParts) {
    this.#parts = parts;
  }

  /** Address and port of the meter, for messages. */
  get endpoint(): string {
    return endpointOf(this.#parts.address);
  }

  get isConnecting(): boolean {
    return this.#connecting;
  }

  get isOpen(): boolean {
    return this.#connection !== undefined;
  }

  get connectedSince(): number | null {
    return this.#connectedSince;
  }

  get lastEnding(): MeterReport['lastEnding'] {
    return this.#lastEnding;
  }

  /**
   * A connection that may be used now: the gap is over, and what had arrived before is read. Errors: DEVICE_UNREACHABLE,
   * DEVICE_WEDGED, DEVICE_TIMEOUT, ADDRESS_REFUSED; the signal's reason when it aborts first. One caller at a time.
   */
  async open(signal: AbortSignal): Promise<OpenConnection> {
    for (;;) {
      await this.#parts.commandGap.wait(signal);
      this.#dropUnfit();
      const connection = this.#connection;
      if (!connection) return this.#connect(signal);
      // A late line that lies in the socket must not be taken for the answer to the next command.
      await connection.readPending();
      if (this.#connection === connection && !connection.ending && !connection.unfit) {
        if (this.#parts.commandGap.remainingMs === 0) return { connection, kept: true, doubtful: this.#isDoubtful };
      }
    }
  }

  /** Breaks the connection off: what it might still bring must not be heard. */
  drop(reason: string): void {
    const connection = this.#connection;
    if (!connection) return;
    this.#parts.log.info({ reason }, 'connection dropped');
    this.#forget(connection, { by: 'us', reason });
    this.#parts.onTrouble();
    connection.destroy(reason);
  }

  /** Another unit wants the meter. */
  yieldPort(): void {
    this.#parts.onPortWanted();
  }

  /** The session is over: the unit has nothing to do with the port any more. */
  leavePort(): void {
    this.#cancelIdleClose();
    this.#port?.units.delete(this.#parts.unitId);
    this.#port?.release(this);
  }

  /** Ends the connection in good order: what was sent still goes out. */
  close(reason: string): void {
    const connection = this.#connection;
    if (!connection) return;
    this.#forget(connection, { by: 'us', reason });
    connection.close(reason);
  }

  /**
   * The connection looks open, but was quiet for so long that it may be dead; or it is new, was opened soon after the one
   * before and has not brought a byte: a meter whose slot is taken leaves it unserved (field log).
   */
  get #isDoubtful(): boolean {
    const connection = this.#connection;
    if (!connection) return false;
    return connection.quietMs > this.#parts.settings.idleCheckMs || (this.#early && !connection.hasReceived);
  }

  /** Other units that have connected to the same meter. */
  get sharedWith(): readonly string[] {
    return [...(this.#port?.units ?? [])].filter((unitId) => unitId !== this.#parts.unitId);
  }

  /** Nothing is to be sent for now, or something is again. */
  set isIdle(idle: boolean) {
    const { clock, settings } = this.#parts;
    this.#cancelIdleClose();
    if (!idle || settings.idleCloseMs === 0 || !this.isOpen) return;
    this.#cancelIdleClose = clock.after(settings.idleCloseMs, () => this.close('idle'));
  }

  get #slotMayBeTaken(): boolean {
    const others =
      this.sharedWith.length > 0 ? (this.#port?.endedAt ?? Number.NEGATIVE_INFINITY) : Number.NEGATIVE_INFINITY;
    return this.#parts.clock.elapsed() - Math.max(this.#endedAt, others) < this.#parts.settings.slotFreeMs;
  }

  #dropUnfit(): void {
    const connection = this.#connection;
    if (connection?.ending && this.#forget(connection, connection.ending)) this.#parts.onTrouble();
    else if (connection?.unfit) this.drop(connection.unfit);
  }

  async #connect(signal: AbortSignal): Promise<OpenConnection> {
    const { commandGap, retry, clock, failing } = this.#parts;
    await commandGap.wait(signal);
    for (let ms = retry.remainingMs('operator'); ms > 0; ms = retry.remainingMs('operator')) {
      await sleep(clock, ms, signal);
    }
    this.#connecting = true;
    try {
      const resolved = await this.#claimPort(signal);
      this.#early = this.#slotMayBeTaken && !failing();
      return { connection: this.#adopt(await this.#dial(signal, resolved)), kept: false, doubtful: this.#early };
    } finally {
      this.#connecting = false;
      if (!this.#connection) this.#port?.release(this);
    }
  }

  /** Finds out where the meter is, and waits until no other unit has its connection. */
  async #claimPort(signal: AbortSignal): Promise<readonly string[] | undefined> {
    const { unitId, transport, address, commandGap, ports, log } = this.#parts;
    const resolved = await this.#limited(
      (end) => transport.resolve?.(address, end) ?? Promise.resolve(undefined),
      signal,
    );
    this.leavePort();
    const port = ports.of(resolved ?? [address.host.toLowerCase()], address.port);
    commandGap.moveTo(port);
    this.#port = port;
    if (!port.units.has(unitId) && port.units.size > 0) {
      log.warn({ units: [...port.units], address: resolved }, 'another unit is the same meter; they take turns');
    }
    port.units.add(unitId);
    await port.claim(this, signal);
    await commandGap.wait(signal);
    return resolved;
  }

  /** A slot of the meter may still be taken by the connection before: then one timeout proves nothing, so a second try. */
  async #dial(signal: AbortSignal, resolved?: readonly string[]): Promise<ByteStream> {
    const early = this.#slotMayBeTaken;
    try {
      return await this.#dialOnce(signal, resolved);
    } catch (error) {
      if (!early || signal.aborted || !isGatewayError(error, 'DEVICE_TIMEOUT')) throw error;
      await this.#parts.commandGap.wait(signal);
      return this.#dialOnce(signal, resolved);
    }
  }

  async #dialOnce(signal: AbortSignal, resolved?: readonly string[]): Promise<ByteStream> {
    const { address, transport, limit, urgent } = this.#parts;
    await limit.take(urgent, signal);
    return this.#limited((end) => transport.dial(address, end, resolved), signal);
  }

  /** Within the time for a connect; what fails begins the gap and counts. */
  async #limited<T>(work: (end: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    const { unitId, clock, settings, commandGap, tally } = this.#parts;
    const late = () => noConnectionInTime(unitId, this.endpoint, settings.connectTimeoutMs);
    try {
      return await within(clock, settings.connectTimeoutMs, late, work, signal);
    } catch (error) {
      commandGap.restart();
      tally.counters.connectFailures += 1;
      this.#parts.onTrouble();
      throw signal.aborted || isGatewayError(error) ? error : await this.#meaningOf(error, signal);
    }
  }

  /**
   * A meter whose control port refuses while its FTP port accepts has lost its listener: only power brings it back (field
   * report). A dead link or a meter that is off refuses neither or both.
   */
  async #meaningOf(error: unknown, signal: AbortSignal): Promise<unknown> {
    const { unitId, ftpPort, clock } = this.#parts;
    if (!isRefused(error)) return unreachable(unitId, this.endpoint, error);
    if (clock.elapsed() - this.#probe.at >= PROBE_KEPT_MS) {
      this.#probe = { at: clock.elapsed(), answers: await this.#ftpAnswers(signal) };
    }
    if (!this.#probe.answers) return unreachable(unitId, this.endpoint, error);
    return wedged(unitId, this.endpoint, ftpPort(), error);
  }

  async #ftpAnswers(signal: AbortSignal): Promise<boolean> {
    const { address, ftpPort, transport, clock, settings } = this.#parts;
    const ftp = { host: address.host, port: ftpPort() };
    const late = () => new Error('no answer');
    try {
      const socket = await within(clock, settings.probeTimeoutMs, late, (end) => transport.dial(ftp, end), signal);
      socket.close('probed');
      return true;
    } catch {
      return false;
    }
  }

  #adopt(socket: ByteStream): Connection {
    const { clock, driver, commandGap, tally, settings } = this.#parts;
    const onDirty = (why: string) => this.drop(why);
    const { counters } = tally;
    const maxLineBytes = settings.maxLineBytes;
    const connection = new Connection({ socket, driver, clock, commandGap, counters, maxLineBytes, onDirty });
    this.#connection = connection;
    this.#connectedSince = clock.now();
    counters.connects += 1;
    connection.ended.then((ending) => {
      if (this.#forget(connection, ending)) this.#parts.onTrouble();
    });
    return connection;
  }

  /** True the first time. */
  #forget(connection: Connection, { by, reason }: Ending): boolean {
    if (this.#connection !== connection) return false;
    this.#connection = undefined;
    this.#connectedSince = null;
    this.#lastEnding = { by, reason, at: this.#parts.clock.now() };
    const { commandGap, clock } = this.#parts;
    commandGap.restart();
    this.#endedAt = clock.elapsed();
    if (this.#port) this.#port.endedAt = this.#endedAt;
    this.#port?.release(this);
    return true;
  }
}
