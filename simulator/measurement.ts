/**
 * One measurement: stopped, measuring or paused, and its preset time. Brings the instrument to the present whenever somebody
 * asks; ends at the preset time, to the millisecond, also if nobody asks until later. Pauses do not count.
 */
import { emptyDisplay } from './acoustics/measurement.ts';
import type { Clock, DisplayValues, Instrument, PerChannel } from './contract.ts';

/** As `Measure?` and `Pause?` show it together. */
type MeasurementState = 'stopped' | 'measuring' | 'paused';

interface Parts {
  readonly clock: Clock;
  readonly instrument: Instrument;
  /** Calculated values are shown again this often while measuring, ms; 0 is at once. */
  readonly refreshMs: number;
  uptime(): number;
  ended(): void;
}

/** If nobody asks, the sound is still computed this often, so that a long time is never computed at once. */
const BEAT_MS = 10_000;

/** Timers and sums of milliseconds may differ very slightly. */
const HAIR_MS = 1e-6;

export class Measurement {
  readonly #parts: Parts;
  #state: MeasurementState = 'stopped';
  #startedAt = 0;
  #endsAt = Number.POSITIVE_INFINITY;
  #leftMs = Number.POSITIVE_INFINITY;
  #shown: PerChannel<DisplayValues> | null = null;
  #shownAt = 0;
  #reached = 0;
  #begun = false;
  #finished = false;
  #cancelBeat = () => {};

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get state(): MeasurementState {
    return this.#state;
  }

  get running(): boolean {
    return this.#state !== 'stopped';
  }

  get startedAt(): number {
    return this.#startedAt;
  }

  /** There is a result since power-on. */
  get finished(): boolean {
    return this.#finished;
  }

  /** Up to the present, or a time just before it; past the end of the preset time this finishes the measurement. */
  advance(now = this.#parts.uptime()): void {
    if (this.#state === 'measuring' && this.#endsAt <= now + HAIR_MS) this.#finish(Math.min(this.#endsAt, now));
    this.#reach(now);
  }

  /** Clears the old values and runs for `presetMs` of unpaused time. */
  start(presetMs: number): void {
    const { instrument, uptime } = this.#parts;
    instrument.start();
    this.#startedAt = uptime();
    this.#state = 'measuring';
    this.#begun = true;
    this.#shown = null;
    this.#shownAt = this.#startedAt;
    this.#run(presetMs);
  }

  pause(): void {
    if (this.#state !== 'measuring') return;
    this.#cancelBeat();
    this.#parts.instrument.pause();
    this.#state = 'paused';
    this.#leftMs = this.#endsAt - this.#parts.uptime();
    this.#shown = this.#parts.instrument.display();
  }

  resume(): void {
    if (this.#state !== 'paused') return;
    this.#parts.instrument.resume();
    this.#state = 'measuring';
    this.#run(this.#leftMs);
  }

  stop(): void {
    if (this.running) this.#finish(this.#parts.uptime());
  }

  /** The power goes: all measured values are lost. */
  forget(): void {
    this.stop();
    this.#begun = false;
    this.#finished = false;
    this.#shown = null;
  }

  /** The values on the display: Lp is always live, the others are those of the last refresh. */
  display(): PerChannel<DisplayValues> {
    const live = this.#parts.instrument.display();
    if (!this.#begun) return mapChannels(live, onlyLp);
    if (!this.running || this.#parts.refreshMs === 0) return live;
    const shown = this.#shown;
    return mapChannels(live, (now, name) => ({ ...(shown?.[name] ?? onlyLp(now)), lp: now.lp }));
  }

  /** The last finished measurement since power-on; before the first, channels that are on have no values. */
  result(): PerChannel<DisplayValues> {
    const last = this.#finished ? this.#parts.instrument.result() : null;
    return last ?? mapChannels(this.#parts.instrument.display(), () => emptyDisplay(null));
  }

  close(): void {
    this.#cancelBeat();
  }

  #run(forMs: number): void {
    this.#endsAt = this.#parts.uptime() + forMs;
    this.#beat();
  }

  #beat(): void {
    this.#cancelBeat();
    const wait = Math.min(BEAT_MS, this.#endsAt - this.#parts.uptime());
    this.#cancelBeat = this.#parts.clock.after(Math.max(0, wait), () => {
      this.advance();
      if (this.#state === 'measuring') this.#beat();
    });
  }

  #finish(at: number): void {
    this.#cancelBeat();
    this.#reach(at);
    this.#parts.instrument.stop();
    this.#state = 'stopped';
    this.#endsAt = Number.POSITIVE_INFINITY;
    this.#finished = true;
    this.#parts.ended();
  }

  /** The instrument up to `to`, with a stop at the last refresh of the display on the way. */
  #reach(to: number): void {
    if (to < this.#reached) return;
    this.#reached = to;
    const { instrument, refreshMs } = this.#parts;
    if (this.#state === 'measuring' && refreshMs > 0) {
      const refreshAt = this.#startedAt + Math.floor((to - this.#startedAt) / refreshMs) * refreshMs;
      if (refreshAt > this.#shownAt) {
        instrument.advance(refreshAt);
        this.#shown = instrument.display();
        this.#shownAt = refreshAt;
      }
    }
    instrument.advance(to);
  }
}

const onlyLp = (now: DisplayValues): DisplayValues => ({
  ...emptyDisplay(now.lp),
  over: now.over,
  under: now.under,
});

function mapChannels(
  values: PerChannel<DisplayValues>,
  change: (one: DisplayValues, name: keyof PerChannel<DisplayValues>) => DisplayValues,
): PerChannel<DisplayValues> {
  const one = (name: keyof PerChannel<DisplayValues>) => {
    const value = values[name];
    return value && change(value, name);
  };
  return { main: one('main'), sub1: one('sub1'), sub2: one('sub2'), sub3: one('sub3') };
}
