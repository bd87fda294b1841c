/**
 * Knows the weighting of a channel of a meter, and asks for it:
 * - when it is not known: at the start, and after trouble with the connection, since a person may have used the keys;
 * - every five minutes while the meter does not measure, and soon after it began to measure;
 * - once an hour while it measures. Meters of the family NL-43 let nobody change it then. So frames that come without
 *   a break confirm it, and the meter is not asked.
 * A weighting that is set through the gateway is known without a question. If the meter turns out to have another
 * weighting, all levels since the last confirmation are doubtful.
 */
import {
  type Caller,
  type DeviceState,
  GatewayError,
  type Host,
  isGatewayError,
  type Meter,
  messageOf,
  type Reservation,
  type Weighting,
} from '../../lib/index.ts';

/** A person may change the weighting at the keys of the meter; after this time the gateway asks again, ms. */
const AGAIN_MS = 3_600_000;
/** The same while the meter does not measure: then its keys are free. */
const STOPPED_MS = 300_000;
/** Pause after a measurement began: its first frames are for the caller that started it, ms. */
const BEGUN_MS = 10_000;
/** Pause if the meter could not be reached, ms. */
const RETRY_MS = 60_000;
/** Pause after an answer was lost, ms. */
const LOST_MS = 2_000;
/** After so many refusals in a row a meter is asked once an hour. */
const MOST_REFUSALS = 3;

/** The meter to ask, and the receivers of the answer. */
interface ProbeParts {
  readonly clock: Host['clock'];
  readonly meter: Meter;
  /** Default: the main channel. */
  readonly channel?: string;
  /** Whether it asks by itself, or only when its owner calls `ask`. */
  readonly eager: boolean;
  /** The weighting from now on; null: unknown. */
  readonly onChange: (weighting: Weighting | null) => void;
  /** The meter has another weighting than `was`, and nobody set it here. `since`: the last confirmation, ms UTC. Called before `onChange`. */
  readonly onDoubt: (was: Weighting, since: number) => void;
}

/** Asks at most once at a time. */
export class WeightingProbe {
  readonly #parts: ProbeParts;
  readonly #ending = new AbortController();
  #last: Weighting | null = null;
  #known = false;
  #asked = Number.NEGATIVE_INFINITY;
  #confirmedAt: number | null = null;
  #measuring: boolean | null = null;
  /** It was asked for in the present measurement. */
  #isAskedMeasuring = false;
  #refusals = 0;
  #trouble: string | null = null;
  #asking = false;
  /** Ends a waiting question whose answer is known, since it would interrupt a stream. */
  #spare = () => {};
  #disarm = () => {};

  constructor(parts: ProbeParts) {
    this.#parts = parts;
  }

  /** The reason why the weighting is unknown, in words; null if it is known. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** When the weighting was last confirmed, ms UTC. */
  get confirmedAt(): number | null {
    return this.#known ? this.#confirmedAt : null;
  }

  /** Whether it is time to ask (again). */
  get isDue(): boolean {
    const pause = this.#refusals >= MOST_REFUSALS ? AGAIN_MS : this.#known ? this.#againMs : RETRY_MS;
    return this.#parts.clock.elapsed() - this.#asked >= pause;
  }

