/**
 * One fresh reading of a meter for GET live: display and state each time, battery, power and card at most once a minute.
 * Knows no HTTP.
 */
import {
  type DisplayChannel,
  type ErrorCode,
  type Host,
  isGatewayError,
  type Line,
  type Meter,
  nl43,
  type Snapshot,
} from '../../lib/index.ts';

/** Battery, power and card space change slowly; each costs the meter a command and a rest. */
const SLOW_MS = 60_000;

interface Slow {
  /** On the monotonic clock; undefined before the first reading. */
  readAt: number | undefined;
  /** Asked once: a card is not changed while a connection stands. */
  sdTotalMb: number | undefined;
}
const slowly = new WeakMap<Meter, Slow>();

/** Reads on a held line, so that level and state belong together. Errors: as `Line.send`. */
export async function readLive(host: Host, meter: Meter, line: Line): Promise<Partial<Snapshot>> {
  const { main } = await line.send(nl43.display());
  const state = await line.send(nl43.measureState());
  const values = { ...levels(main), ...measurement(meter, state), lastSeen: host.clock.now() };
  return { ...values, ...(await readSlow(host, meter, line)) };
}

const levels = (main: DisplayChannel): Partial<Snapshot> => ({
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

const measurement = ({ condition }: Meter, state: 'Start' | 'Stop'): Partial<Snapshot> =>
  state === 'Start'
    ? { measurementState: 'Measure', measurementStartTime: condition.startedAt }
    : { measurementState: 'Stop', measurementStartTime: null };

type Reader = (line: Line, slow: Slow) => Promise<Partial<Snapshot>>;

const readBattery: Reader = async (line) => {
  const { percent, word } = await line.send(nl43.batteryLevel());
  return { batteryLevel: percent === null ? null : String(percent), batteryState: word };
};

const readCard: Reader = async (line, slow) => {
  const free = await line.send(nl43.sdFreeSize());
  slow.sdTotalMb ??= await line.send(nl43.sdTotalSize());
  const total = slow.sdTotalMb;
  return { sdRemainingMb: String(free), sdFreeRatio: total > 0 ? ((100 * free) / total).toFixed(1) : null };
};

/** No command of its own asks for the power source. Last, because this request is the least certain one. */
const readPower: Reader = async (line) => {
  const { power } = await line.peek(nl43.statusFrames());
  return power ? { powerSource: power } : {};
};

async function readSlow({ clock }: Host, meter: Meter, line: Line): Promise<Partial<Snapshot>> {
  const slow = slowly.get(meter) ?? { readAt: undefined, sdTotalMb: undefined };
  slowly.set(meter, slow);
  if (slow.readAt !== undefined && clock.elapsed() - slow.readAt < SLOW_MS) return {};
  const values = {};
  for (const read of [readBattery, readCard, readPower]) {
    const failure = await attempt(async () => Object.assign(values, await read(line, slow)));
    if (failure === 'DEVICE_TIMEOUT') break;
  }
  slow.readAt = clock.elapsed();
  return values;
}

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
