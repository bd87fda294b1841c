/**
 * One fresh reading of a meter: display and state each time; battery, card and power if they are older than a minute.
 * It is published once for all callers that share it. Knows no HTTP and no schedule.
 *
 *   levels    display, state                                  a person and a background reading share it
 *   the rest  battery, card, power                            of a person, but not beside a stream if background
 * readings come
 *             the same, state, serial number, percentiles ... in the background, in one reservation; a person never
 * joins it
 */
import type { Clock } from '../clock.ts';
import { levelsBy, quantitiesIn } from '../domain/quantities.ts';
import type { OperationName, ShownChannel, ShownValues } from '../drivers/contract.ts';
import { UnknownLayoutError } from '../drivers/wire/contract.ts';
import { type GatewayError, isGatewayError, messageOf } from '../errors.ts';
import type { EventData } from '../events/contract.ts';
import type { Log } from '../log.ts';
import type { Caller, Meter, Reservation } from '../meter/contract.ts';
import type { Snapshot } from '../store/contract.ts';
import type { Status, UnitStatus } from './contract.ts';
import { isSlowDue, readDue, SLOW_GROUPS, SLOW_VALUES, type SlowParts } from './slow.ts';
import { unchangedSince } from './values.ts';

/** A reading under way also serves later callers, while its levels are not older than this, ms. */
const YOUNG_MS = 1_000;
/** While frames of a watched stream arrive, display levels up to this age are the answer, ms. */
const BESIDE_FRAMES_MS = { measuring: 10_000, stopped: 20_000 };
/** An Lp up to this age shows that frames arrive, ms; a display up to this age needs no frames. */
const FRAME_MS = 1_000;
const DISPLAY_MS = 3_500;
/** A background reading gives way this often; the rest comes with the next reading. */
const MOST_TURNS = 20;

interface ReadingParts {
  readonly clock: Clock;
  readonly log: Pick<Log, 'info'>;
  readonly status: Status;
  /** Whether background readings are on. */
  readonly configs: { get(unitId: string): { readonly pollEnabled: boolean } | undefined };
  publish(unitId: string, kind: 'reading', data: EventData['reading']): void;
}

/** The status of the meter after a reading. Errors: as `Meter.reserve`. */
export async function readLive(parts: ReadingParts, meter: Meter, caller: Caller): Promise<UnitStatus> {
  let levelsAt = Number.POSITIVE_INFINITY;
  const joinWhile = () => parts.clock.elapsed() - levelsAt <= YOUNG_MS;
  const isBackground = caller.priority === 'background';
  const known = parts.status.of(meter.unitId);
  const age = known.age('levelsAt');
  const isFresh = age !== null && age <= goodForMs(known, meter, caller);
  if (isFresh && !isBackground) {
    caller.onAge?.(age);
    return known;
  }
  const asks = (name: OperationName) => (isBackground ? meter.isWorthAsking(name) : meter.can(name));
  const levels = async (reservation: Reservation) => {
    const display = asks('live') ? await readDisplay(parts, meter, reservation) : undefined;
    if (display) levelsAt = parts.clock.elapsed();
    // A caller beside a watched stream waits for only one command.
    const isStateRead = asks('measuring') && !isStateSeen(meter);
    const state = isStateRead ? await readState(meter, reservation) : display && knownState(meter);
    if (display || state) publish(parts, meter, display, state);
    const fault = display?.fault ?? state?.fault;
    // A person gets the error; a background reading continues with the other values.
    if (fault && !isBackground) throw fault;
  };
  meter.assertCan('live');
  if (!isFresh) await meter.reserve('live', levels, caller, { join: 'live', joinWhile, isRead: true });
  if (isBackground) await readRest(parts, meter, caller, asks('measuring'));
  else if (meter.feed.watchers === 0 || !parts.configs.get(meter.unitId)?.pollEnabled) {
    const slow = slowParts(parts, meter, meter.feed.watchers > 0);
    const work = (reservation: Reservation) => readDue(SLOW_VALUES, slow, reservation);
    if (isSlowDue(SLOW_VALUES, slow)) await meter.reserve('live', work, caller, { join: 'slow', isRead: true });
  }
  return parts.status.of(meter.unitId);
}

const isStateSeen = ({ feed, deviceState }: Meter): boolean => feed.watchers > 0 && deviceState.measuring !== null;

/**
 * Reads all old and unknown values in one reservation. It gives way to more urgent callers, and continues after them.
 */
async function readRest(parts: ReadingParts, meter: Meter, caller: Caller, isStateAsked: boolean): Promise<void> {
  let isStateLeft = isStateAsked && isStateSeen(meter);
  const slow = slowParts(parts, meter, false);
  const isDue = () => isStateLeft || isSlowDue(SLOW_GROUPS.flat(), slow);
  const work = async (reservation: Reservation) => {
    const own = { ...slow, mustYield: () => reservation.shouldYield };
    for (const group of SLOW_GROUPS) await readDue(group, own, reservation);
    if (!isStateLeft || own.mustYield()) return;
    publish(parts, meter, undefined, await readState(meter, reservation));
    isStateLeft = false;
  };
  for (let turn = 0; turn < MOST_TURNS && isDue(); turn += 1)
    await meter.reserve('background reading', work, caller, { join: 'rest', isRead: true });
}

