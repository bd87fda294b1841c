/**
 * Energy means of the last full quarter and the last full hour, for units that record. They come from the history, a little
 * after the end of the quarter, when its last second is stored.
 */
import { type DeviceConfig, type Host, iso, messageOf, zones } from '../../lib/index.ts';
import type { Payload } from './messages.ts';

/** Topics of a unit. */
export type MeanTopic = 'leq_15m' | 'leq_1h';

const QUARTER_MS = 900_000;
const HOUR_MS = 3_600_000;
/** Pause after the end of a quarter: rows of the stream are stored a second after their time. ms */
const SETTLE_MS = 10_000;

/** Publishes until `stop`. */
export class MeanLevels {
  readonly #host: Host;
  readonly #tell: (unitId: string, topic: MeanTopic, values: Payload) => void;
  #cancel: () => void;

  /** `tell` gets the last full means soon after the start, and then each mean when its time is over. */
  constructor(host: Host, tell: (unitId: string, topic: MeanTopic, values: Payload) => void) {
    this.#host = host;
    this.#tell = tell;
    this.#cancel = host.clock.after(SETTLE_MS, () => this.#begin());
  }

  stop(): void {
    this.#cancel();
  }

  #begin(): void {
    const { clock, configs } = this.#host;
    const end = Math.floor(clock.now() / QUARTER_MS) * QUARTER_MS;
    void this.#all(configs.list(), end, true);
    this.#arm();
  }

  #arm(): void {
    const now = this.#host.clock.now();
    const end = Math.floor((now - SETTLE_MS) / QUARTER_MS + 1) * QUARTER_MS;
    this.#cancel = this.#host.clock.after(end + SETTLE_MS - now, () => {
      void this.#all(this.#host.configs.list(), end, false);
      this.#arm();
    });
  }

  /** One unit after the other, so that many units do not fill the queue of the history. `latest`: also the last hour, if no hour ends now. */
  async #all(configs: readonly DeviceConfig[], end: number, latest: boolean): Promise<void> {
    const { log, signal } = this.#host;
    for (const { unitId, timezone, history } of configs) {
      if (history === 'off' || signal.aborted) continue;
      try {
        const hour = zones.stepAt(timezone ?? this.#host.configs.defaults.timezone, end, HOUR_MS).from;
        await this.#one(unitId, 'leq_15m', end - QUARTER_MS, end);
        if (latest || hour === end) await this.#one(unitId, 'leq_1h', hour - HOUR_MS, hour);
      } catch (error) {
        if (!signal.aborted) log.warn({ unit_id: unitId, reason: messageOf(error) }, 'a mean could not be read');
      }
    }
  }

  async #one(unitId: string, topic: MeanTopic, from: number, to: number): Promise<void> {
    const { history, signal, configs } = this.#host;
    const range = { from: from / 1_000, to: to / 1_000 };
    const { rows, weighting } = await history.query({ unitId, over: { ranges: [range] } }, signal);
    for await (const [row] of rows) {
      if (!row || !configs.get(unitId)) continue;
      this.#tell(unitId, topic, {
        from: iso(from),
        to: iso(to),
        leq: row.leq === null ? null : Math.round(row.leq * 100) / 100,
        coverage: Math.floor((1_000 * row.measured) / (range.to - range.from)) / 1_000,
        frequency_weighting: weighting?.frequency ?? null,
      });
    }
  }
}
