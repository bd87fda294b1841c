/**
 * Which meter it is: type and serial number. A meter whose stream is recorded is asked once, before its stream begins; any
 * other meter with its first report. Asking later would interrupt the recording.
 */
import type { DeviceConfig, Host } from '../../lib/index.ts';

/** Null: not known. */
export interface ReportedIdentity {
  readonly type: string | null;
  readonly serial: string | null;
}

/** A report does not wait long for it, ms. */
const PATIENCE_MS = 5_000;
/** Where nobody waits; a stream that begins meanwhile keeps the line for some seconds between two questions, ms. */
const BACKGROUND_MS = 60_000;

const UNKNOWN: ReportedIdentity = Object.freeze({ type: null, serial: null });

type Parts = Pick<Host, 'meter' | 'report' | 'signal'>;

/** What is known of each meter since the gateway started. */
export class Identities {
  readonly #host: Parts;
  readonly #known = new Map<string, ReportedIdentity>();

  constructor(host: Parts) {
    this.#host = host;
  }

  /** Nulls where the meter could not be asked now. Never rejects. */
  async of(config: DeviceConfig, signal: AbortSignal): Promise<ReportedIdentity> {
    const known = this.#known.get(keyOf(config));
    if (known) return known;
    const streams = (this.#host.report(config.unitId)?.watchers ?? 0) > 0;
    return streams || !config.tcpEnabled ? UNKNOWN : this.#ask(config, signal, PATIENCE_MS);
  }

  /** Another meter answers at its address. */
  forget(config: DeviceConfig): void {
    this.#known.delete(keyOf(config));
  }

  /** Its config has changed, or it has just been reached. Never rejects. */
  async meet(config: DeviceConfig): Promise<void> {
    const { history, tcpEnabled, unitId } = config;
    if (history !== 'stream' || !tcpEnabled || this.#known.has(keyOf(config))) return;
    if (this.#host.report(unitId)?.state !== 'streaming') await this.#ask(config, this.#host.signal, BACKGROUND_MS);
  }

  async #ask(config: DeviceConfig, signal: AbortSignal, deadlineMs: number): Promise<ReportedIdentity> {
    try {
      const meter = this.#host.meter(config.unitId);
      meter.assertCan('model', 'serialNumber');
      const identity = await meter.reserve(
        'type and serial number for reports',
        async (reservation) => ({
          type: await reservation.perform('model'),
          serial: await reservation.perform('serialNumber'),
        }),
        { signal, deadlineMs, priority: 'background' },
        { join: 'identity' },
      );
      this.#known.set(keyOf(config), identity);
      return identity;
    } catch {
      return UNKNOWN;
    }
  }
}

/** Another address may be another meter. */
const keyOf = ({ unitId, family, host, tcpPort }: DeviceConfig): string =>
  JSON.stringify([unitId, family, host, tcpPort]);
