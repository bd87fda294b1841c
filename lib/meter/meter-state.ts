/**
 * Knowledge of a session about its meter, and its open questions. It sends nothing. After trouble with the connection
 * nothing counts as known until the meter has reported it again: somebody may have pressed its keys. Unknown values are
 * asked one at a time, so that an operator can come between. If the connection breaks again before all answers, the
 * next round waits, longer each time.
 */
import { isDeepStrictEqual } from 'node:util';
import { localAt, machineTimeZone } from '../domain/zone.ts';
import {
  type Command,
  type Frame,
  type Observation,
  type StateQuestions,
  type StreamCommand,
  shortened,
} from '../drivers/wire/contract.ts';
import { type GatewayError, messageOf } from '../errors.ts';
import type { EventData } from '../events/contract.ts';
import { endpointOf } from '../transport/contract.ts';
import type { ChannelWeighting, ClockOffset, DeviceState, MeterReport, Reachability } from './contract.ts';
import { DeviceClock, FrameTimes } from './device-clock.ts';
import { isRefused } from './faults.ts';
import { KnownValues, UnreadableReplies } from './known-values.ts';
import type { SessionParts } from './parts.ts';
import { afterFailure, Retry, reached, streamRefused, untried } from './reachability.ts';

type Start = Pick<DeviceState, 'startedAt' | 'startSource'>;

const NO_START: Start = { startedAt: null, startSource: null };

const NO_PERCENTILES: DeviceState['percentiles'] = Object.freeze([null, null, null, null, null]);

/** Nothing is known of the state. `start`: start from before, for a measurement that is found still running. */
export const unknownDeviceState = ({ startedAt, startSource }: Start = NO_START): DeviceState => ({
  measuring: null,
  paused: null,
  startedAt,
  startSource,
  storeName: null,
  frequencyWeighting: null,
  timeWeighting: null,
  percentiles: NO_PERCENTILES,
});

/** The state after an observation. `wasPaused`: the present measurement was seen paused. */
export function observe(before: DeviceState, seen: Observation, now: number, wasPaused = false): DeviceState {
  const {
    began: _began,
    weightingSent,
    measuredSeconds,
    sleepMode: _sleepMode,
    clock: _clock,
    serialNumber: _serialNumber,
    model: _model,
    percentile,
    otherWeighting,
    ...told
  } = seen;
  const percentiles = percentile
    ? before.percentiles.with(percentile.slot - 1, percentile.percent)
    : before.percentiles;
  const next = {
    ...before,
    ...told,
    percentiles,
    ...startOf(before, seen, now),
    ...sourceOf(before, seen),
    ...(otherWeighting && { channelWeightings: withWeighting(before.channelWeightings, otherWeighting) }),
  };
  if (next.measuring === false) return { ...next, paused: false, ...NO_START };
  // The display is often read just before the question whether the meter measures.
  const isTelling = measuredSeconds && !next.paused && !wasPaused;
  return isTelling ? { ...next, ...byLength(next, measuredSeconds, now) } : next;
}

function withWeighting(
  before: DeviceState['channelWeightings'],
  { channel, frequency, time, sent }: NonNullable<Observation['otherWeighting']>,
): NonNullable<DeviceState['channelWeightings']> {
  const known: ChannelWeighting = before?.[channel] ?? { frequency: null, time: null };
  const now = { ...known, ...(frequency !== undefined && { frequency }), ...(time !== undefined && { time }) };
  const isSame = now.frequency === known.frequency && now.time === known.time;
  const source: Pick<ChannelWeighting, 'source'> = sent ? { source: 'sent' } : isSame ? {} : { source: 'read' };
  return { ...before, [channel]: { ...now, ...source } };
}

