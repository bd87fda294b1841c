/** The recording of one channel: its weighting, and the rows made from its frames and readings. */
import {
  type Batch,
  type DeviceState,
  type GatewayEvent,
  type Host,
  isFrozen,
  iso,
  type Meter,
  type Weighting,
} from '../../lib/index.ts';
import type { ArrivedFrame } from './recording/frame-clock.ts';
import type { Reading } from './recording/reading-rows.ts';
import { Recorder } from './recording/recorder.ts';
import { WeightingProbe } from './weighting-probe.ts';

/** The state of one channel. */
export interface ChannelReport {
  readonly weighting: Weighting | null;
  /** When the weighting was last confirmed, ms UTC. If the meter turns out to have another weighting, later levels are doubtful. */
  readonly weightingConfirmedAt: number | null;
  /** Frames and readings that were left out because their weighting was not known. */
  readonly unweighted: number;
  /** The reason why it waits, in words. */
  readonly trouble: string | null;
}

/** The unit, the channel, and the store for its rows. */
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

/** Records until `stop`. */
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

  /** The state of the meter has changed. */
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
    const age = Math.max(0, time - (values.levelsAt ?? time));
    const when = {
      time: time - age,
      elapsed: elapsed - age,
      measuring: values.measurementState === 'Measure' && meter.deviceState.paused !== true,
    };
    if (!channel) {
      const levels = { lp: decibelsIn(values.lp), leq: decibelsIn(values.leq), le: decibelsIn(values.le) };
      const flags = {
        over: values.overRange === true,
        under: values.underRange === true,
        frozen: isFrozen(status.of(unitId)),
        implausible: data.implausible !== undefined,
      };
      return { ...when, ...levels, flags };
    }
    const own = data.others?.[channel.place - 1] ?? null;
    this.#off = own === null;
    if (!own) return undefined;
    const levels = { lp: decibelsIn(own.lp), leq: decibelsIn(own.leq), le: decibelsIn(own.le) };
    const flags = {
      over: own.over === true,
      under: own.under === true,
      // If the main channel of a meter does not change, the whole meter is frozen.
      frozen: isFrozen(status.of(unitId)),
      implausible: own.implausible !== undefined,
    };
    return { ...when, ...levels, flags };
  }

  /** Levels since the last confirmation may have another weighting. */
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
