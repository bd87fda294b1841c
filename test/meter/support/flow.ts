/** Streams for the tests of the feed: frames at their pace, and a meter that streams until SUB. */
import type { Test } from 'tap';
import type { MeterSettings } from '../../../lib/meter/settings.ts';
import { type Bench, createBench } from './bench.ts';
import { type Act, SUB } from './scripted-meter.ts';
import { Viewer } from './viewer.ts';

export const STARTED = 'R+0000\r\n';
/** `count` frames, one every 100 ms, numbered from `first`. */
export const frames = (count: number, first = 1): Act[] =>
  Array.from({ length: count }, (_, index) => [100, `${first + index},frame\r\n`]).flat();
/** Frames for as long as a test cares. */
export const FLOW = [STARTED, ...frames(600)];

export function watched(t: Test, settings: Partial<MeterSettings> = {}): Bench & { viewer: Viewer } {
  return { ...createBench(t, settings), viewer: new Viewer() };
}

/** A meter that streams until SUB, shows what was on its way, and then its prompt. */
export class Flow {
  #flowing = 0;
  #counter = 0;
  readonly #bench: Pick<Bench, 'clock' | 'device'>;

  constructor(bench: Pick<Bench, 'clock' | 'device'>, { lateFrames = 1, prompt = true } = {}) {
    this.#bench = bench;
    bench.device.always('DRD?', STARTED).always(SUB, ...frames(lateFrames, 900), ...(prompt ? ['$'] : []));
    this.#tick();
  }

  /** Frames flow from the last DRD? to the next SUB. */
  #tick(): void {
    const { clock, device } = this.#bench;
    this.#flowing = clock.elapsed();
    clock.after(100, () => {
      if (device.commands.findLast((text) => text === 'DRD?' || text === SUB) === 'DRD?' && !device.line.ending) {
        this.#counter += 1;
        device.say(`${this.#counter},frame\r\n`);
      }
      if (this.#flowing < 600_000) this.#tick();
    });
  }
}
