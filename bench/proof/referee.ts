/** The events of the simulated meters. Only the meters know which host really connected, and which commands arrived. */
import { type Host, hostOf } from './network.ts';

/** One event of a meter. */
interface Seen {
  readonly n: number;
  readonly at_ms: number;
  readonly kind: 'connect' | 'disconnect' | 'refused' | 'held' | 'command';
  readonly connection?: number;
  readonly client?: string;
  readonly text?: string;
}

/** A connection of a meter began, ended or was not served, or a command came. */
export interface Sight {
  readonly unit: string;
  /** ms since 1970 UTC. */
  readonly at: number;
  readonly kind: Seen['kind'];
  /** The host that connected or was refused. */
  readonly host: Host | undefined;
  readonly text: string;
}

/** A connection that a meter served. */
export interface Served {
  readonly unit: string;
  /** Whose. */
  readonly host: Host | undefined;
  /** ms since 1970 UTC; `to` is undefined while it lasts. */
  readonly from: number;
  readonly to: number | undefined;
}

const READ_EVERY_MS = 2_000;
const KINDS = 'connect,disconnect,refused,held,command';
const MOST = 10_000;

/** Follows all meters until it is closed. */
export class Referee {
  readonly sights: Sight[] = [];
  readonly #byUnit = new Map<string, Sight[]>();
  readonly #control: string;
  readonly #units: readonly string[];
  readonly #next = new Map<string, number>();
  /** Of the clock of the meters, ms since 1970 UTC. */
  #zero = 0;
  #lost = 0;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> = Promise.resolve();

  constructor(control: string, units: readonly string[]) {
    this.#control = control;
    this.#units = units;
  }

  async begin(): Promise<void> {
    const { elapsed_ms } = (await (await fetch(`${this.#control}/time`)).json()) as { elapsed_ms: number };
    this.#zero = Date.now() - elapsed_ms;
    this.#timer = setInterval(() => void this.look(), READ_EVERY_MS);
  }

  /** Events that were not read in time: with any, nothing is proved. */
  get lost(): number {
    return this.#lost;
  }

  /** The events of this meter, by time. */
  of(unit: string): readonly Sight[] {
    return this.#byUnit.get(unit) ?? [];
  }

  /** Connections of a meter, in order. */
  servedOf(unit: string): readonly Served[] {
    const served: Served[] = [];
    for (const { at, kind, host } of this.of(unit)) {
      const last = served.at(-1);
      if (kind === 'connect') served.push({ unit, host, from: at, to: undefined });
      else if (kind === 'disconnect' && last) served[served.length - 1] = { ...last, to: at };
    }
    return served;
  }

  /** Reads what is new. Reads follow each other. */
  look(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#look()).catch((error) => console.error(`referee: ${error}`));
    return this.#reading;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.look();
  }

  /** Sound of a meter, dB, from now on. */
  async sound(unit: string, level: number): Promise<void> {
    const init = { method: 'PUT', headers: { 'Content-Type': 'application/json' } };
    await fetch(`${this.#control}/meters/${unit}/sound`, { ...init, body: JSON.stringify({ steady_db: level }) });
  }

  #add(sight: Sight): void {
    this.sights.push(sight);
    const own = this.#byUnit.get(sight.unit);
    if (own) own.push(sight);
    else this.#byUnit.set(sight.unit, [sight]);
  }

  async #look(): Promise<void> {
    for (const unit of this.#units) {
      const since = this.#next.get(unit) ?? 0;
      const address = `${this.#control}/meters/${unit}/events?since=${since}&kind=${KINDS}&limit=${MOST}`;
      const page = (await (await fetch(address)).json()) as { events: Seen[]; next: number; lost: number };
      this.#lost += page.lost;
      this.#next.set(unit, page.next);
      for (const { kind, at_ms, client = '', text = '' } of page.events)
        this.#add({ unit, at: this.#zero + at_ms, kind, host: hostOf(client), text });
    }
  }
}