/** A weighting that is only read again keeps its source. */
function sourceOf(before: DeviceState, seen: Observation): Pick<DeviceState, 'weightingSource'> {
  const { frequencyWeighting = before.frequencyWeighting, timeWeighting = before.timeWeighting, weightingSent } = seen;
  if (weightingSent) return { weightingSource: 'sent' };
  const isSame = frequencyWeighting === before.frequencyWeighting && timeWeighting === before.timeWeighting;
  return isSame ? {} : { weightingSource: 'read' };
}

/** A start that was sent counts from now; a start that was seen keeps its known time. */
function startOf({ startedAt, startSource }: Start, seen: Observation, now: number): Start {
  if (seen.began) return { startedAt: now, startSource: 'sent' };
  if (seen.measuring && startedAt === null) return { startedAt: now, startSource: 'seen' };
  return { startedAt, startSource };
}

/** The display is late by a second at most, and a reply takes its time. ms */
const LATE_MS = 3_000;

type Length = NonNullable<Observation['measuredSeconds']>;

/**
 * The start according to the length of the measurement. A start that was only seen began earlier. A start that does not
 * fit belongs to an earlier measurement: somebody has started the meter again by hand.
 */
function byLength({ startedAt, startSource }: Start, { least, most }: Length, now: number): Start {
  const [from, to] = [now - most * 1_000 - LATE_MS, now - least * 1_000 + LATE_MS];
  const computed = (at: number): Start => ({ startedAt: Math.round(at), startSource: 'computed' });
  const middle = Math.min(now, now - (least + most) * 500);
  if (startedAt === null || startSource === 'seen') return computed(middle);
  // Later readings are less exact: the first one stays as long as it fits.
  if (startSource === 'computed') return computed(Math.min(Math.max(startedAt, from), to));
  return startedAt >= from && startedAt <= to ? { startedAt, startSource } : computed(middle);
}

/** How far the clock of the meter is ahead of the clocks of `zone` (default: of this process). `ahead`: of UTC, ms. */
export function clockOffset({ at, ahead, uncertainty }: EventData['clock'], zone?: string): ClockOffset {
  const local = localAt(zone ?? machineTimeZone(), at);
  return { offsetMs: ahead + at - local, uncertaintyMs: uncertainty, at };
}

type Question = keyof StateQuestions;
/** Without these a viewer gets no frames; the other questions can wait while somebody watches. */
const URGENT: readonly Question[] = ['measuring', 'paused', 'serialNumber'];
const QUESTIONS: readonly Question[] = [...URGENT, 'storeName', 'clock'];

export class MeterState {
  readonly unreadable: UnreadableReplies;
  readonly retry: Retry;
  deviceState: DeviceState;
  reachability: Reachability;
  /** How often in a row the meter showed no prompt after a stream. */
  promptsWithheld = 0;
  strangeLine: MeterReport['strangeLine'] = null;
  readonly known: KnownValues;
  readonly #parts: SessionParts;
  readonly #open = new Set<Question>();
  readonly #questionRetry: Retry;
  /** Some questions were asked, but not all are answered. */
  #isHalfway = false;
  /** The present measurement was seen paused: its length then says nothing about its start. */
  #wasPaused = false;
  readonly #clock = new DeviceClock();
  readonly #frameTimes: FrameTimes | undefined;
  #clockBefore: ClockOffset | null = null;
  #sleepMode = false;
  /** The serial number was read since the last trouble. */
  #isIdentified = false;
  /** A new serial number that was read once: it is asked for again before it counts. */
  #suspect: string | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#frameTimes = parts.family.stream && new FrameTimes(parts.family.stream);
    this.unreadable = new UnreadableReplies(parts.clock);
    this.known = new KnownValues(parts.clock);
    this.retry = new Retry(parts);
    this.#questionRetry = new Retry(parts);
    this.deviceState = parts.start;
    this.reachability = untried(parts.clock.now());
    if (parts.driver.stateQuestions.serialNumber && this.#isIdentityOpen) this.#open.add('serialNumber');
  }

