/**
 * One fresh reading of a meter, for whoever wants one: display and state each time, battery, power and card at most once
 * a minute. It is recorded once for all who share it. Knows no HTTP and no schedule.
 */
import type { Clock } from '../clock.ts';
import { type ErrorCode, isGatewayError } from '../errors.ts';
import type { Caller, Meter, Reservation } from '../meter/contract.ts';
import type { DisplayChannel } from '../nl43/contract.ts';
import * as nl43 from '../nl43/index.ts';
import type { Snapshot, SnapshotStore } from '../store/contract.ts';
import { unchangedSince } from './freshness.ts';

/** A reading that is under way serves those who ask meanwhile, while its levels are not older than this, ms. */
const YOUNG_MS = 1_000;

/** Battery, power and card space change slowly; each costs the meter a command and a rest. */
const SLOW_MS = 60_000;

/** When each was last asked for, on the monotonic clock. */
type Asked = Map<Reader, number>;
const askedOf = new WeakMap<Meter, Asked>();

export interface ReadingParts {
  readonly clock: Clock;
  readonly snapshots: SnapshotStore;
}

/**
 * The snapshot after a reading. What is not read this time comes from the last one. Errors: as `Meter.hold`.
 */
export function readLive(parts: ReadingParts, meter: Meter, caller: Caller): Promise<Snapshot> {
  let levelsAt = Number.POSITIVE_INFINITY;
  const joinWhile = () => parts.clock.elapsed() - levelsAt <= YOUNG_MS;
  const work = async (line: Reservation) => {
    const { main } = await line.send(nl43.display());
    levelsAt = parts.clock.elapsed();
    const given = await withState(parts, meter, line, levels(main, parts.clock.now()));
    await readSlow(parts, meter, line, caller.priority === 'background');
    return { ...given, ...parts.snapshots.get(meter.unitId) };
  };
  return meter.reserve('live', work, caller, { join: 'live', joinWhile });
}

/**
 * The line is held meanwhile, so that levels and state belong together. Recorded at once: the slow values take some seconds
 * more, and a meter that falls silent there has given its levels.
 */
async function withState(parts: ReadingParts, meter: Meter, line: Reservation, levels: Partial<Snapshot>) {
  const { clock, snapshots } = parts;
  const before = snapshots.get(meter.unitId);
  const state = measurement(meter, await line.send(nl43.measureState()));
  const read = { ...levels, ...state, lastSeen: clock.now() };
  const values = { ...read, unchangedSince: unchangedSince(before, read, meter.deviceState.paused === true) };
  snapshots.record(meter.unitId, values);
  return values;
}

const levels = (main: DisplayChannel, at: number): Partial<Snapshot> => ({
  lpAt: at,
  levelsAt: at,
  lp: main.lp,
  leq: main.leq,
  le: main.le,
  lmax: main.lmax,
  lmin: main.lmin,
  lpeak: main.lpeak,
  ln1: main.ln1,
  ln2: main.ln2,
  ln3: main.ln3,
  ln4: main.ln4,
  ln5: main.ln5,
  overRange: main.over,
  underRange: main.under,
});

const measurement = ({ deviceState }: Meter, state: 'Start' | 'Stop'): Partial<Snapshot> =>
  state === 'Start'
    ? { measurementState: 'Measure', measurementStartTime: deviceState.startedAt }
    : { measurementState: 'Stop', measurementStartTime: null };

type Reader = (line: Reservation) => Promise<Partial<Snapshot>>;

const readBattery: Reader = async (line) => {
  const { percent, word } = await line.send(nl43.batteryLevel());
  return { batteryLevel: percent === null ? null : String(percent), batteryState: word };
};

/** Both sizes each time: the card may be another one by now, under the same connection. */
const readCard: Reader = async (line) => {
  const free = await line.send(nl43.sdFreeSize());
  const total = await line.send(nl43.sdTotalSize());
  return { sdRemainingMb: String(free), sdFreeRatio: total > 0 ? ((100 * free) / total).toFixed(1) : null };
};

/** No command of its own asks for the power source. Last, because this request is the least certain one. */
const readPower: Reader = async (line) => {
  const { power } = await line.peek(nl43.statusFrames());
  return power ? { powerSource: power } : {};
};

const READERS = [readBattery, readCard, readPower];

/** Between two of them a background reading gives way to operators; what it leaves out comes with the next one. */
async function readSlow(parts: ReadingParts, meter: Meter, line: Reservation, givesWay: boolean): Promise<void> {
  const { clock, snapshots } = parts;
  const asked = askedOf.get(meter) ?? new Map();
  askedOf.set(meter, asked);
  for (const read of READERS.filter((each) => isDue(asked, each, clock))) {
    if (givesWay && meter.report().waiting.some(({ priority }) => priority === 'operator')) return;
    const failure = await attempt(async () => {
      const values = await read(line);
      snapshots.record(meter.unitId, { ...values, lastSeen: clock.now() });
    });
    // A silent meter costs one timeout, not one each.
    for (const done of failure === 'DEVICE_TIMEOUT' ? READERS : [read]) asked.set(done, clock.elapsed());
    if (failure === 'DEVICE_TIMEOUT') return;
  }
}

const isDue = (asked: Asked, reader: Reader, clock: Clock): boolean =>
  clock.elapsed() - (asked.get(reader) ?? Number.NEGATIVE_INFINITY) >= SLOW_MS;

const REFUSALS = [
  'DEVICE_WRONG_STATE',
  'DEVICE_REFUSED_PARAMETER',
  'DEVICE_REFUSED_COMMAND',
  'DEVICE_GARBLED',
] as const;

/**
 * The levels are read by now: a side value that the meter refuses, garbles or says nothing about keeps its old value.
 * A connection that is gone is thrown on.
 */
async function attempt(reading: () => Promise<unknown>): Promise<ErrorCode | undefined> {
  try {
    await reading();
    return undefined;
  } catch (error) {
    if (isGatewayError(error, ...REFUSALS, 'DEVICE_TIMEOUT')) return error.code;
    throw error;
  }
}
