/** The bytes of each unit in its local day: the growth of its counters since midnight there. */
import { type DeviceConfig, type Host, indices } from '../../lib/index.ts';

interface Bytes {
  readonly sent: number;
  readonly received: number;
}

/** Bytes of one unit in this day. */
export interface Today extends Bytes {
  /** `YYYY-MM-DD` of the local calendar. */
  readonly date: string;
  /** Local midnight, or later if the counting began later; ms UTC. */
  readonly since: number;
}

interface Counted {
  readonly zone: string;
  readonly day: indices.LocalDay;
  readonly since: number;
  /** The counters when the day began. */
  readonly before: Bytes;
}

/** At each quarter of an hour it is midnight in some zone. The wall clock may have been set, too. */
const LOOK_MS = 15 * 60_000;

/** Counts from the first request on. */
export class DayBytes {
  readonly #host: Host;
  readonly #units = new Map<string, Counted>();
  /** By zone, since most units share a zone. */
  readonly #days = new Map<string, indices.LocalDay>();
  #disarm = () => {};

  constructor(host: Host) {
    this.#host = host;
    host.onStop(host.configs.onChange((unitId, config) => this.#take(unitId, config)));
    host.onStop(() => this.#disarm());
    this.#lookAround();
  }

  of(config: DeviceConfig): Today {
    const { day, since, before } = this.#count(config);
    const { sent, received } = this.#totals(config.unitId);
    return { date: day.date, since, sent: sent - before.sent, received: received - before.received };
  }

  #lookAround(): void {
    for (const config of this.#host.configs.list()) this.#count(config);
    const { clock } = this.#host;
    this.#disarm = clock.after(LOOK_MS - (clock.now() % LOOK_MS), () => this.#lookAround());
  }

  #take(unitId: string, config: DeviceConfig | undefined): void {
    if (config) this.#count(config);
    else this.#units.delete(unitId);
  }

  /** Begins at zero each day. In another zone it goes on if all counted bytes belong to the day there, too. */
  #count({ unitId, timezone: zone }: DeviceConfig): Counted {
    const now = this.#host.clock.now();
    const present = this.#units.get(unitId);
    const day = this.#day(zone, now);
    if (present?.zone === zone && present.day === day) return present;
    const goesOn = present && present.since >= day.from && present.since <= now;
    const isNext = present?.zone === zone && now >= present.day.to;
    const begun = { since: isNext ? day.from : now, before: this.#totals(unitId) };
    const { since, before } = goesOn ? present : begun;
    const counted = { zone, day, since, before };
    this.#units.set(unitId, counted);
    return counted;
  }

  #day(zone: string, now: number): indices.LocalDay {
    const present = this.#days.get(zone);
    if (present && now >= present.from && now < present.to) return present;
    const [day] = indices.localDays(zone, { from: now, to: now + 1 });
    if (!day) throw new RangeError(`${zone} has no day at ${now}`);
    this.#days.set(zone, day);
    return day;
  }

  #totals(unitId: string): Bytes {
    const commands = this.#host.counters(unitId);
    const { bytesSent, bytesReceived } = this.#host.card(unitId).traffic;
    return {
      sent: (commands?.bytesSent ?? 0) + bytesSent,
      received: (commands?.bytesReceived ?? 0) + bytesReceived,
    };
  }
}
