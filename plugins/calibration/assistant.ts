/**
 * The assistant of a calibration: from its start the time is excluded, so that rules are quiet and nothing counts, and the
 * tone of the calibrator is looked for in the stream. The exclusion ends at the deadline by itself, also after a restart.
 */
import { indices } from '../../lib/built-in.ts';
import type { Clock, LiveFrame, Meter } from '../../lib/index.ts';
import type { Notes } from '../notes/index.ts';
import { excludeCalibration } from './excluding.ts';
import { NOMINAL_LEVELS, type Second, type Tone, tonesIn } from './tones.ts';

/** An assistant that nobody ends is over after this time, ms. */
const LONGEST_MS = 1_800_000;
/** Somebody announced a calibrator: a meter that is wrong by this much is still recognized, dB. */
const WITHIN_DB = 6;

/** A calibration that goes on. Times are ms since 1970 UTC. */
export interface Assisted {
  readonly from: number;
  readonly endsAt: number;
  readonly by: string;
  readonly note: number;
  readonly nominal: number;
  readonly tones: readonly Tone[];
}

interface Running extends Omit<Assisted, 'tones'> {
  readonly levels: Map<number, number[]>;
  stop(): void;
}

interface AssistantParts {
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly notes: Notes;
}

/** The assistants of all units, in memory: at most half an hour of levels each. */
export class CalibrationAssistants {
  readonly #parts: AssistantParts;
  readonly #running = new Map<string, Running>();

  constructor(parts: AssistantParts) {
    this.#parts = parts;
  }

  /** Undefined: none runs. */
  of(unitId: string): Assisted | undefined {
    const running = this.#running.get(unitId);
    if (!running) return undefined;
    const { from, endsAt, by, note, nominal, levels } = running;
    const tones = tonesIn(secondsOf(levels), { nominals: [nominal, ...NOMINAL_LEVELS], within: WITHIN_DB });
    return { from, endsAt, by, note, nominal, tones };
  }

  /** A calibration that goes on continues. Errors: as `Notes.add`. */
  async start({ feed, unitId }: Meter, nominal: number, by: string): Promise<void> {
    const { clock, notes } = this.#parts;
    if (this.#running.has(unitId)) return;
    const from = clock.now();
    const endsAt = from + LONGEST_MS;
    const levels = new Map<number, number[]>();
    const unwatch = feed.watch({
      frame: (frame) => frame.at > from && keep(levels, frame),
      status() {},
      end() {},
    });
    const cancel = clock.after(LONGEST_MS, () => this.#forget(unitId));
    const stop = () => {
      cancel();
      unwatch();
    };
    const running = { from, endsAt, by, note: 0, nominal, levels, stop };
    this.#running.set(unitId, running);
    try {
      const note = await excludeCalibration(notes, unitId, { from, to: endsAt }, by);
      if (this.#running.get(unitId) === running) this.#running.set(unitId, { ...running, note });
    } catch (error) {
      this.#forget(unitId);
      throw error;
    }
  }

  /** Its exclusion ends now. Undefined: none runs. Errors: as `Notes.change`. */
  async end(unitId: string, by: string): Promise<Assisted | undefined> {
    const ended = this.of(unitId);
    if (!ended) return undefined;
    const { clock, notes } = this.#parts;
    const present = notes.find(ended.note);
    if (present) await notes.change(ended.note, { ...present, to: clock.now() }, by);
    this.#forget(unitId);
    return ended;
  }

  close(): void {
    for (const unitId of [...this.#running.keys()]) this.#forget(unitId);
  }

  #forget(unitId: string): void {
    this.#running.get(unitId)?.stop();
    this.#running.delete(unitId);
  }
}

function keep(levels: Map<number, number[]>, { at, frame }: LiveFrame): void {
  if (frame.main.lp === null) return;
  const second = Math.floor(at / 1_000);
  const before = levels.get(second);
  if (before) before.push(Number(frame.main.lp));
  else levels.set(second, [Number(frame.main.lp)]);
}

const secondsOf = (levels: ReadonlyMap<number, readonly number[]>): readonly Second[] =>
  [...levels].map(([at, some]) => ({
    at,
    level: indices.energyMean(some.map((level) => ({ level, seconds: 1 }))) ?? 0,
    low: Math.min(...some),
    high: Math.max(...some),
  }));
