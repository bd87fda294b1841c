/**
 * The recording of one unit, as its config says: readings that are made anyway, or the stream, which it keeps running. It
 * reports why it waits, and counts interruptions.
 */
import {
  type Batch,
  channelNames,
  type FeedEnd,
  type FeedStatus,
  MAIN_CHANNEL,
  type Weighting,
} from '../../lib/built-in.ts';
import type { DeviceConfig, GatewayEvent, Host, LiveFrame, Meter, Watcher } from '../../lib/index.ts';
import { ChannelRecording, type ChannelReport } from './channel-recording.ts';
import type { ArrivedFrame } from './frame-clock.ts';

/** A meter that refuses the stream is asked again after this time, ms. */
const REFUSED_MS = 60_000;

interface StreamWatchParts {
  readonly clock: Host['clock'];
  readonly meter: Meter;
  readonly onFrame: (frame: ArrivedFrame) => void;
  /** The stream is back after an interruption or a loss. */
  readonly onBack: () => void;
}

/** One of the viewers of the stream, which keeps it running until `stop`. */
class StreamWatch implements Watcher<LiveFrame> {
  readonly #parts: StreamWatchParts;
  #unwatch: (() => void) | undefined;
  #disarm = () => {};
  #trouble: string | null = 'The stream has not begun yet.';
  #refused = false;
  #lost = false;
  #frames = 0;
  #interruptions = 0;
  #losses = 0;

  constructor(parts: StreamWatchParts) {
    this.#parts = parts;
  }

  get trouble(): string | null {
    return this.#trouble;
  }

  /** No frames come, and the cause is not a command: only readings can be recorded. */
  get isAway(): boolean {
    return this.#refused || this.#lost;
  }

  retryNow(): void {
    if (this.#refused) this.start();
  }

  get frames(): number {
    return this.#frames;
  }

  get interruptions(): number {
    return this.#interruptions;
  }

  get losses(): number {
    return this.#losses;
  }

  /** May be called twice. */
  start(): void {
    this.#disarm();
    this.#unwatch ??= this.#parts.meter.feed.watch(this);
  }

  /** May be called twice. */
  stop(): void {
    this.#disarm();
    this.#unwatch?.();
    this.#unwatch = undefined;
  }

  frame({ at, elapsed, begun, frame }: LiveFrame): void {
    this.#frames += 1;
    this.#trouble = null;
    this.#refused = false;
    this.#lost = false;
    this.#parts.onFrame({ frame, begun, time: at, elapsed });
  }

  status(status: FeedStatus, detail: string): void {
    this.#lost = status === 'lost';
    if (status === 'ok') {
      this.#trouble = null;
      this.#parts.onBack();
      return;
    }
    this.#trouble = detail;
    if (status === 'interrupted') this.#interruptions += 1;
    else this.#losses += 1;
  }

  end(reason: FeedEnd, detail: string): void {
    this.#unwatch = undefined;
    this.#trouble = detail;
    if (reason !== 'failed') return;
    this.#refused = true;
    this.#disarm = this.#parts.clock.after(REFUSED_MS, () => this.start());
  }
}

interface RecordingReport {
  readonly mode: DeviceConfig['history'];
  readonly state: 'off' | 'waiting' | 'recording';
  readonly reason: string | null;
  readonly weighting: Weighting | null;
  /** When the weighting was last confirmed, ms UTC. If the meter turns out to have another weighting, later levels are doubtful. */
  readonly weightingConfirmedAt: number | null;
  /** The numbers count since this recording began: with the process, or with a change of the config. */
  readonly frames: number;
  readonly readings: number;
  readonly interruptions: number;
  readonly losses: number;
  /** Frames and readings that were left out because their weighting was not known. */
  readonly unweighted: number;
  /** The other recorded channels; the fields above are about the main channel. */
  readonly channels: readonly (Omit<ChannelReport, 'trouble'> &
    Pick<RecordingReport, 'state' | 'reason'> & { readonly channel: string })[];
}

type Parts = Pick<Host, 'clock' | 'log' | 'meter' | 'status' | 'history'>;

interface Running {
  readonly main: ChannelRecording;
  readonly others: ReadonlyMap<string, ChannelRecording>;
  readonly watch: StreamWatch | undefined;
}

const allOf = ({ main, others }: Running): readonly ChannelRecording[] => [...others.values(), main];

export class UnitRecording {
  readonly #parts: Parts;
  #config: DeviceConfig;
  #running: Running | undefined;
  #readings = 0;

