/**
 * Once a day the clock of each meter is read that no stream and no person has asked, so that a wrong one is noticed. In the
 * background, one meter after the other. A meter that does not answer is asked again an hour later.
 */
import { type Host, messageOf, readClock, sleep } from '../../../lib/index.ts';

const DAY_MS = 86_400_000;
/** When the gateway has just started, others have more to ask. */
const FIRST_MS = 600_000;
const LOOK_MS = 60_000;
const AGAIN_MS = 3_600_000;

/** Runs until its signal aborts. */
export class DailyClock {
  readonly #host: Host;
  /** When a unit may be asked again that did not answer, on the clock that does not jump. */
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
    // A reading of the future was made while the wall clock was ahead.
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
