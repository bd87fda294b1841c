/**
 * Battery, card and power source: they change slowly, and each costs the meter a command and a second. They are read
 * only if the known values are old; a stream may have brought newer ones.
 */
import type { Clock } from '../clock.ts';
import type { OperationName } from '../drivers/contract.ts';
import { type ErrorCode, isGatewayError, messageOf } from '../errors.ts';
import type { EventData } from '../events/contract.ts';
import type { Log } from '../log.ts';
import type { Meter, Reservation } from '../meter/contract.ts';
import type { Snapshot } from '../store/contract.ts';
import type { TimeName, UnitStatus } from './contract.ts';

/** Newer values are not requested again, ms. */
const SLOW_MS = 60_000;
/** After this many failures in a row, with refusals, a value is requested at most this often, ms. */
const RARE_AFTER = 3;
const RARE_MS = 3_600_000;

/** Largest file of the meter, MB: if the free space has grown by more, it may be another card. */
const LARGEST_FILE_MB = 64;

/** Needs for reading the slow values. */
export interface SlowParts {
  readonly meter: Meter;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info'>;
  /** A caller waits beside a watched stream: only values that were never read are requested. */
  readonly isHurried: boolean;
  status(): UnitStatus;
  /** An operator or a viewer waits, and this reading gives way. */
  mustYield(): boolean;
  publish(data: EventData['reading']): void;
}

interface Reader {
  readonly timeName: TimeName;
  readonly name: string;
  readonly operation: OperationName;
  /** Undefined: the meter did not report it. */
  readonly read: (reservation: Reservation) => Promise<Partial<Snapshot> | undefined>;
  readonly nothing: Partial<Snapshot>;
  /** Whether the known values may be wrong, however young they are. `last`: the values at the last reading. */
  isDoubtful?(now: Snapshot, last: Snapshot | undefined): boolean;
}

const battery: Reader = {
  timeName: 'batteryAt',
  name: 'battery',
  operation: 'battery',
  async read(reservation) {
    const { percent, word } = await reservation.perform('battery');
    return { batteryLevel: percent === null ? null : String(percent), batteryState: word };
  },
  nothing: { batteryLevel: null, batteryState: null },
};

/** Both sizes each time: the card may have been changed. Frames have the free space, but not the size of the card. */
const card: Reader = {
  timeName: 'cardAt',
  name: 'card',
  operation: 'cardSpace',
  async read(reservation) {
    const { freeMb, totalMb } = await reservation.perform('cardSpace');
    return { sdRemainingMb: String(freeMb), sdFreeRatio: totalMb > 0 ? ((100 * freeMb) / totalMb).toFixed(1) : null };
  },
  nothing: { sdRemainingMb: null, sdFreeRatio: null },
  isDoubtful({ sdRemainingMb, sdFreeRatio }, last) {
    if (sdRemainingMb === null) return false;
    const before = last?.sdRemainingMb ?? null;
    return sdFreeRatio === null || (before !== null && Number(sdRemainingMb) > Number(before) + LARGEST_FILE_MB);
  },
};

/** Last, because this request is the least certain one. */
const power: Reader = {
  timeName: 'powerAt',
  name: 'power source',
  operation: 'powerSource',
  async read(reservation) {
    const source = await reservation.perform('powerSource');
    return source ? { powerSource: source } : undefined;
  },
  nothing: { powerSource: null },
};

const READERS = [battery, card, power];

/** Time of the last request on the monotonic clock, number of failures in a row, and the values after it. */
interface LastTry {
  readonly at: number;
  readonly failures: number;
  readonly values?: Snapshot;
}
const triesOf = new WeakMap<Meter, Map<Reader, LastTry>>();

/**
 * Once, so that an exchange of the meter can be noticed after a lost connection. After a failure, a later reading tries
 * again.
 */
