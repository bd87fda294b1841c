/**
 * The recording of one unit, as its config says: readings that are made anyway, or the stream, which it keeps running. It says
 * what it waits for, and counts what interrupts it.
 */
import {
  type Batch,
  type DeviceConfig,
  type GatewayEvent,
  type Host,
  isFrozen,
  iso,
  isSameMeter,
  type Reading,
  Recorder,
  type Weighting,
} from '../../lib/index.ts';
import { StreamWatch } from './stream-watch.ts';
import { WeightingProbe } from './weighting-probe.ts';

/** What is recorded of a unit now. */
export interface RecordingReport {
  readonly mode: DeviceConfig['history'];
  /** `off`: also where TCP is switched off. */
  readonly state: 'off' | 'waiting' | 'recording';
  /** What it waits for, in words. */
  readonly reason: string | null;
  readonly weighting: Weighting | null;
  /** When the meter last had it for certain, ms UTC: what was recorded since would be doubtful if it turned out to have another one. */
  readonly weightingConfirmedAt: number | null;
  /** The numbers count since this recording began: with the process, or with a change of the config. */
  readonly frames: number;
  readonly readings: number;
  readonly interruptions: number;
  readonly losses: number;
  /** Frames and readings that were left out because their weighting was not known. */
  readonly unweighted: number;
}

type Parts = Pick<Host, 'clock' | 'log' | 'meter' | 'status' | 'history'>;

interface Running {
  readonly recorder: Recorder;
  readonly probe: WeightingProbe;
  readonly watch: StreamWatch | undefined;
}

/** Begins with the config, follows its changes, ends with `stop`. */
export class UnitRecording {
  readonly #parts: Parts;
  #config: DeviceConfig;
  #running: Running | undefined;
  #readings = 0;
  /** The first reading waits for its weighting. */
  #held: Reading | undefined;

  constructor(config: DeviceConfig, parts: Parts) {
    this.#config = config;
    this.#parts = parts;
    if (isWanted(config)) this.#running = this.#begin();
  }

  get report(): RecordingReport {
    const { recorder, probe, watch } = this.#running ?? {};
    const unknown = recorder && recorder.weighting === null ? (probe?.trouble ?? (watch ? ASKING : UNREAD)) : null;
    const reason = unknown ?? watch?.trouble ?? null;
    return {
      mode: this.#config.history,
      state: this.#running ? (reason === null ? 'recording' : 'waiting') : 'off',
      reason,
      weighting: recorder?.weighting ?? null,
      weightingConfirmedAt: probe?.confirmedAt ?? null,
      frames: watch?.frames ?? 0,
      readings: this.#readings,
      interruptions: watch?.interruptions ?? 0,
      losses: watch?.losses ?? 0,
      unweighted: recorder?.unweighted ?? 0,
    };
  }

  follow(config: DeviceConfig): void {
    const before = this.#config;
    this.#config = config;
    if (isSameMeter(before, config) && before.history === config.history && before.tcpEnabled === config.tcpEnabled)
      return;
    this.stop();
    if (isWanted(config)) this.#running = this.#begin();
  }

  /** Another meter answers: no row is made of levels of both. */
  exchange(): void {
    this.stop();
    if (isWanted(this.#config)) this.#running = this.#begin();
  }

  /** What is known of the meter changed. */
  state({ data }: GatewayEvent<'state'>): void {
    this.#running?.probe.see(data.state);
  }

  /** While the stream is recorded, a reading adds nothing. */
  reading(event: GatewayEvent<'reading'>): void {
    const { levelsAt, lp } = event.data.values;
    if (!this.#running || levelsAt === undefined || lp === undefined) return;
    const { watch, recorder, probe } = this.#running;
    if (watch && !watch.refused) return;
    this.#readings += 1;
    const reading = readingOf(event, this.#parts);
    if (recorder.weighting) recorder.reading(reading);
    else this.#held = reading;
    if (probe.isDue) void probe.ask();
  }

  /** Writes the rows that are not finished. May be called twice. */
  stop(): void {
    const running = this.#running;
    this.#running = undefined;
    running?.watch?.stop();
    running?.probe.stop();
    running?.recorder.flush();
  }

  #begin(): Running {
    const { clock, meter: meterOf } = this.#parts;
    const { unitId, history } = this.#config;
    const meter = meterOf(unitId);
    const recorder = new Recorder(unitId, meter.family.stream, (batch) => this.#append(batch));
    this.#readings = 0;
    const probe = new WeightingProbe({
      clock,
      meter,
      eager: history === 'stream',
      onDoubt: (was, since) => {
        recorder.flush();
        void this.#doubt(was, since);
      },
      onChange: (weighting) => {
        recorder.weigh(weighting);
        // The weighting first: asking for it would interrupt a stream that has begun.
        if (weighting) watch?.start();
        if (weighting && this.#held) recorder.reading(this.#held);
        this.#held = undefined;
      },
    });
    const onBack = () => {
      if (recorder.weighting === null) void probe.ask();
    };
    const onFrame = recorder.frame.bind(recorder);
    const watch = history === 'stream' ? new StreamWatch({ clock, meter, onFrame, onBack }) : undefined;
    probe.see(meter.deviceState);
    return { recorder, probe, watch };
  }

  /** What was recorded since the last confirmation: nobody knows with which weighting. */
  async #doubt(weighting: Weighting, since: number): Promise<void> {
    const { clock, history, log } = this.#parts;
    const { unitId } = this.#config;
    const span = { from: Math.floor(since / 1_000), to: Math.floor(clock.now() / 1_000) + 1 };
    try {
      for (const source of ['stream', 'poll'] as const)
        await history.doubt({ unitId, source, weighting, ...span, flag: 'weighting' });
      log.warn(
        { unit_id: unitId, ...weighting, since: iso(since) },
        'the weighting was changed at the meter: levels since then are doubtful',
      );
    } catch (error) {
      log.error({ unit_id: unitId, err: error }, 'doubtful levels could not be marked');
    }
  }

  #append(batch: Batch): void {
    try {
      this.#parts.history.append(batch);
    } catch (error) {
      this.#parts.log.error({ unit_id: batch.unitId, err: error }, 'the history refused rows');
    }
  }
}

const ASKING = 'The weighting of the meter is being asked for.';
const UNREAD = 'The meter has not been read yet.';

const isWanted = ({ history, tcpEnabled }: DeviceConfig): boolean => history !== 'off' && tcpEnabled;

function readingOf({ unitId, time, elapsed, data }: GatewayEvent<'reading'>, { meter, status }: Parts): Reading {
  const { values, implausible } = data;
  const age = Math.max(0, time - (values.levelsAt ?? time));
  return {
    time: time - age,
    elapsed: elapsed - age,
    lp: decibelsIn(values.lp),
    leq: decibelsIn(values.leq),
    le: decibelsIn(values.le),
    measuring: values.measurementState === 'Measure' && meter(unitId).deviceState.paused !== true,
    flags: {
      over: values.overRange === true,
      under: values.underRange === true,
      frozen: isFrozen(status.of(unitId)),
      implausible: implausible !== undefined,
    },
  };
}

const decibelsIn = (text: string | null | undefined): number | null =>
  text === null || text === undefined ? null : Number(text);
