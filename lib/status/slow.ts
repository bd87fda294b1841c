/**
 * Values of a meter that change slowly. Each costs the meter a command and a second, so it is read only if the known
 * value is old: battery, card and power; the serial number; and the settings that define the levels.
 */
import type { Clock } from '../clock.ts';
import type { OperationName } from '../drivers/contract.ts';
import type { PercentileSlot } from '../drivers/wire/contract.ts';
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

interface LastTry {
  readonly at: number;
  readonly failures: number;
  /** False: the meter did not tell it, or another request of the group got no answer. */
  readonly isTold: boolean;
  readonly values?: Snapshot;
}

interface Reader {
  readonly name: string;
  readonly operation: OperationName;
  isDue(parts: SlowParts, last: LastTry | undefined): boolean;
  /** False: the meter did not report it. */
  read(parts: SlowParts, reservation: Reservation): Promise<boolean>;
  garbled?(parts: SlowParts, words: string): void;
}

/** A value of the snapshot. `isDoubtful`: it may be wrong, however young it is; `last`: the values at the last reading. */
function snapshotValue(
  name: string,
  timeName: TimeName,
  operation: OperationName,
  read: (reservation: Reservation) => Promise<Partial<Snapshot> | undefined>,
  nothing: Partial<Snapshot>,
  isDoubtful: (now: Snapshot, last: Snapshot | undefined) => boolean = () => false,
): Reader {
  return {
    name,
    operation,
    isDue({ clock, isHurried, status }, last) {
      const { values, age } = status();
      const ms = age(timeName);
      if (ms !== null && (isHurried || ms < SLOW_MS) && !isDoubtful(values, last?.values)) return false;
      return !last || clock.elapsed() - last.at >= (last.failures >= RARE_AFTER ? RARE_MS : SLOW_MS);
    },
    async read({ publish, clock }, reservation) {
      const values = await read(reservation);
      if (values) publish({ values: { ...values, [timeName]: clock.now() } });
      return values !== undefined;
    },
    garbled({ publish, clock }, words) {
      const warnings = { [timeName]: `The ${name} cannot be read: ${words}` };
      publish({ values: { ...nothing, [timeName]: clock.now() }, warnings });
    },
  };
}

const battery = snapshotValue(
  'battery',
  'batteryAt',
  'battery',
  async (reservation) => {
    const { percent, word } = await reservation.perform('battery');
    return { batteryLevel: percent === null ? null : String(percent), batteryState: word };
  },
  { batteryLevel: null, batteryState: null },
);

/** Both sizes each time: the card may have been changed. Frames have the free space, but not the size of the card. */
const card = snapshotValue(
  'card',
  'cardAt',
  'cardSpace',
  async (reservation) => {
    const { freeMb, totalMb } = await reservation.perform('cardSpace');
    return { sdRemainingMb: String(freeMb), sdFreeRatio: totalMb > 0 ? ((100 * freeMb) / totalMb).toFixed(1) : null };
  },
  { sdRemainingMb: null, sdFreeRatio: null },
  ({ sdRemainingMb, sdFreeRatio }, last) => {
    if (sdRemainingMb === null) return false;
    const before = last?.sdRemainingMb ?? null;
    return sdFreeRatio === null || (before !== null && Number(sdRemainingMb) > Number(before) + LARGEST_FILE_MB);
  },
);

/** Last, because this request is the least certain one. */
const power = snapshotValue(
  'power source',
  'powerAt',
  'powerSource',
  async (reservation) => {
    const source = await reservation.perform('powerSource');
    return source ? { powerSource: source } : undefined;
  },
  { powerSource: null },
);

/** Once, so that an exchange of the meter can be noticed after a lost connection. */
const serialNumber: Reader = {
  name: 'serial number',
  operation: 'serialNumber',
  isDue: ({ meter, clock }, last) => meter.identity.serialNumber === null && isOld(last, clock),
  read: async (_parts, reservation) => Boolean(await reservation.perform('serialNumber')),
};

const isOld = (last: LastTry | undefined, clock: Clock): boolean =>
  last === undefined || clock.elapsed() - last.at >= RARE_MS;