  constructor(config: DeviceConfig, parts: Parts) {
    this.#config = config;
    this.#parts = parts;
    if (isWanted(config)) this.#running = this.#begin();
  }

  get report(): RecordingReport {
    const { main, watch } = this.#running ?? {};
    const { weighting = null, weightingConfirmedAt = null, unweighted = 0, trouble = null } = main?.report ?? {};
    const reason = trouble ?? troubleOf(watch) ?? null;
    return {
      mode: this.#config.history,
      state: stateOf(this.#running, reason),
      reason,
      weighting,
      weightingConfirmedAt,
      frames: watch?.frames ?? 0,
      readings: this.#readings,
      interruptions: watch?.interruptions ?? 0,
      losses: watch?.losses ?? 0,
      unweighted,
      channels: [...(this.#running?.others ?? [])].map(([channel, recording]) => {
        const { trouble, ...own } = recording.report;
        const reason = trouble ?? troubleOf(watch) ?? null;
        return { channel, state: stateOf(this.#running, reason), reason, ...own };
      }),
    };
  }

  get isStreamWanted(): boolean {
    return this.#running?.watch !== undefined;
  }

  follow(config: DeviceConfig): void {
    this.#config = config;
    this.stop();
    if (isWanted(config)) this.#running = this.#begin();
  }

  /** Another meter answers: no row may contain levels of both meters. */
  exchange(): void {
    this.stop();
    if (isWanted(this.#config)) this.#running = this.#begin();
  }

  state({ data }: GatewayEvent<'state'>): void {
    if (this.#running) for (const recording of allOf(this.#running)) recording.see(data.state);
  }

  /** The meter was set, started or stopped: it may now accept a stream that it refused. */
  mayStream(): void {
    this.#running?.watch?.retryNow();
  }

  /** While the stream comes, readings are not needed. */
  reading(event: GatewayEvent<'reading'>): void {
    const { levelsAt, lp } = event.data.values;
    if (!this.#running || levelsAt === undefined || lp === undefined) return;
    const { watch } = this.#running;
    if (watch && !watch.isAway) return;
    this.#readings += 1;
    for (const recording of allOf(this.#running)) recording.reading(event);
  }

  stop(): void {
    const running = this.#running;
    this.#running = undefined;
    running?.watch?.stop();
    if (running) for (const recording of allOf(running)) recording.stop();
  }

  #begin(): Running {
    const { clock, meter: meterOf } = this.#parts;
    const { unitId, history, historyChannels } = this.#config;
    const meter = meterOf(unitId);
    this.#readings = 0;
    const parts = { ...this.#parts, meter, eager: history === 'stream', append: (batch: Batch) => this.#append(batch) };
    const others = new Map(
      channelNames(meter.family.channels).flatMap((name, place) =>
        name === MAIN_CHANNEL || !historyChannels.includes(name)
          ? []
          : [[name, new ChannelRecording({ ...parts, channel: { name, place }, onWeighted: () => {} })]],
      ),
    );
    // The weighting comes first: a question would interrupt a stream that has begun.
    const main = new ChannelRecording({ ...parts, onWeighted: () => watch?.start() });
    const all = allOf({ main, others, watch: undefined });
    const watch =
      history === 'stream'
        ? new StreamWatch({
            clock,
            meter,
            onFrame: (arrived) => {
              for (const recording of all) recording.frame(arrived);
            },
            onBack: () => {
              for (const recording of all) recording.back();
            },
          })
        : undefined;
    // The main channel is asked last: its answer starts the stream.
    for (const recording of all) recording.see(meter.deviceState);
    return { main, others, watch };
  }

  #append(batch: Batch): void {
    try {
      this.#parts.history.append(batch);
    } catch (error) {
      this.#parts.log.error({ unit_id: batch.unitId, err: error }, 'the history refused rows');
    }
  }
}

const troubleOf = (watch: StreamWatch | undefined): string | null | undefined =>
  watch?.isAway ? `${watch.trouble} ${SAMPLED}` : watch?.trouble;

const SAMPLED = 'Until the stream comes, only the readings of the display are recorded.';

const stateOf = (running: Running | undefined, reason: string | null): RecordingReport['state'] =>
  running ? (reason === null ? 'recording' : 'waiting') : 'off';

const isWanted = ({ history, tcpEnabled }: DeviceConfig): boolean => history !== 'off' && tcpEnabled;
