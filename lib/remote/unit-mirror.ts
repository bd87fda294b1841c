/** What of one unit the gateway has been told, and what is new since then. */

import type { Clock } from '../clock.ts';
import type { Family, OperationName } from '../drivers/contract.ts';
import type { Meter, MeterReport, Reachability } from '../meter/contract.ts';
import type { LocalFleet } from '../meter/fleet.ts';
import type { CommandGap } from '../meter/meter-port.ts';
import type { MirroredUnit, ReportOnLink } from './messages.ts';

/** What it looks at. */
export interface UnitMirrorParts {
  readonly unitId: string;
  readonly fleet: Pick<LocalFleet, 'present' | 'reachability' | 'counters'>;
  readonly clock: Pick<Clock, 'elapsed'>;
}

/** A session does things by itself a little after its last event. */
const QUIET_LOOKS = 3;

/** Of one unit, for one link. Nothing was told at first. */
export class UnitMirror {
  /** Somebody waits for it: its commands are counted. */
  gap: CommandGap | undefined;
  /** Something waits or has the meter, as was told last. */
  isBusy = false;
  /** Looks in a row that found nothing. */
  #quiet = 0;
  readonly #parts: UnitMirrorParts;
  #deviceState: unknown;
  #identity: unknown;
  #reachability: Reachability | undefined;
  #commands: number | undefined;
  #hadSession: boolean | undefined;
  /** What was told last, by name; of objects their texts. */
  readonly #told = new Map<string, unknown>();

  constructor(parts: UnitMirrorParts) {
    this.#parts = parts;
  }

  /** It is looked at again: the last looks found something new, or something is told that ends by itself. */
  get isMoving(): boolean {
    return this.#quiet < QUIET_LOOKS || this.isBusy || (this.#told.get('unworthy') ?? '[]') !== '[]';
  }

  /** What changed of it that somebody may act on; undefined: nothing. */
  soon(): MirroredUnit | undefined {
    const meter = this.#parts.fleet.present(this.#parts.unitId);
    return meter && filled(this.#state(meter));
  }

  /** All that changed; undefined: nothing. */
  all(): MirroredUnit | undefined {
    const { unitId, fleet } = this.#parts;
    const meter = fleet.present(unitId);
    const patch: Writable<MirroredUnit> = meter ? this.#state(meter) : {};
    const reachability = fleet.reachability(unitId);
    if (reachability && reachability !== this.#reachability) {
      this.#reachability = reachability;
      patch.reachability = reachability;
    }
    const counters = fleet.counters(unitId);
    const counted = counters && this.#changes('counters', counters);
    if (counted) patch.counters = counted;
    if (meter) this.#report(meter, patch);
    else if (this.#hadSession !== false) this.#noReport(patch);
    this.#hadSession = meter !== undefined;
    const news = filled(patch);
    this.#quiet = news ? 0 : this.#quiet + 1;
    return news;
  }

  /** The gateway begins anew with this unit: nothing was told. */
  forget(): void {
    this.#told.clear();
    this.#deviceState = undefined;
    this.#identity = undefined;
    this.#reachability = undefined;
    this.#commands = undefined;
    this.#hadSession = undefined;
  }

  #report(meter: Meter, patch: Writable<MirroredUnit>): void {
    const report = meter.report();
    const changed = this.#changes('report', reportToLink(report, this.#parts.clock.elapsed()));
    if (changed) patch.report = changed;
    this.isBusy = report.waiting.length > 0 || report.reservation !== null;
    const before = this.#told.get('unworthy') ?? '[]';
    if (report.unreadable.length === 0 && before === '[]') return;
    const unworthy = operationsOf(meter.family).filter((name) => !meter.isWorthAsking(name));
    const text = JSON.stringify(unworthy);
    if (text === before) return;
    this.#told.set('unworthy', text);
    patch.unworthy = unworthy;
  }

  #noReport(patch: Writable<MirroredUnit>): void {
    patch.report = null;
    this.isBusy = false;
    for (const name of [...this.#told.keys()]) if (!name.startsWith('counters')) this.#told.delete(name);
    this.#deviceState = undefined;
    this.#identity = undefined;
    this.#reachability = undefined;
  }

  #state({ deviceState, identity, reachability }: Meter): Writable<MirroredUnit> {
    const patch: Writable<MirroredUnit> = {};
    if (deviceState !== this.#deviceState) patch.deviceState = deviceState;
    if (identity !== this.#identity) patch.identity = identity;
    // Each reply makes a new one; when the last one came is told with the counters.
    if (!this.#reachability || isOther(this.#reachability, reachability)) {
      patch.reachability = reachability;
      this.#reachability = reachability;
    }
    const commands = this.gap?.commands;
    if (commands !== undefined && commands !== this.#commands) patch.commands = commands;
    this.#deviceState = deviceState;
    this.#identity = identity;
    this.#commands = commands;
    return patch;
  }

  /** The members that are not as was told. */
  #changes<T extends object>(of: string, now: T): Partial<T> | undefined {
    const changed = Object.entries(now).filter(([name, value]) => {
      const told = typeof value === 'object' ? JSON.stringify(value) : value;
      const place = `${of} ${name}`;
      if (this.#told.get(place) === told) return false;
      this.#told.set(place, told);
      return true;
    });
    return changed.length > 0 ? (Object.fromEntries(changed) as Partial<T>) : undefined;
  }
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

const isOther = (before: Reachability, now: Reachability): boolean =>
  before.state !== now.state ||
  before.reachable !== now.reachable ||
  before.reason !== now.reason ||
  before.consecutiveFailures !== now.consecutiveFailures ||
  before.lastError?.at !== now.lastError?.at ||
  before.lastError?.resolvedAt !== now.lastError?.resolvedAt ||
  before.clock !== now.clock;

const operationsOf = ({ operations }: Pick<Family, 'operations'>): readonly OperationName[] =>
  Object.keys(operations) as OperationName[];

const filled = (patch: MirroredUnit): MirroredUnit | undefined => (Object.keys(patch).length > 0 ? patch : undefined);

/** Spans become times, so that what only goes on is no change. */
function reportToLink(report: MeterReport, now: number): ReportOnLink {
  const { counters: _counters, identity: _identity, reservation, waiting, retryInMs, ...rest } = report;
  return {
    ...rest,
    reservation: reservation && begunAt(reservation, now),
    waiting: waiting.map(({ waitedMs, ...each }) => ({ ...each, from: Math.round(now - waitedMs) })),
    retryAt: retryInMs === null ? null : Math.round(now + retryInMs),
  };
}

const begunAt = ({ heldMs, ...rest }: NonNullable<MeterReport['reservation']>, now: number) => ({
  ...rest,
  from: Math.round(now - heldMs),
});
