/**
 * The one connection to a meter: opened when needed, kept, dropped when it can no longer be trusted. It sends nothing.
 *
 *   none -> connecting -> open -> none
 */
import { sleep, within } from '../clock.ts';
import type { Named } from '../drivers/wire/contract.ts';
import { type GatewayError, isGatewayError } from '../errors.ts';
import { type ByteStream, type Ending, endpointOf } from '../transport/contract.ts';
import { Connection, FIRST_BYTE } from './connection.ts';
import type { MeterReport } from './contract.ts';
import { type CommandOutcome, isRefused } from './faults.ts';
import type { MeterPort } from './meter-port.ts';
import type { SharedParts } from './shared-parts.ts';
import type { StreamEnd } from './stream-run.ts';

export interface OpenConnection {
  readonly connection: Connection;
  /** The connection was already open: it may have died without a sign. */
  readonly kept: boolean;
  /** `isDoubtful` of the connection before anything was sent. */
  readonly doubtful: boolean;
}

/** How long an answer of the FTP port is valid while the control port is tried repeatedly. */
const PROBE_KEPT_MS = 10_000;

/** Errors: those of the transport, as GatewayError with place and reason. */
export class Connector {
  isConnecting = false;
  isPortWanted = false;
  readonly #parts: SharedParts;
  #connection: Connection | undefined;
  #lastEnding: MeterReport['lastEnding'] = null;
  #endedAt = Number.NEGATIVE_INFINITY;
  #port: MeterPort | undefined;
  #cancelIdleClose = () => {};
  #probe = { at: Number.NEGATIVE_INFINITY, answers: false };
  readonly #wantPort = (): void => {
    this.isPortWanted = true;
    this.#parts.onChange();
  };

  constructor(parts: SharedParts) {
    this.#parts = parts;
  }

  /** Port of the meter, as far as it is known; its rest must be kept. */
  get port(): MeterPort {
    return this.#port ?? this.#parts.ports.named(this.#parts.address);
  }

  get isOpen(): boolean {
    return this.#connection !== undefined;
  }

  get report(): Pick<MeterReport, 'connectedSince' | 'lastEnding' | 'sharedWith'> {
    return { connectedSince: this.#connection?.since ?? null, lastEnding: this.#lastEnding, sharedWith: this.#others };
  }

  /**
   * A usable connection: the rest is over, and all arrived bytes are read. Errors: DEVICE_UNREACHABLE, DEVICE_WEDGED,
   * DEVICE_TIMEOUT, ADDRESS_REFUSED; the reason of the session's end. One caller at a time.
   */
  async open(): Promise<OpenConnection> {
    // A received byte, and the end of the connection, start the rest again.
    do {
      await this.port.wait(this.#parts);
      const connection = this.#connection;
      // A late line that was not read yet must not be taken for the answer to the next command.
      await connection?.socket.readPending();
      if (connection?.socket.ending) this.#ended(connection, connection.socket.ending);
      else if (connection?.unfit) this.drop(connection.unfit);
    } while (this.port.restLeftMs > 0);
    const kept = this.#connection;
    const connection = kept ?? (await this.#connect());
    return { connection, kept: kept !== undefined, doubtful: connection.isDoubtful };
  }

  drop(reason: string): void {
    const connection = this.#forget({ by: 'us', reason });
    if (!connection) return;
    this.#parts.log.info({ reason }, 'connection dropped');
    this.#parts.state.invalidate();
    connection.socket.destroy(reason);
  }

  fault(command: Named, end: Exclude<CommandOutcome, { kind: 'done' }>): GatewayError {
    const { state, faults, unit } = this.#parts;
    if (end.kind === 'garbled') state.noteStrange(end.raw);
    if (end.kind !== 'refused') return this.broken(faults.broken(command, end), isHeard(end));
    unit.counters.refused += 1;
    state.reached();
    return faults.refused(command.text, end.refusal, state.deviceState);
  }

  /** After this error the next bytes of the connection are uncertain, so it is dropped. */
  broken(error: GatewayError, heard = false): GatewayError {
    const { state, unit } = this.#parts;
    this.drop(error.message);
    if (error.code === 'DEVICE_TIMEOUT') unit.counters.timeouts += 1;
    if (error.code === 'DEVICE_GARBLED') unit.counters.garbled += 1;
    state.failed(error, heard);
    return error;
  }

  close(reason: string): void {
    this.#forget({ by: 'us', reason })?.socket.close(reason);
  }

  /** The session has ended, or moves to another port: the unit no longer uses this port. */
  leavePort(): void {
    this.#cancelIdleClose();
    this.#port?.units.delete(this.#parts.unitId);
    this.#port?.release(this.#wantPort);
  }

  yieldPort(): void {
    this.isPortWanted = false;
    this.close('another unit uses the same meter');
  }

  /** No command waits. */
  set isIdle(idle: boolean) {
    const { clock, settings } = this.#parts;
    this.#cancelIdleClose();
    if (!idle || settings.idleCloseMs === 0 || !this.isOpen) return;
    this.#cancelIdleClose = clock.after(settings.idleCloseMs, () => this.close('idle'));
  }

  get #others(): readonly string[] {
    return [...(this.#port?.units ?? [])].filter((unitId) => unitId !== this.#parts.unitId);
  }

  async #connect(): Promise<Connection> {
    const { state, clock, settings, signal } = this.#parts;
    const { retry } = state;
    for (let ms = retry.remainingMs('operator'); ms > 0; ms = retry.remainingMs('operator')) {
      await sleep(clock, ms, signal);
    }
    this.isConnecting = true;
    try {
      const addresses = await this.#claimPort();
      const mayBeTaken = clock.elapsed() - Math.max(this.#endedAt, this.port.endedAt) < settings.slotFreeMs;
      const socket = await this.#dial(addresses, mayBeTaken);
      // After a failed attempt, silence most likely has another reason than a slot that is taken.
      return this.#adopt(socket, mayBeTaken && state.reachability.consecutiveFailures === 0);
    } catch (error) {
      if (isGatewayError(error) && !signal.aborted) state.failed(error);
      throw error;
    } finally {
      this.isConnecting = false;
      if (!this.#connection) this.#port?.release(this.#wantPort);
    }
  }

  /** Finds the port of the meter, and waits until no other unit uses its connection. */
  async #claimPort(): Promise<readonly string[] | undefined> {
    const { unitId, transport, address, driver, ports, log, settings, signal } = this.#parts;
    const addresses = await this.#limited(async (end) => transport.resolve?.(address, end));
    this.leavePort();
    const port = ports.resolved(address, addresses ?? [address.host.toLowerCase()]);
    port.restMs = driver.restMs ?? settings.spacingMs;
    this.#port = port;
    if (port.units.size > 0) {
      log.warn({ units: [...port.units], address: addresses }, 'another unit is the same meter; they take turns');
    }
    port.units.add(unitId);
    await port.claim(this.#wantPort, signal);
    await port.wait({ signal });
    return addresses;
  }

  async #dial(addresses: readonly string[] | undefined, mayBeTaken: boolean): Promise<ByteStream> {
    const { address, transport, limit, signal, queue } = this.#parts;
    const once = async () => {
      await limit.take(() => queue.isUrgent, signal);
      return this.#limited((end) => transport.dial(address, end, addresses));
    };
    try {
      return await once();
    } catch (error) {
      if (!mayBeTaken || signal.aborted || !isGatewayError(error, 'DEVICE_TIMEOUT')) throw error;
      await this.port.wait({ signal });
      return once();
    }
  }

  async #limited<T>(work: (end: AbortSignal) => Promise<T>): Promise<T> {
    const { clock, settings, unit, faults, state, signal } = this.#parts;
    const late = () => faults.noConnectionInTime(settings.connectTimeoutMs);
    try {
      return await within(clock, settings.connectTimeoutMs, late, work, signal);
    } catch (error) {
      this.port.restart();
      unit.counters.connectFailures += 1;
      state.invalidate();
      throw signal.aborted || isGatewayError(error) ? error : await this.#meaningOf(error);
    }
  }

  /**
   * A meter whose control port refuses while its FTP port accepts no longer listens for commands; switching it off and
   * on helps (field report).
   */
  async #meaningOf(error: unknown): Promise<unknown> {
    const { config, clock, driver, faults } = this.#parts;
    if (!isRefused(error) || !driver.wedges) return faults.unreachable(error);
    if (clock.elapsed() - this.#probe.at >= PROBE_KEPT_MS) {
      this.#probe = { at: clock.elapsed(), answers: await this.#ftpAnswers() };
    }
    return this.#probe.answers ? faults.wedged(config().ftpPort, error) : faults.unreachable(error);
  }

  async #ftpAnswers(): Promise<boolean> {
    const { address, config, transport, clock, settings, signal } = this.#parts;
    const ftp = { host: address.host, port: config().ftpPort };
    const late = () => new Error('no answer');
    try {
      const socket = await within(clock, settings.probeTimeoutMs, late, (end) => transport.dial(ftp, end), signal);
      socket.close('probed');
      return true;
    } catch {
      return false;
    }
  }

  #adopt(socket: ByteStream, early: boolean): Connection {
    const { address, unit, publish, state } = this.#parts;
    const connection = new Connection({
      ...this.#parts,
      socket,
      early,
      gap: this.port,
      onDirty: (why, raw) => {
        if (raw !== undefined) state.noteStrange(raw);
        this.drop(why);
      },
    });
    this.#connection = connection;
    unit.counters.connects += 1;
    publish('connection', { change: 'opened', endpoint: endpointOf(address) });
    socket.ended.then((ending) => this.#ended(connection, ending));
    return connection;
  }

  #ended(connection: Connection, ending: Ending): void {
    if (this.#connection !== connection) return;
    this.#forget(ending);
    this.#parts.state.invalidate();
  }

  #forget({ by, reason }: Ending): Connection | undefined {
    const { address, clock, publish } = this.#parts;
    const connection = this.#connection;
    if (!connection) return undefined;
    this.#connection = undefined;
    this.#lastEnding = { by, reason, at: clock.now() };
    this.#endedAt = clock.elapsed();
    this.port.left();
    this.port.release(this.#wantPort);
    publish('connection', { change: 'closed', endpoint: endpointOf(address), by, reason });
    return connection;
  }
}

/** No byte came, and the connection was kept and has ended, or was doubtful and is silent. */
export const reachedNobody = (end: CommandOutcome | StreamEnd, { kept, doubtful }: OpenConnection): boolean =>
  end.kind === 'ended' ? kept && !end.heard : end.kind === 'silent' && end.stage === FIRST_BYTE && doubtful;

const isHeard = (end: CommandOutcome | StreamEnd): boolean =>
  end.kind === 'ended' ? end.heard : end.kind === 'silent' && end.stage !== FIRST_BYTE;
