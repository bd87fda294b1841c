/**
 * The recording of one channel: its weighting, and the rows made from its frames and readings. The weighting is asked for
 * - when it is not known: at the start, and after trouble with the connection, since a person may have used the keys;
 * - every five minutes while the meter does not measure, and soon after it began to measure;
 * - once an hour while it measures. Meters of the family NL-43 let nobody change it then. So frames that come without
 *   a break confirm it, and the meter is not asked.
 * A weighting that is set through the gateway is known without a question. If the meter turns out to have another
 * weighting, all levels since the last confirmation are doubtful.
 */
import { type Batch, type DeviceState, isFrozen, type Weighting } from '../../lib/built-in.ts';
import {
  type Caller,
  GatewayError,
  type GatewayEvent,
  type Host,
  isGatewayError,
  iso,
  type Meter,
  messageOf,
  type Reservation,
} from '../../lib/index.ts';
import type { ArrivedFrame } from './frame-clock.ts';
import { type Reading, Recorder } from './recorder.ts';

export interface ChannelReport {
  readonly weighting: Weighting | null;
  /** When the weighting was last confirmed, ms UTC. If the meter turns out to have another weighting, later levels are doubtful. */
  readonly weightingConfirmedAt: number | null;
  /** Frames and readings that were left out because their weighting was not known. */
  readonly unweighted: number;
  /** The reason why it waits, in words. */
  readonly trouble: string | null;
}

interface ChannelParts extends Pick<Host, 'clock' | 'log' | 'history' | 'status'> {
  readonly meter: Meter;
  /** Undefined: the main channel. */
  readonly channel?: { readonly name: string; readonly place: number };
  /** Whether it asks for its weighting itself, or with readings. */
  readonly eager: boolean;
  readonly append: (batch: Batch) => void;
  /** Called when the weighting is known, so that waiting work can begin. */
  readonly onWeighted: () => void;
}

export class ChannelRecording {
  readonly #parts: ChannelParts;
  readonly #recorder: Recorder;
  readonly #probe: WeightingProbe;
  /** The first reading waits for its weighting. */
  #held: Reading | undefined;
  /** The meter gives no values of this channel. */
  #off = false;

