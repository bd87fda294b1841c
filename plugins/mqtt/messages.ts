/** The messages about a unit: an object for each of its topics. Levels are numbers (dB), times ISO 8601 in UTC. */
import {
  type GatewayEvent,
  type Host,
  iso,
  numeric,
  quantities,
  shownLevelSettings,
  shownUnit,
  shownWeighting,
} from '../../lib/index.ts';

const LEVELS = quantities.quantitiesIn('status');
const FRAME_LEVELS = quantities.quantitiesIn('frame');
const BATTERY = ['batteryLevel', 'batteryState', 'powerSource', 'batteryAt', 'powerAt'] as const;
const CARD = ['sdRemainingMb', 'sdFreeRatio', 'cardAt'] as const;
/** States of a meter that need no action. */
const FINE: ReadonlySet<unknown> = new Set(['online', 'unknown']);

/** The payload of a message, as JSON. */
export type Payload = Readonly<Record<string, unknown>>;
type Reading = GatewayEvent<'reading'>['data']['values'];

/** Whether a reading has levels. */
export const hasLevels = (values: Reading): boolean => LEVELS.some((name) => name in values);

/**
 * The last levels of the display, as GET status has them: null from the start of a measurement to its first reading.
 * `frame`: its Lp is newer, and the others keep their time. Undefined: no level was read yet.
 */
export function levelMessage(
  host: Pick<Host, 'status'>,
  unitId: string,
  frame?: GatewayEvent<'frame'>,
): Payload | undefined {
  const { values, levelSettings } = host.status.of(unitId);
  const at = values.levelsAt ?? values.lpAt ?? null;
  if (at === null) return undefined;
  const known = frame ? { ...values, lp: frame.data.frame.main.lp } : values;
  return {
    time: iso(at),
    lp_at: iso(frame?.time ?? values.lpAt ?? at),
    ...numeric(quantities.withoutUnsent(quantities.levelsBy(LEVELS, (name) => known[name] ?? null))),
    ...shownLevelSettings(known, levelSettings),
  };
}

/** The levels of one frame of 100 ms. */
export function levelsOfFrame(
  host: Pick<Host, 'report' | 'meter'>,
  { unitId, time, data }: GatewayEvent<'frame'>,
): Payload {
  const { counter, main } = data.frame;
  return {
    time: iso(time),
    counter,
    ...numeric(quantities.withoutUnsent(quantities.levelsBy(FRAME_LEVELS, (name) => main[name] ?? null))),
    over_range: main.over,
    under_range: main.under,
    ...shownWeighting(host.report(unitId) && host.meter(unitId).deviceState),
  };
}

/** Whether a reading has values of the battery. */
export const hasBattery = (values: Reading): boolean => BATTERY.some((name) => name in values);
/** Whether a reading has values of the card. */
export const hasCard = (values: Reading): boolean => CARD.some((name) => name in values);

/** From the present values, also those of readings before the start. Undefined: never read. */
export function batteryOf(host: Pick<Host, 'status'>, unitId: string): Payload | undefined {
  const { batteryAt, powerAt, batteryLevel, batteryState, powerSource } = host.status.of(unitId).values;
  const at = batteryAt ?? powerAt;
  if (at === null || at === undefined) return undefined;
  const level = batteryLevel === null ? null : Number(batteryLevel);
  return { time: iso(at), battery_level: level, battery_state: batteryState, power_source: powerSource };
}

/** The state of the card; undefined: unknown yet. */
export function cardOf(host: Pick<Host, 'status'>, unitId: string): Payload | undefined {
  const { cardAt, sdRemainingMb, sdFreeRatio } = host.status.of(unitId).values;
  if (cardAt === null || cardAt === undefined) return undefined;
  const number = (text: string | null) => (text === null ? null : Number(text));
  return { time: iso(cardAt), remaining_mb: number(sdRemainingMb), free_percent: number(sdFreeRatio) };
}

/** Undefined: no such unit. It has no time, so that it changes only with another value. */
export function stateOf(host: Pick<Host, 'configs' | 'status' | 'reachability'>, unitId: string): Payload | undefined {
  const config = host.configs.get(unitId);
  if (!config) return undefined;
  const unit: Payload = shownUnit(host, config);
  const isLate = unit.stale === true && config.tcpEnabled && config.pollEnabled;
  const problems = [
    ...(FINE.has(unit.state) ? [] : [String(unit.state)]),
    ...(isLate ? ['stale'] : []),
    ...['frozen', 'implausible'].filter((name) => unit[name] === true),
  ];
  return {
    measurement_state: unit.measurement_state ?? null,
    measurement_start_time: unit.measurement_start_time ?? null,
    reachability: unit.state,
    reason: unit.reason,
    over_range: unit.over_range ?? null,
    problem: problems.length > 0,
    problems,
  };
}

/** A unit that was not tried yet counts as online. */
export const availabilityOf = (host: Pick<Host, 'reachability'>, unitId: string): 'online' | 'offline' => {
  const state = host.reachability(unitId)?.state ?? 'unknown';
  return FINE.has(state) || state === 'degraded' ? 'online' : 'offline';
};
