/**
 * The state of a meter from observations: measuring, paused, start, and offset of its clock. Pure. An empty observation
 * changes nothing.
 */
import { localAt, machineTimeZone } from '../domain/zone.ts';
import type { Observation } from '../drivers/wire/contract.ts';
import type { EventData } from '../events/contract.ts';
import type { ChannelWeighting, ClockOffset, DeviceState } from './contract.ts';

type Start = Pick<DeviceState, 'startedAt' | 'startSource'>;

const NO_START: Start = { startedAt: null, startSource: null };

const NO_PERCENTILES: DeviceState['percentiles'] = Object.freeze([null, null, null, null, null]);

/** `start`: start from before, for a measurement that is found still running. */
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

/** `wasPaused`: the present measurement was seen paused. `now`: ms UTC. */
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

/** The weightings of the other channels with the new values of one channel. */
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
 * The start according to the length of the measurement. A start that fits stays, but a start that was only seen began
 * earlier. A start that does not fit belongs to an earlier measurement: somebody has started the meter again by hand.
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
