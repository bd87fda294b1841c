/** Knows which WebSocket clients watch which unit, and whether a further client is allowed. */
import { type Client, GatewayError } from '../../lib/index.ts';
import type { LiveSettings } from './schemas.ts';

/** Pause for clients that were refused, s: pages are closed all the time. */
const RETRY_AFTER_S = 10;

/** Counts the clients. Errors: TOO_MANY_STREAMS. */
export class StreamLimit {
  readonly #settings: LiveSettings;
  /** The unit that each client watches; undefined: many units. */
  readonly #clients = new Map<Client, string | undefined>();

  constructor(settings: LiveSettings) {
    this.#settings = settings;
  }

  /** Before the upgrade. Errors: TOO_MANY_STREAMS. */
  check(unitId?: string): void {
    const refused = this.#refusal(unitId);
    if (refused)
      throw new GatewayError('TOO_MANY_STREAMS', refused, { headers: { 'Retry-After': `${RETRY_AFTER_S}` } });
  }

  /** False, and the client is closed, if other clients took its place since it was admitted. */
  enter(client: Client, unitId?: string): boolean {
    const refused = this.#refusal(unitId);
    if (refused) client.close(1013, refused);
    if (refused || client.gone.aborted) return false;
    this.#clients.set(client, unitId);
    client.gone.addEventListener('abort', () => this.#clients.delete(client), { once: true });
    return true;
  }

  get clients(): ReadonlyMap<Client, string | undefined> {
    return this.#clients;
  }

  #refusal(unitId: string | undefined): string | undefined {
    const { streams, streams_per_unit: most } = this.#settings;
    if (this.#clients.size >= streams) return `Too many streams are open: at most ${streams}.`;
    if (unitId === undefined) return undefined;
    let ofUnit = 0;
    for (const watched of this.#clients.values()) if (watched === unitId) ofUnit += 1;
    return ofUnit >= most ? `Too many streams of this meter are open: at most ${most}.` : undefined;
  }
}
