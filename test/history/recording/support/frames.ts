/** Frames of a meter whose true times are known, as they come over a link that holds them back. */
import type { Frame } from '../../../../lib/drivers/wire/contract.ts';
import type { ArrivedFrame } from '../../../../plugins/history/frame-clock.ts';

/** The levels of one channel of a frame. */
export type Levels = Frame['main'];

const QUIET: Levels = {
  lp: '50.0',
  leq: '50.0',
  lmax: '50.1',
  lmin: '49.9',
  lpeak: '62.0',
  lieq: null,
  over: false,
  under: false,
};

export const frameOf = (counter: number, main: Partial<Levels> = {}): Frame => ({
  counter,
  main: { ...QUIET, ...main },
});

export interface Link {
  /** Wall clock when the stream was accepted, ms UTC. */
  readonly wall: number;
  /** Monotonic clock then. */
  readonly begun?: number;
  /** How late frame k is, ms. No frame overtakes another. */
  readonly delay?: (k: number) => number;
  /** Frames that do not come. */
  readonly isLost?: (k: number) => boolean;
  /** Length of 100 ms of the meter's crystal, ms. */
  readonly stepMs?: number;
  /** How much the wall clock has been set forward by the time that frame k comes, ms. */
  readonly jump?: (k: number) => number;
  readonly main?: (k: number) => Partial<Levels>;
}

export const WRAP = 600;

/** Frame numbers `from` to `to`, and when they come. */
export function arrivals(link: Link, to: number, from = 1): (ArrivedFrame & { readonly k: number })[] {
  const { wall, begun = 5_000, delay = () => 0, isLost = () => false, stepMs = 100, jump = () => 0, main } = link;
  let last = 0;
  const all: (ArrivedFrame & { readonly k: number })[] = [];
  for (let k = from; k <= to; k++) {
    last = Math.max(last, begun + k * stepMs + delay(k));
    if (isLost(k)) continue;
    const frame = frameOf(((k - 1) % WRAP) + 1, main?.(k));
    all.push({ k, frame, begun, elapsed: last, time: wall + (last - begun) + jump(k) });
  }
  return all;
}