  /** The connection was in trouble. Only the start is kept, for a measurement that is found still running. */
  invalidate(): void {
    this.known.clear();
    if (this.#isHalfway) this.#questionRetry.failed();
    this.#isHalfway = false;
    this.#isIdentified = false;
    this.#change(unknownDeviceState(this.deviceState));
    this.#clockBefore = this.reachability.clock;
    for (const name of QUESTIONS) if (this.#parts.driver.stateQuestions[name]) this.#open.add(name);
  }

  /**
   * Facts in a decoded value. `tookMs`: from sending to now. A codec that throws costs an observation, not the answer.
   */
  observe<T>(command: Command<T>, value: T, tookMs: number): void {
    const { clock } = this.#parts;
    this.#note(command.text, () => {
      const seen = this.#see(command.tells?.(value));
      if (seen?.clock === undefined) return;
      const to = clock.now();
      const reading = { shown: seen.clock, from: to - tookMs, to };
      this.#tellClock(command.kind === 'setting' ? this.#clock.set(reading) : this.#clock.read(reading));
    });
  }

  /**
   * The same for a frame. `asked`: when its stream was requested, monotonic. Returns the time on the clock of the meter
   * with the frame, read as UTC, ms; null: the frame does not have it.
   */
  observeFrame<F extends Frame>(command: StreamCommand<F>, frame: F, asked: number): number | null {
    const { clock } = this.#parts;
    let shown: number | null = null;
    this.#note(command.text, () => {
      shown = this.#see(command.tells?.(frame))?.clock ?? null;
      if (shown === null) return;
      const arrived = clock.elapsed();
      const toWall = clock.now() - arrived;
      for (const reading of this.#frameTimes?.take({ counter: frame.counter, shown, asked, arrived }) ?? []) {
        const { from, to } = reading;
        this.#tellClock(this.#clock.read({ ...reading, from: from + toWall, to: to + toWall }));
      }
    });
    this.known.keepFrame(command, frame);
    return shown;
  }

  reached(): void {
    this.retry.worked();
    this.#become(reached(this.reachability, this.#parts.clock.now()));
  }

  /** `why`: the meter's reason for refusing its stream; null: it gives the stream, or may give it now. */
  streamRefused(why: string | null): void {
    if (why !== this.reachability.streamRefusal) this.#become(streamRefused(this.reachability, why));
  }

  /** The meter could not be reached, or a command or a stream brought no answer, or only an unreadable one. */
  failed(error: GatewayError, heard = false): void {
    this.retry.failed(isRefused(error));
    this.#become(afterFailure(this.reachability, error, this.#parts.clock.now(), { heard, maySleep: this.#sleepMode }));
  }

  noteStrange(raw: string): void {
    this.strangeLine = { raw: shortened(raw), at: this.#parts.clock.now() };
    this.#parts.log.warn({ raw: this.strangeLine.raw }, 'a line that is not a reply of the meter');
  }

  /** ms until the next question; undefined: no question. `urgentOnly`: only questions that a viewer waits for. */
  questionInMs(urgentOnly: boolean): number | undefined {
    return this.#nextQuestion(urgentOnly) && this.#questionRetry.remainingMs('background');
  }

  /**
   * Never rejects. A question that the meter refuses is skipped; one that fails with the connection waits for the next.
   */
  async ask(send: (question: Command<unknown>) => Promise<unknown>): Promise<void> {
    const name = this.#nextQuestion(false);
    const question = name && this.#parts.driver.stateQuestions[name];
    if (!question) return;
    this.#isHalfway = true;
    try {
      await send(question);
      // A new serial number is asked for twice.
      if (name !== 'serialNumber' || !this.#isIdentityOpen) this.#open.delete(name);
    } catch (error) {
      if (this.reachability.reachable) this.#open.delete(name);
      this.#parts.log.info({ command: question.text, error: messageOf(error) }, 'a question was not answered');
    }
    if (this.#nextQuestion(false)) return;
    this.#isHalfway = false;
    this.#questionRetry.worked();
  }

  #nextQuestion(urgentOnly: boolean): Question | undefined {
    for (const name of this.#open) if (this.#isNeedless(name)) this.#open.delete(name);
    return QUESTIONS.find((name) => this.#open.has(name) && (!urgentOnly || URGENT.includes(name)));
  }

  #isNeedless(name: Question): boolean {
    if (!this.unreadable.isWorthAsking(this.#parts.driver.stateQuestions[name]?.text ?? '')) return true;
    if (name === 'clock') return this.reachability.clock !== this.#clockBefore;
    return name === 'serialNumber' ? !this.#isIdentityOpen : this.deviceState[name] !== null;
  }

  get #isIdentityOpen(): boolean {
    return this.#parts.unit.identity.serialNumber !== null && !this.#isIdentified;
  }

  /** Another meter at the same address, read twice: facts about the earlier meter are no longer valid. */
  #identify(serialNumber: string): void {
    const { unit, address, clock, log, publish } = this.#parts;
    const from = unit.identity.serialNumber;
    const suspect = this.#suspect;
    const isOther = from !== null && from !== serialNumber;
    this.#isIdentified = !isOther || suspect !== undefined;
    this.#suspect = this.#isIdentified ? undefined : serialNumber;
    if (from === serialNumber || (isOther && suspect !== serialNumber)) return;
    const exchanged = isOther ? { from, to: serialNumber, at: clock.now() } : null;
    unit.identity = { serialNumber, exchanged, model: isOther ? null : unit.identity.model };
    if (isOther) {
      log.warn({ from, to: serialNumber }, 'another meter answers at the address of this unit');
      this.unreadable.clear();
      this.reachability = { ...this.reachability, clock: null };
      this.#clock.forget();
      this.#change(unknownDeviceState());
      publish('exchange', { from, to: serialNumber });
      this.invalidate();
      this.#isIdentified = true;
    }
    publish('identity', { serialNumber, endpoint: endpointOf(address) });
  }

  #note(command: string, look: () => void): void {
    try {
      look();
    } catch (error) {
      this.#parts.log.error({ command, error: messageOf(error) }, 'observation failed');
    }
  }

  #see(seen: Observation | undefined): Observation | undefined {
    if (!seen) return undefined;
    const { clock, unit } = this.#parts;
    if (seen.serialNumber !== undefined) this.#identify(seen.serialNumber);
    if (seen.model !== undefined) unit.identity = { ...unit.identity, model: seen.model };
    const next = observe(this.deviceState, seen, clock.now(), this.#wasPaused);
    this.#wasPaused = next.measuring !== false && !seen.began && (this.#wasPaused || next.paused === true);
    const { measuring } = this.deviceState;
    if (measuring !== null && measuring !== next.measuring) this.known.clear();
    this.#change(next, seen.began);
    this.#sleepMode = seen.sleepMode ?? this.#sleepMode;
    return seen;
  }

  #tellClock(news: readonly EventData['clock'][]): void {
    const { config, publish } = this.#parts;
    const estimate = this.#clock.estimate;
    if (estimate) {
      const clock = clockOffset(estimate, config().timezone ?? undefined);
      this.reachability = { ...this.reachability, clock };
    }
    for (const told of news) publish('clock', told);
  }

  #change(next: DeviceState, cleared?: true): void {
    if (!cleared && isDeepStrictEqual(next, this.deviceState)) return;
    this.deviceState = next;
    this.#parts.publish('state', { state: next, ...(cleared && { cleared }) });
  }

  #become(next: Reachability): void {
    const { state: from, reason } = this.reachability;
    this.reachability = next;
    if (from === next.state && reason === next.reason) return;
    this.#parts.log.info({ from, to: next.state, reason: next.reason }, 'reachability changed');
    this.#parts.publish('reachability', { from, reachability: next });
  }
}