/** After trouble with the connection the setting is unknown, and asked for at once. */
const isUnknownDue = (last: LastTry | undefined, clock: Clock): boolean => isOld(last, clock) || last?.isTold === true;

/** The history keeps them up to date while it records; this is for the other meters. */
const weightings: Reader = {
  name: 'weightings',
  operation: 'weightings',
  isDue({ meter: { deviceState }, clock }, last) {
    const isKnown = deviceState.frequencyWeighting !== null && deviceState.timeWeighting !== null;
    return !isKnown && isUnknownDue(last, clock);
  },
  read: async (_parts, reservation) => Boolean(await reservation.perform('weightings')),
};

/** Asked again once an hour: somebody may have used the keys. */
const percentile = (slot: PercentileSlot): Reader => ({
  name: `percentile ${slot}`,
  operation: 'percentile',
  isDue({ meter: { deviceState }, clock }, last) {
    const isKnown = (deviceState.percentiles[slot - 1] ?? null) !== null;
    return isKnown ? last !== undefined && isOld(last, clock) : isUnknownDue(last, clock);
  },
  read: async (_parts, reservation) => Boolean(await reservation.perform('percentile', slot)),
});

/** Battery, card and power. */
export const SLOW_VALUES: readonly Reader[] = [battery, card, power];
/** All slow values. After a silent meter only the rest of a group waits: it costs one timeout, not one for each value. */
export const SLOW_GROUPS: readonly (readonly Reader[])[] = [
  SLOW_VALUES,
  [serialNumber],
  [weightings, ...([1, 2, 3, 4, 5] as const).map(percentile)],
];

const triesOf = new WeakMap<Meter, Map<Reader, LastTry>>();

export const isSlowDue = (readers: readonly Reader[], parts: SlowParts): boolean => dueOf(readers, parts).length > 0;

const dueOf = (readers: readonly Reader[], parts: SlowParts): Reader[] =>
  readers.filter(
    (reader) => parts.meter.can(reader.operation) && reader.isDue(parts, triesOf.get(parts.meter)?.get(reader)),
  );

/** Reads the old values of a group, one after the other. A value that cannot be read does not fail the others. */
export async function readDue(readers: readonly Reader[], parts: SlowParts, reservation: Reservation): Promise<void> {
  const { clock, meter } = parts;
  const tries = triesOf.get(meter) ?? new Map<Reader, LastTry>();
  triesOf.set(meter, tries);
  for (const reader of dueOf(readers, parts)) {
    if (parts.mustYield()) return;
    // If the meter ends the connection at this question, the next readings do without it.
    if (reader === serialNumber) tries.set(reader, { at: clock.elapsed(), failures: 0, isTold: false });
    const failure = await attempt(parts, reader, reservation);
    const failures = failure ? (tries.get(reader)?.failures ?? 0) + 1 : 0;
    tries.set(reader, { at: clock.elapsed(), failures, isTold: !failure, values: parts.status().values });
    if (failure !== 'DEVICE_TIMEOUT') continue;
    for (const other of readers)
      tries.set(other, { failures: 0, ...tries.get(other), at: clock.elapsed(), isTold: false });
    return;
  }
}

/** The meter is reachable, but does not report the value. */
const NOT_TOLD = [
  'DEVICE_WRONG_STATE',
  'DEVICE_REFUSED_PARAMETER',
  'DEVICE_REFUSED_COMMAND',
  'DEVICE_GARBLED',
  'DEVICE_TIMEOUT',
] as const;

/**
 * Undefined: the meter told it. A value that the meter refuses or does not report stays as it was; an unreadable value
 * is null, with the reason. If the connection is lost, the error is thrown.
 */
async function attempt(
  parts: SlowParts,
  reader: Reader,
  reservation: Reservation,
): Promise<ErrorCode | 'nothing' | undefined> {
  try {
    return (await reader.read(parts, reservation)) ? undefined : 'nothing';
  } catch (error) {
    if (!isGatewayError(error, ...NOT_TOLD)) throw error;
    const { log, meter } = parts;
    log.info({ unit_id: meter.unitId, value: reader.name, error: messageOf(error) }, 'a value could not be read');
    if (error.code === 'DEVICE_GARBLED') reader.garbled?.(parts, messageOf(error));
    return error.code;
  }
}