/** Allowed age of the levels of the display; -1: the meter is asked. */
function goodForMs(known: UnitStatus, meter: Meter, { maxAgeMs }: Caller): number {
  if (maxAgeMs !== undefined) return maxAgeMs === 0 ? -1 : maxAgeMs;
  if (meter.feed.watchers === 0) return -1;
  if ((known.age('lpAt') ?? Number.POSITIVE_INFINITY) >= FRAME_MS) return DISPLAY_MS;
  return meter.deviceState.measuring === false ? BESIDE_FRAMES_MS.stopped : BESIDE_FRAMES_MS.measuring;
}

function slowParts({ clock, log, status, publish }: ReadingParts, meter: Meter, isHurried: boolean): SlowParts {
  return {
    meter,
    clock,
    log,
    isHurried,
    status: () => status.of(meter.unitId),
    mustYield: () => false,
    publish: (data) => publish(meter.unitId, 'reading', data),
  };
}

interface DisplaySeen extends Pick<ShownValues, 'others'> {
  readonly values: Partial<Snapshot>;
  readonly implausible?: ShownChannel['implausible'];
  readonly unreadable?: string;
  readonly fault?: GatewayError | undefined;
}

interface StateSeen {
  readonly measuring?: boolean;
  readonly fault?: GatewayError;
}

/**
 * A line of another number of fields is not read by position: an option board may have moved them. Its levels are null,
 * with the reason. A line that is not a display is also a `fault` for people. Errors: as `Reservation.perform`.
 */
async function readDisplay({ clock, log }: ReadingParts, meter: Meter, reservation: Reservation): Promise<DisplaySeen> {
  try {
    const { main, others } = await reservation.perform('live');
    return { values: levels(main, clock.now()), implausible: main.implausible, ...(others && { others }) };
  } catch (error) {
    const fault = unreadable(error, meter);
    const reading = { values: levels(null, clock.now()), unreadable: messageOf(fault.cause) };
    if (!(fault.cause instanceof UnknownLayoutError)) return { ...reading, fault };
    log.info({ unit_id: meter.unitId, error: reading.unreadable }, 'the display has fields that are not known');
    return reading;
  }
}

async function readState(meter: Meter, reservation: Reservation): Promise<StateSeen> {
  try {
    return { measuring: await reservation.perform('measuring') };
  } catch (error) {
    return { fault: unreadable(error, meter) };
  }
}

function knownState(meter: Meter): StateSeen | undefined {
  const { measuring } = meter.deviceState;
  return measuring === null || meter.can('measuring') ? undefined : { measuring };
}

/** A reply that arrived completely but cannot be read: the next command may be sent. Throws every other error. */
function unreadable(error: unknown, meter: Meter): GatewayError {
  // After a dropped connection, commands and replies may be out of step: the reply says nothing about this value.
  if (isGatewayError(error, 'DEVICE_GARBLED') && meter.reachability.reachable) return error;
  throw error;
}

/**
 * Levels and state in one event: no other command came between them. Published before the slow values, which take some
 * seconds more.
 */
function publish(
  parts: ReadingParts,
  meter: Meter,
  display: DisplaySeen | undefined,
  state: StateSeen | undefined,
): void {
  const isKnown = state?.measuring !== undefined;
  const seen = isKnown ? { ...measurement(meter, state.measuring), stateAt: parts.clock.now() } : {};
  const read = { ...display?.values, ...seen };
  const since = unchangedSince(parts.status.of(meter.unitId).values, read, meter.deviceState.paused === true);
  parts.publish(meter.unitId, 'reading', {
    values: { ...read, ...(display && { unchangedSince: since }) },
    ...(display && { levelSettings: meter.deviceState }),
    ...(display?.others && { others: display.others }),
    ...(display?.implausible && { implausible: display.implausible }),
    warnings: {
      ...(display && warning(display.implausible, display.unreadable)),
      ...(state?.fault && { stateAt: `The state cannot be read: ${messageOf(state.fault.cause)}.` }),
    },
  });
}

function warning(implausible: object | undefined, unreadable: string | undefined) {
  if (unreadable) return { levelsAt: `The levels cannot be read: ${unreadable}.` };
  if (!implausible) return {};
  const names = Object.keys(implausible).join(', ');
  return { levelsAt: `The meter showed impossible values, which are left out: ${names}.` };
}

const NO_LEVELS: Partial<ShownChannel> = {};
const SHOWN = quantitiesIn('status');

const levels = (main: ShownChannel | null, at: number): Partial<Snapshot> => {
  const from = main ?? NO_LEVELS;
  return {
    lpAt: at,
    levelsAt: at,
    ...levelsBy(SHOWN, (name) => from[name] ?? null),
    overRange: from.over ?? null,
    underRange: from.under ?? null,
  };
};

const measurement = ({ deviceState }: Meter, measuring: boolean): Partial<Snapshot> =>
  measuring
    ? {
        measurementState: 'Measure',
        measurementStartTime: deviceState.startedAt,
        measurementStartSource: deviceState.startSource,
      }
    : { measurementState: 'Stop', measurementStartTime: null, measurementStartSource: null };