  constructor(parts: ChannelParts) {
    this.#parts = parts;
    const { clock, meter, channel, eager, append, onWeighted } = parts;
    const series = { unitId: meter.unitId, ...(channel && { channel: channel.name }) };
    this.#recorder = new Recorder(series, meter.family.stream, append);
    this.#probe = new WeightingProbe({
      clock,
      meter,
      eager,
      ...(channel && { channel: channel.name }),
      onDoubt: (was, since) => {
        this.#recorder.flush();
        void this.#doubt(was, since);
      },
      onChange: (weighting) => {
        this.#recorder.weigh(weighting);
        if (weighting) onWeighted();
        if (weighting && this.#held) this.#recorder.reading(this.#held);
        this.#held = undefined;
      },
    });
  }

  get report(): ChannelReport {
    const { weighting, unweighted } = this.#recorder;
    const { trouble, confirmedAt } = this.#probe;
    const off = this.#off ? this.#whyOff() : null;
    const unknown = weighting === null ? (trouble ?? (this.#parts.eager ? ASKING : UNREAD)) : null;
    return { weighting, unweighted, weightingConfirmedAt: confirmedAt, trouble: off ?? unknown };
  }

  see(state: DeviceState): void {
    this.#probe.see(state);
  }

  /** The meter is back: an unknown weighting is asked for. */
  back(): void {
    if (this.#recorder.weighting === null) void this.#probe.ask();
  }

  frame(arrived: ArrivedFrame): void {
    const { channel } = this.#parts;
    if (!channel) {
      this.#recorder.frame(arrived);
      return;
    }
    const own = arrived.frame.others?.[channel.place - 1] ?? null;
    this.#off = own === null;
    if (own) this.#recorder.frame({ ...arrived, frame: { counter: arrived.frame.counter, main: own } });
  }

  reading(event: GatewayEvent<'reading'>): void {
    const reading = this.#readingOf(event);
    if (reading && this.#recorder.weighting) this.#recorder.reading(reading);
    else if (reading) this.#held = reading;
    if (this.#probe.isDue) void this.#probe.ask();
  }

  /** Writes unfinished rows. May be called twice. */
  stop(): void {
    this.#probe.stop();
    this.#recorder.flush();
  }

  #whyOff(): string {
    const { meter, channel } = this.#parts;
    const setting = meter.family.settings.find(({ name }) => name === `channel_${channel?.name}`);
    return setting ? `${OFF} The setting ${setting.name} switches it on.` : OFF;
  }

  #readingOf({ unitId, time, elapsed, data }: GatewayEvent<'reading'>): Reading | undefined {
    const { meter, status, channel } = this.#parts;
    const { values } = data;
    const other = channel && (data.others?.[channel.place - 1] ?? null);
    this.#off = other === null;
    if (other === null) return undefined;
    const { lp, leq, le } = other ?? values;
    const age = Math.max(0, time - (values.levelsAt ?? time));
    return {
      time: time - age,
      elapsed: elapsed - age,
      lp: decibelsIn(lp),
      leq: decibelsIn(leq),
      le: decibelsIn(le),
      measuring: values.measurementState === 'Measure' && meter.deviceState.paused !== true,
      flags: {
        over: (other ? other.over : values.overRange) === true,
        under: (other ? other.under : values.underRange) === true,
        // If the main channel of a meter does not change, the whole meter is frozen.
        frozen: isFrozen(status.of(unitId)),
        implausible: (other ?? data).implausible !== undefined,
      },
    };
  }

  async #doubt(weighting: Weighting, since: number): Promise<void> {
    const { clock, history, log, meter, channel } = this.#parts;
    const { unitId } = meter;
    const span = { from: Math.floor(since / 1_000), to: Math.floor(clock.now() / 1_000) + 1 };
    const of = { unitId, ...(channel && { channel: channel.name }) };
    try {
      for (const source of ['stream', 'poll'] as const)
        await history.doubt({ ...of, source, weighting, ...span, flag: 'weighting' });
      log.warn(
        { unit_id: unitId, ...(channel && { channel: channel.name }), ...weighting, since: iso(since) },
        'the weighting was changed at the meter: levels since then are doubtful',
      );
    } catch (error) {
      log.error({ unit_id: unitId, err: error }, 'doubtful levels could not be marked');
    }
  }
}

const ASKING = 'The weighting of the meter is being asked for.';

const UNREAD = 'The meter has not been read yet.';

const OFF = 'The meter gives no levels of this channel: it is switched off there.';

const decibelsIn = (text: string | null | undefined): number | null =>
  text === null || text === undefined ? null : Number(text);

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

interface ProbeParts {
  readonly clock: Host['clock'];
  readonly meter: Meter;
  readonly channel?: string;
  /** Whether it asks by itself, or only when its owner calls `ask`. */
  readonly eager: boolean;
  /** The weighting from now on; null: unknown. */
  readonly onChange: (weighting: Weighting | null) => void;
  /** The meter has another weighting than `was`, and nobody set it here. `since`: the last confirmation, ms UTC. Called before `onChange`. */
  readonly onDoubt: (was: Weighting, since: number) => void;
}

class WeightingProbe {
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

  get trouble(): string | null {
    return this.#trouble;
  }

  get confirmedAt(): number | null {
    return this.#known ? this.#confirmedAt : null;
  }

  get isDue(): boolean {
    const pause = this.#refusals >= MOST_REFUSALS ? AGAIN_MS : this.#known ? this.#againMs : RETRY_MS;
    return this.#parts.clock.elapsed() - this.#asked >= pause;
  }

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

function weightingOf(frequencyWord: string | null, timeWord: string | null): Weighting | null {
  const frequency = FREQUENCIES.find((each) => each === frequencyWord);
  const time = TIMES.find((each) => each === timeWord);
  return frequency && time ? { frequency, time } : null;
}
