/**
 * Once a day the clock of each meter is read, unless a stream or a person has read it. So a wrong clock is noticed. It
 * works in the background, one meter after the other. A meter that does not answer is asked again an hour later.
 */
import { type Host, messageOf, readClock, sleep } from '../../../lib/index.ts';

const DAY_MS = 86_400_000;
/** After a start of the gateway, other parts have more questions. */
const FIRST_MS = 600_000;
const LOOK_MS = 60_000;
const AGAIN_MS = 3_600_000;

/** Runs until its signal aborts. */
export class DailyClock {
  readonly #host: Host;
  /** When a unit that did not answer may be asked again, on the monotonic clock. */
  readonly #notBefore = new Map<string, number>();

  constructor(host: Host) {
    this.#host = host;
    host.on('removal', ({ unitId }) => this.#notBefore.delete(unitId));
  }

  /** Ends with the plugin. */
  async run(): Promise<void> {
    const { clock, configs, signal } = this.#host;
    for (let waitMs = FIRST_MS; !signal.aborted; waitMs = LOOK_MS) {
      await sleep(clock, waitMs, signal).catch(() => {});
      for (const { unitId, tcpEnabled } of configs.list()) {
        if (signal.aborted) return;
        if (tcpEnabled && this.#isDue(unitId)) await this.#read(unitId);
      }
    }
  }

  #isDue(unitId: string): boolean {
    const { clock } = this.#host;
    if (clock.elapsed() < (this.#notBefore.get(unitId) ?? 0)) return false;
    const last = this.#host.reachability(unitId)?.clock;
    // A reading with a future time was made while the wall clock was ahead.
    return !last || Math.abs(clock.now() - last.at) >= DAY_MS;
  }

  async #read(unitId: string): Promise<void> {
    const { clock, signal, log } = this.#host;
    this.#notBefore.set(unitId, clock.elapsed() + AGAIN_MS);
    try {
      const meter = this.#host.meter(unitId);
      if (meter.can('clock')) await readClock(meter, clock, { signal });
    } catch (error) {
      const entry = { unit_id: unitId, reason: messageOf(error) };
      if (!signal.aborted) log.info(entry, 'the clock could not be read; the next try is in an hour');
    }
  }
}
