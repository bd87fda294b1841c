/** The messages about a unit: an object for each of its topics. Levels are numbers (dB), times ISO 8601 in UTC. */
import { numeric, quantities, shownLevelSettings, shownUnit, shownWeighting, zones } from '../../lib/built-in.ts';
import { type DeviceConfig, type GatewayEvent, type Host, iso, messageOf } from '../../lib/index.ts';
import type { Permits, UnitDay } from '../permits/index.ts';

const LEVELS = quantities.quantitiesIn('status');
const FRAME_LEVELS = quantities.quantitiesIn('frame');
const BATTERY = ['batteryLevel', 'batteryState', 'powerSource', 'batteryAt', 'powerAt'] as const;
const CARD = ['sdRemainingMb', 'sdFreeRatio', 'cardAt'] as const;
/** States of a meter that need no action. */
const FINE: ReadonlySet<unknown> = new Set(['online', 'unknown']);

export type Payload = Readonly<Record<string, unknown>>;
type Reading = GatewayEvent<'reading'>['data']['values'];

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

export const hasBattery = (values: Reading): boolean => BATTERY.some((name) => name in values);
export const hasCard = (values: Reading): boolean => CARD.some((name) => name in values);

/** From the present values, also those of readings before the start. Undefined: never read. */
export function batteryOf(host: Pick<Host, 'status'>, unitId: string): Payload | undefined {
  const { batteryAt, powerAt, batteryLevel, batteryState, powerSource } = host.status.of(unitId).values;
  const at = batteryAt ?? powerAt;
  if (at === null || at === undefined) return undefined;
  const level = batteryLevel === null ? null : Number(batteryLevel);
  return { time: iso(at), battery_level: level, battery_state: batteryState, power_source: powerSource };
}

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

const SEVERITIES = ['info', 'warning', 'critical'];
/** The most events of a unit that are named; all are counted. */
const MOST_NAMED = 20;

interface OpenEvent {
  readonly severity: string;
  readonly rule_name: unknown;
  readonly detail: unknown;
  readonly opened_at: unknown;
}

/** Begins empty: after a start, alerts publishes the events that were open before. */
export class OpenAlerts {
  readonly #open = new Map<string, Map<string, OpenEvent>>();

  /** False if nothing changed: budgets, and events of no unit. */
  see({ unitId, data }: GatewayEvent<'alert'>): boolean {
    const { change, id, severity, rule_name, detail, opened_at, closed_at } = data;
    if (unitId === '' || change === 'budget' || id === undefined) return false;
    const ofUnit = this.#open.get(unitId) ?? new Map<string, OpenEvent>();
    this.#open.set(unitId, ofUnit);
    if ((closed_at ?? null) === null) {
      ofUnit.set(String(id), { severity: String(severity), rule_name, detail, opened_at });
      return true;
    }
    return ofUnit.delete(String(id));
  }

  forget(unitId: string): void {
    this.#open.delete(unitId);
  }

  /** `worst`: the highest severity of the open events; null: no open event. */
  of(unitId: string, now: number): Payload {
    const open = [...(this.#open.get(unitId)?.values() ?? [])];
    const worst = Math.max(...open.map(({ severity }) => SEVERITIES.indexOf(severity)));
    return {
      time: iso(now),
      open: open.length,
      worst: open.length === 0 ? null : (SEVERITIES[worst] ?? null),
      events: open.slice(-MOST_NAMED),
    };
  }
}

type QuarterTopic = 'leq_15m' | 'leq_1h' | 'verdict';

const QUARTER_MS = 900_000;
const HOUR_MS = 3_600_000;
/** Pause after the end of a quarter: rows of the stream are stored a second after their time. ms */
const SETTLE_MS = 10_000;

/** Undefined: there is nothing to say, and the message at the broker is removed. */
type Tell = (unitId: string, topic: QuarterTopic, values: Payload | undefined) => void;

/** For units that record, and the verdict of today for units with a permit: soon after the quarter, when its last second is stored. */
export class QuarterMessages {
  readonly #host: Host;
  readonly #permits: Permits;
  readonly #tell: Tell;
  #cancel: () => void;

  /** `tell` gets the last full means soon after the start, and then each mean when its time is over. */
  constructor(host: Host, permits: Permits, tell: Tell) {
    this.#host = host;
    this.#permits = permits;
    this.#tell = tell;
    this.#cancel = host.clock.after(SETTLE_MS, () => this.#begin());
  }

  stop(): void {
    this.#cancel();
  }

  #begin(): void {
    const { clock, configs } = this.#host;
    const end = Math.floor(clock.now() / QUARTER_MS) * QUARTER_MS;
    void this.#all(configs.list(), end, true);
    this.#arm();
  }

  #arm(): void {
    const now = this.#host.clock.now();
    const end = Math.floor((now - SETTLE_MS) / QUARTER_MS + 1) * QUARTER_MS;
    this.#cancel = this.#host.clock.after(end + SETTLE_MS - now, () => {
      void this.#all(this.#host.configs.list(), end, false);
      this.#arm();
    });
  }

  /** One unit after the other, so that many units do not fill the queue of the history. `latest`: also the last hour, if no hour ends now. */
  async #all(configs: readonly DeviceConfig[], end: number, latest: boolean): Promise<void> {
    const { log, signal } = this.#host;
    for (const config of configs) {
      if (signal.aborted) return;
      const { unitId, timezone, history } = config;
      try {
        this.#tell(unitId, 'verdict', verdictOf(await this.#permits.today(config, signal)));
        if (history === 'off') continue;
        const hour = zones.stepAt(timezone ?? this.#host.configs.defaults.timezone, end, HOUR_MS).from;
        await this.#one(unitId, 'leq_15m', end - QUARTER_MS, end);
        if (latest || hour === end) await this.#one(unitId, 'leq_1h', hour - HOUR_MS, hour);
      } catch (error) {
        if (!signal.aborted)
          log.warn({ unit_id: unitId, reason: messageOf(error) }, 'levels for MQTT could not be read');
      }
    }
  }

  async #one(unitId: string, topic: QuarterTopic, from: number, to: number): Promise<void> {
    const { history, signal, configs } = this.#host;
    const range = { from: from / 1_000, to: to / 1_000 };
    const { rows, weighting } = await history.query({ unitId, over: { ranges: [range] } }, signal);
    for await (const [row] of rows) {
      if (!row || !configs.get(unitId)) continue;
      this.#tell(unitId, topic, {
        from: iso(from),
        to: iso(to),
        leq: row.leq === null ? null : Math.round(row.leq * 100) / 100,
        coverage: Math.floor((1_000 * row.measured) / (range.to - range.from)) / 1_000,
        frequency_weighting: weighting?.frequency ?? null,
      });
    }
  }
}

/** Without its time, so that it changes only with another verdict. */
const verdictOf = (day: UnitDay | undefined): Payload | undefined =>
  day && {
    date: day.date,
    verdict: day.verdict,
    margin_db: day.margin_db,
    is_amber: day.is_amber,
    permit: day.permit,
    title: day.title,
  };
