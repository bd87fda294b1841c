/** Frames that wait for the next gateway, as text, because that needs the least memory. */
import type { Clock } from '../clock.ts';
import type { FrameOnLink } from './messages.ts';

/** How long and how much is kept, ms and bytes. */
export interface KeptLimits {
  readonly keptMs: number;
  readonly keptBytes: number;
}

/** Frames of one second. */
interface Second {
  readonly from: number;
  readonly frames: Map<string, string[]>;
  bytes: number;
}

/** The oldest go first when there is too much, and are counted by unit. */
export class KeptFrames {
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #limits: KeptLimits;
  #seconds: Second[] = [];
  #bytes = 0;
  readonly #lost = new Map<string, number>();

  constructor(clock: Pick<Clock, 'elapsed'>, limits: KeptLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  add(frame: FrameOnLink): void {
    const now = this.#clock.elapsed();
    let last = this.#seconds.at(-1);
    if (!last || now - last.from >= 1_000) {
      last = { from: now, frames: new Map(), bytes: 0 };
      this.#seconds.push(last);
    }
    const [unitId] = frame;
    const text = JSON.stringify(frame);
    const ofUnit = last.frames.get(unitId);
    if (ofUnit) ofUnit.push(text);
    else last.frames.set(unitId, [text]);
    last.bytes += text.length;
    this.#bytes += text.length;
    this.#limit(now);
  }

  /** Those of a unit, oldest first, and how many before them were given up. They are not kept any longer. */
  take(unitId: string): { readonly frames: readonly FrameOnLink[]; readonly lost: number } {
    this.#limit(this.#clock.elapsed());
    const texts = this.#seconds.flatMap(({ frames }) => frames.get(unitId) ?? []);
    const lost = this.#lost.get(unitId) ?? 0;
    this.forget(unitId);
    return { frames: texts.map((text): FrameOnLink => JSON.parse(text)), lost };
  }

  forget(unitId: string): void {
    for (const second of this.#seconds) {
      for (const { length } of second.frames.get(unitId) ?? []) {
        second.bytes -= length;
        this.#bytes -= length;
      }
      second.frames.delete(unitId);
    }
    this.#lost.delete(unitId);
  }

  #limit(now: number): void {
    const { keptMs, keptBytes } = this.#limits;
    for (let first = this.#seconds[0]; first; first = this.#seconds[0]) {
      if (now - first.from < keptMs && this.#bytes <= keptBytes) return;
      this.#seconds.shift();
      this.#bytes -= first.bytes;
      for (const [unitId, texts] of first.frames) this.#lost.set(unitId, (this.#lost.get(unitId) ?? 0) + texts.length);
    }
  }
}
