/** The newest events of a meter, for tests and for people, and whether the rests were kept. */
import type { EventLog, MeterEvent } from './contract.ts';

type Unstamped<E> = E extends unknown ? Omit<E, 'at'> : never;

/** An event without its time. */
type EventDetails = Unstamped<MeterEvent>;

interface Gap {
  readonly command: string;
  readonly gapMs: number;
}

export class Events implements EventLog {
  readonly #elapsed: () => number;
  readonly #keep: number;
  readonly #listeners = new Set<(event: MeterEvent) => void>();
  #events: MeterEvent[] = [];
  #gaps: Gap[] = [];
  #repliedAt: number | null = null;
  #answering = 0;

  constructor(elapsed: () => number, keep: number) {
    this.#elapsed = elapsed;
    this.#keep = keep;
  }

  get events(): readonly MeterEvent[] {
    return this.#events;
  }

  get commands(): readonly string[] {
    return this.#events.flatMap((event) => (event.kind === 'command' ? [event.text] : []));
  }

  get connects(): number {
    return this.#events.filter((event) => event.kind === 'connect').length;
  }

  spacingViolations(restMs = 1_000): readonly Gap[] {
    return this.#gaps.filter(({ gapMs }) => gapMs < restMs);
  }

  clear(): void {
    this.#events = [];
    this.#gaps = [];
  }

  follow(listener: (event: MeterEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  note(details: EventDetails): void {
    const event = { ...details, at: this.#elapsed() } as MeterEvent;
    this.#events.push(event);
    // Cut in lumps: shifting one by one would cost the whole list each time.
    if (this.#events.length > this.#keep * 1.1) this.#events.splice(0, this.#events.length - this.#keep);
    for (const listener of this.#listeners) listener(event);
  }

  /**
   * A command whose first byte came then. Between the last byte of a reply, prompt included, and this byte the client owes
   * the meter a rest; into a running answer it owes the whole of it. SUB owes none.
   */
  command(connection: number, text: string, firstAt: number): void {
    if (text !== '\x1a') this.#measureGap(text, firstAt);
    this.#answering += 1;
    this.note({ kind: 'command', connection, text });
  }

  /** The answer to a command has left, or never will. */
  answered(): void {
    this.#answering = Math.max(0, this.#answering - 1);
    this.#repliedAt = this.#elapsed();
  }

  #measureGap(command: string, firstAt: number): void {
    if (this.#answering > 0) this.#gaps.push({ command, gapMs: 0 });
    else if (this.#repliedAt !== null) this.#gaps.push({ command, gapMs: firstAt - this.#repliedAt });
    if (this.#gaps.length > this.#keep) this.#gaps.shift();
  }
}