export async function identify(parts: SlowParts, reservation: Reservation): Promise<void> {
  if (!isIdentityOpen(parts)) return;
  const { meter, clock, log } = parts;
  identifiedAt.set(meter, clock.elapsed() + RARE_MS);
  try {
    await reservation.perform('serialNumber');
  } catch (error) {
    if (!isGatewayError(error, ...REFUSALS, 'DEVICE_GARBLED', 'DEVICE_TIMEOUT')) throw error;
    log.info({ unit_id: meter.unitId, error: messageOf(error) }, 'the serial number could not be read');
  }
}

/** Whether `identify` has work. */
export const isIdentityOpen = ({ meter, clock }: SlowParts): boolean =>
  meter.can('serialNumber') &&
  meter.identity.serialNumber === null &&
  (identifiedAt.get(meter) ?? 0) <= clock.elapsed();

/** When a meter may be asked for its serial number again, on the monotonic clock. */
const identifiedAt = new WeakMap<Meter, number>();

/** Whether `readSlow` has work. */
export const isSlowDue = (parts: SlowParts): boolean => dueOf(parts).length > 0;

/** Reads the old values and publishes them. An unreadable value does not fail the others. */
export async function readSlow(parts: SlowParts, reservation: Reservation): Promise<void> {
  const { clock, meter } = parts;
  const tries = triesOf.get(meter) ?? new Map<Reader, LastTry>();
  triesOf.set(meter, tries);
  for (const reader of dueOf(parts)) {
    if (parts.mustYield()) return;
    const failure = await attempt(parts, reader, reservation);
    const failures = failure ? (tries.get(reader)?.failures ?? 0) + 1 : 0;
    tries.set(reader, { at: clock.elapsed(), failures, values: parts.status().values });
    if (failure !== 'DEVICE_TIMEOUT') continue;
    // A silent meter costs one timeout, not one for each value.
    for (const other of READERS) tries.set(other, { failures: 0, ...tries.get(other), at: clock.elapsed() });
    return;
  }
}

const dueOf = (parts: SlowParts): Reader[] =>
  READERS.filter((reader) => parts.meter.can(reader.operation) && isDue(reader, parts));

function isDue(reader: Reader, { clock, meter, isHurried, status }: SlowParts): boolean {
  const last = triesOf.get(meter)?.get(reader);
  const youngMs = isHurried ? Number.POSITIVE_INFINITY : SLOW_MS;
  const { values, age } = status();
  const ms = age(reader.timeName);
  if (ms !== null && ms < youngMs && !reader.isDoubtful?.(values, last?.values)) return false;
  if (!last) return true;
  return clock.elapsed() - last.at >= (last.failures >= RARE_AFTER ? RARE_MS : SLOW_MS);
}

/** The meter is reachable, but does not report the value. */
export const REFUSALS = ['DEVICE_WRONG_STATE', 'DEVICE_REFUSED_PARAMETER', 'DEVICE_REFUSED_COMMAND'] as const;

/**
 * The levels have been read before. A value that the meter refuses or does not report stays as it was; an unreadable
 * value is null, with the reason. If the connection is lost, the error is thrown.
 */
async function attempt(
  { publish, clock, log, meter }: SlowParts,
  { read, timeName, name, nothing }: Reader,
  reservation: Reservation,
): Promise<ErrorCode | 'nothing' | undefined> {
  try {
    const values = await read(reservation);
    if (!values) return 'nothing';
    publish({ values: { ...values, [timeName]: clock.now() } });
    return undefined;
  } catch (error) {
    if (!isGatewayError(error, ...REFUSALS, 'DEVICE_GARBLED', 'DEVICE_TIMEOUT')) throw error;
    log.info({ unit_id: meter.unitId, value: name, error: messageOf(error) }, 'a value could not be read');
    if (error.code === 'DEVICE_GARBLED') {
      const warnings = { [timeName]: `The ${name} cannot be read: ${messageOf(error)}` };
      publish({ values: { ...nothing, [timeName]: clock.now() }, warnings });
    }
    return error.code;
  }
}
