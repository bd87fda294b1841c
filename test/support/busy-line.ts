/**
 * One session with a simulated meter, a viewer, and programs that ask again and again, on a virtual clock. Returns the part
 * of the stream that arrives, and the waits of the programs.
 */
import { createFamilies } from '../../lib/drivers/index.ts';
import { createEventStream } from '../../lib/events/stream.ts';
import { createLog } from '../../lib/log.ts';
import type { Caller, Meter } from '../../lib/meter/contract.ts';
import { createFleet } from '../../lib/meter/fleet.ts';
import { tcpTransport } from '../../lib/transport/tcp.ts';
import { type Profile, realClock, type SimulatedMeter, startMeter, VirtualClock } from '../../simulator/index.ts';
import { deviceConfig } from './config.ts';

const UNIT = 'roof';
/** Turns of the event loop between two steps of the clock, so that the sockets bring what was sent. */
const TURNS = 4;

export type Question = (meter: Meter, caller: Caller) => Promise<unknown>;

export const askBattery: Question = (meter, caller) => meter.perform('battery', caller);

export interface BusyLine {
  readonly clock: VirtualClock;
  readonly simulated: SimulatedMeter;
  readonly meter: Meter;
  /** When each frame came to the viewer, ms on the monotonic clock. */
  readonly frames: readonly number[];
  /** How long the programs waited for each answer, ms; how often they failed. */
  readonly waits: readonly number[];
  readonly failures: readonly unknown[];
  pass(ms: number): Promise<void>;
  watch(): () => void;
  /** Asks as `who`, and `pauseMs` after each answer again, until the disposer is called. */
  poll(pauseMs: number, who?: string, ask?: Question): () => void;
  close(): Promise<void>;
}

/** The time of this computer, for a bench that takes as long as it says. */
export class RealTime extends VirtualClock {
  readonly #clock = realClock();

  override now(): number {
    return this.#clock.now();
  }

  override elapsed(): number {
    return this.#clock.elapsed();
  }

  override after(ms: number, fire: () => void): () => void {
    return this.#clock.after(ms, fire);
  }

  override advance(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve));
  }

  override until<T>(work: Promise<T>): Promise<T> {
    return work;
  }
}

export async function openBusyLine(profile: Profile, seed = 1, clock = new VirtualClock()): Promise<BusyLine> {
  const simulated = await startMeter({ clock, profile, soundStepMs: 100, seed });
  const config = deviceConfig({ unitId: UNIT, host: simulated.host, tcpPort: simulated.tcpPort });
  const log = createLog('silent');
  const fleet = createFleet({
    configs: { get: () => config, onChange: () => () => {} },
    transport: tcpTransport({ clock }),
    clock,
    log,
    families: createFamilies(),
    events: createEventStream(clock, log),
    random: () => 0.5,
  });
  const meter = fleet.meter(UNIT);
  const frames: number[] = [];
  const waits: number[] = [];
  const failures: unknown[] = [];
  const pass = async (ms: number) => {
    const end = clock.elapsed() + ms;
    for (let left = ms; left > 0; left = end - clock.elapsed()) {
      await clock.advance(Math.min(20, left));
      for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const askOnce = async (ask: Question, who: string) => {
    const from = clock.elapsed();
    try {
      await ask(meter, { signal: new AbortController().signal, who, maxAgeMs: 0 });
      waits.push(clock.elapsed() - from);
    } catch (error) {
      failures.push(error);
    }
  };
  return {
    clock,
    simulated,
    meter,
    frames,
    waits,
    failures,
    pass,
    watch: () => meter.feed.watch({ frame: () => frames.push(clock.elapsed()), status() {}, end() {} }),
    poll(pauseMs, who = 'program', ask = askBattery) {
      let disarm = () => {};
      let isOver = false;
      const again = async () => {
        await askOnce(ask, who);
        if (!isOver) disarm = clock.after(pauseMs, () => void again());
      };
      void again();
      return () => {
        isOver = true;
        disarm();
      };
    },
    async close() {
      await clock.until(fleet.close());
      await clock.until(simulated.stop());
    },
  };
}

/** The fewest frames in any so many seconds that lie between the first and the last one. */
export function fewestIn(seconds: number, frames: readonly number[]): number {
  let fewest = Number.POSITIVE_INFINITY;
  const last = frames.at(-1) ?? 0;
  let end = 0;
  for (let start = 0; start < frames.length; start++) {
    // From just after one frame on, the time holds the fewest.
    const until = (frames[start] ?? 0) + seconds * 1_000;
    if (until > last) break;
    while (end < frames.length && (frames[end] ?? 0) <= until) end += 1;
    fewest = Math.min(fewest, end - start - 1);
  }
  return fewest;
}

/** The longest time without a frame, ms. */
export const longestBreak = (frames: readonly number[]): number =>
  frames.reduce((longest, at, index) => Math.max(longest, at - (frames[index - 1] ?? at)), 0);
