/** Which meter it is: asked once, and only when that interrupts no stream. */
import { type Caller, type DeviceConfig, type Host, nl43 } from '../../lib/index.ts';

export interface Identity {
  readonly type: string | null;
  readonly serial: string | null;
}

/** A report does not wait long for it, ms. */
const PATIENCE_MS = 5_000;

const UNKNOWN: Identity = Object.freeze({ type: null, serial: null });

export class Identities {
  readonly #host: Pick<Host, 'meter' | 'report'>;
  readonly #known = new Map<string, Identity>();

  constructor(host: Pick<Host, 'meter' | 'report'>) {
    this.#host = host;
  }

  /** Null where the meter could not be asked now. Never rejects. */
  async of(config: DeviceConfig, { signal }: Caller): Promise<Identity> {
    const { unitId, host, tcpPort, tcpEnabled } = config;
    const key = JSON.stringify([unitId, host, tcpPort]);
    const known = this.#known.get(key);
    if (known) return known;
    if (!tcpEnabled || (this.#host.report(unitId)?.watchers ?? 0) > 0) return UNKNOWN;
    const caller = { signal, deadlineMs: PATIENCE_MS, priority: 'background' } as const;
    try {
      const identity = await this.#host.meter(unitId).reserve(
        'type and serial number for a report',
        async (reservation) => ({
          type: await reservation.send(nl43.deviceType()),
          serial: await reservation.send(nl43.serialNumber()),
        }),
        caller,
      );
      this.#known.set(key, identity);
      return identity;
    } catch {
      return UNKNOWN;
    }
  }
}
