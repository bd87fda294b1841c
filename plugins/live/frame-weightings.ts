/**
 * Frames contain the weightings of their levels. Polling and recording read the weightings of their meters. For other
 * meters the gateway asks once the stream has run for a while, so that viewers see the weightings.
 */
import { type Host, isGatewayError, type Meter, messageOf } from '../../lib/index.ts';

/** Polling and recording ask first. ms */
const PATIENCE_MS = 10_000;
/** Pause after a failed question, ms. */
const AGAIN_MS = 60_000;

/** Asks for the weightings of meters whose frames have none. */
export class FrameWeightings {
  readonly #host: Pick<Host, 'clock' | 'log'>;
  /** The time from which the weightings of a meter may be asked for, on the monotonic clock. */
  readonly #due = new WeakMap<Meter, number>();

  constructor(host: Pick<Host, 'clock' | 'log'>) {
    this.#host = host;
  }

  /** A frame has come. `signal`: of a client that watches it. */
  see(meter: Meter, signal: AbortSignal): void {
    const { frequencyWeighting, timeWeighting } = meter.deviceState;
    if (frequencyWeighting !== null && timeWeighting !== null) this.#due.delete(meter);
    else if (meter.can('weightings')) this.#askWhenDue(meter, signal);
  }

  #askWhenDue(meter: Meter, signal: AbortSignal): void {
    const now = this.#host.clock.elapsed();
    const due = this.#due.get(meter) ?? now + PATIENCE_MS;
    this.#due.set(meter, now < due ? due : now + AGAIN_MS);
    if (now >= due) void this.#ask(meter, signal);
  }

  async #ask(meter: Meter, signal: AbortSignal): Promise<void> {
    try {
      await meter.perform('weightings', { signal, deadlineMs: AGAIN_MS, priority: 'background' });
    } catch (error) {
      if (signal.aborted) return;
      const level = isGatewayError(error) ? 'info' : 'error';
      this.#host.log[level]({ unit_id: meter.unitId, error: messageOf(error) }, 'the weightings could not be read');
    }
  }
}
