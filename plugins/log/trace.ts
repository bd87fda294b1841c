/**
 * Lines to and from the meters of a few units, for a limited time, only in memory. The newest are kept; a stream brings
 * ten a second. Credentials are masked before.
 */
import type { WireLine } from '../../lib/built-in.ts';
import type { Clock, Host } from '../../lib/index.ts';

interface TracedLine extends WireLine {
  readonly at: number;
}

/** The lines of one unit; times in ms since 1970 UTC. */
export interface Trace {
  readonly from: number;
  /** When it ends, or has ended. */
  readonly until: number;
  readonly active: boolean;
  readonly lines: readonly TracedLine[];
  readonly leftOut: number;
}

/** The most lines of one unit. */
export const MOST_LINES = 5_000;
/** The most traces at the same time. */
export const MOST_TRACES = 20;
const LONGEST_LINE = 4_096;

export class Traces {
  readonly #clock: Clock;
  readonly #wire: Host['wire'];
  readonly #kept = new Map<string, Recording>();

  constructor(clock: Clock, wire: Host['wire']) {
    this.#clock = clock;
    this.#wire = wire;
  }

  of(unitId: string): Trace | undefined {
    return this.#kept.get(unitId);
  }

  /** A running trace begins again. False: too many traces are running. */
  begin(unitId: string, ms: number): boolean {
    this.forget(unitId);
    if (this.#kept.size >= MOST_TRACES) {
      const [over] = [...this.#kept].find(([, { active }]) => !active) ?? [];
      if (over === undefined) return false;
      this.forget(over);
    }
    this.#kept.set(unitId, new Recording(this.#clock, this.#wire, unitId, ms));
    return true;
  }

  /** The lines so far are kept. */
  end(unitId: string): void {
    this.#kept.get(unitId)?.end();
  }

  forget(unitId: string): void {
    this.end(unitId);
    this.#kept.delete(unitId);
  }

  close(): void {
    for (const unitId of [...this.#kept.keys()]) this.forget(unitId);
  }
}

class Recording implements Trace {
  readonly from: number;
  until: number;
  active = true;
  leftOut = 0;
  readonly #clock: Clock;
  readonly #undo: readonly (() => void)[];
  #lines: TracedLine[] = [];

  constructor(clock: Clock, wire: Host['wire'], unitId: string, ms: number) {
    this.#clock = clock;
    this.from = clock.now();
    this.until = this.from + ms;
    this.#undo = [wire.listen(unitId, (line) => this.#add(line)), clock.after(ms, () => this.end())];
  }

  get lines(): readonly TracedLine[] {
    return this.#lines.slice(-MOST_LINES);
  }

  end(): void {
    if (!this.active) return;
    this.active = false;
    this.until = this.#clock.now();
    for (const undo of this.#undo) undo();
  }

  #add({ port, direction, text }: WireLine): void {
    this.#lines.push({ at: this.#clock.now(), port, direction, text: text.slice(0, LONGEST_LINE) });
    if (this.#lines.length > MOST_LINES) this.leftOut += 1;
    // Removing the first entry for each line would move thousands of entries.
    if (this.#lines.length >= 2 * MOST_LINES) this.#lines = this.#lines.slice(-MOST_LINES);
  }
}