  /** The state of the meter, at the beginning and after each change. */
  see(state: DeviceState): void {
    if (this.#ending.signal.aborted) return;
    const { weighting, isSent } = this.#weightingIn(state);
    const isNews = !this.#known || !isSame(weighting, this.#last);
    const wasMeasuring = this.#measuring;
    this.#measuring = state.measuring;
    if (!weighting || !state.measuring) this.#isAskedMeasuring = false;
    if (weighting) {
      this.#know(weighting, isSent);
      this.#spare();
    }
    // News of another value do not confirm a known weighting.
    if (weighting && isNews) this.#confirmedAt = this.#parts.clock.now();
    if (wasMeasuring !== state.measuring && weighting && !this.#asking)
      this.#arm(wasMeasuring === false && state.measuring ? BEGUN_MS : this.#againMs);
    if (!weighting) {
      this.#known = false;
      this.#parts.onChange(null);
      if (this.#parts.eager) void this.ask();
    }
  }

  /** Never rejects. A second call meanwhile has no effect; nor has a call if the family of the meter has no such command. */
  async ask(): Promise<void> {
    if (this.#asking || this.#ending.signal.aborted || !this.#parts.meter.can('weightings')) return;
    this.#asking = true;
    this.#asked = this.#parts.clock.elapsed();
    const again = await this.#askOnce();
    this.#asking = false;
    this.#arm(again);
  }

  stop(): void {
    this.#ending.abort(new GatewayError('STOPPING', 'The recording has ended.'));
    this.#disarm();
  }

  #arm(ms: number): void {
    this.#disarm();
    if (!this.#parts.eager || this.#ending.signal.aborted) return;
    this.#disarm = this.#parts.clock.after(ms, () => void this.ask());
  }

  /** Returns the milliseconds until the next question. */
  async #askOnce(): Promise<number> {
    const { meter, channel, clock } = this.#parts;
    if (this.#isKnownByFrames) {
      this.#confirmedAt = clock.now();
      return this.#againMs;
    }
    // Frames without a weighting are left out. So an unknown weighting is asked for before the stream, not in turn with it.
    const priority = this.#known ? 'background' : 'operator';
    const spared = new AbortController();
    if (!this.#known) this.#spare = () => spared.abort(new GatewayError('STOPPING', 'It is known by now.'));
    const caller: Caller = { signal: AbortSignal.any([this.#ending.signal, spared.signal]), priority };
    try {
      const of = channel === undefined ? [] : ([channel] as const);
      const work = async (reservation: Reservation) => {
        spared.signal.throwIfAborted();
        this.#spare = () => {};
        await reservation.perform('weightings', ...of);
      };
      await meter.reserve('weightings for the history', work, caller);
      const { weighting } = this.#weightingIn(meter.deviceState);
      if (weighting) {
        this.#know(weighting, false);
        this.#confirmedAt = clock.now();
        this.#isAskedMeasuring = this.#measuring === true;
      }
      return this.#againMs;
    } catch (error) {
      if (this.#ending.signal.aborted) return AGAIN_MS;
      // The weighting may be unknown again.
      if (spared.signal.aborted) return this.#known ? this.#againMs : 0;
      this.#trouble = messageOf(error);
      if (isGatewayError(error, 'OUTCOME_UNKNOWN')) return LOST_MS;
      if (!isRefusal(error)) return RETRY_MS;
      // If the meter does not answer, its last known weighting counts.
      if (this.#last) this.#parts.onChange(this.#last);
      this.#refusals += 1;
      return this.#refusals >= MOST_REFUSALS ? AGAIN_MS : RETRY_MS;
    }
  }

  #weightingIn(state: DeviceState): { readonly weighting: Weighting | null; readonly isSent: boolean } {
    const { channel } = this.#parts;
    if (channel === undefined) {
      const { frequencyWeighting, timeWeighting, weightingSource } = state;
      return { weighting: weightingOf(frequencyWeighting, timeWeighting), isSent: weightingSource === 'sent' };
    }
    const { frequency = null, time = null, source } = state.channelWeightings?.[channel] ?? {};
    return { weighting: weightingOf(frequency, time), isSent: source === 'sent' };
  }

  /** The recorded stream has shown the whole measurement since it was asked for. */
  get #isKnownByFrames(): boolean {
    const { eager, meter } = this.#parts;
    return eager && this.#known && this.#isAskedMeasuring && meter.feed.watchers > 0 && meter.feed.state === 'ok';
  }

  get #againMs(): number {
    return this.#measuring === false ? STOPPED_MS : AGAIN_MS;
  }

  #know(weighting: Weighting, isSent: boolean): void {
    if (!this.#known) {
      this.#asked = this.#parts.clock.elapsed();
      this.#arm(this.#againMs);
    }
    if (this.#last && !isSent && this.#confirmedAt !== null && !isSame(weighting, this.#last))
      this.#parts.onDoubt(this.#last, this.#confirmedAt);
    this.#known = true;
    this.#refusals = 0;
    this.#last = weighting;
    this.#trouble = null;
    this.#parts.onChange(weighting);
  }
}

const isSame = (one: Weighting | null, other: Weighting | null): boolean =>
  one?.frequency === other?.frequency && one?.time === other?.time;

const isRefusal = (error: unknown): boolean =>
  isGatewayError(error, 'DEVICE_REFUSED_COMMAND', 'DEVICE_REFUSED_PARAMETER', 'DEVICE_GARBLED');

const FREQUENCIES = ['A', 'C', 'Z'] as const;
const TIMES = ['F', 'S', 'I'] as const;

/** `frequencyWord`, `timeWord`: of the meter. */
function weightingOf(frequencyWord: string | null, timeWord: string | null): Weighting | null {
  const frequency = FREQUENCIES.find((each) => each === frequencyWord);
  const time = TIMES.find((each) => each === timeWord);
  return frequency && time ? { frequency, time } : null;
}
