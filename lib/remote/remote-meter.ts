/** One meter whose session another instance has, as the plugins of the gateway see it. */

import type { Clock } from '../clock.ts';
import { createCounters } from '../domain/fields/counters.ts';
import type { Family, OperationName, Operations } from '../drivers/contract.ts';
import { operationOf } from '../drivers/not-supported.ts';
import type { Log } from '../log.ts';
import type {
  Caller,
  DeviceState,
  LiveFrame,
  Meter,
  MeterIdentity,
  MeterReport,
  Reachability,
  Reservation,
  ReserveOptions,
} from '../meter/contract.ts';
import { unknownDeviceState } from '../meter/device-state.ts';
import { FamilyMeter } from '../meter/family-meter.ts';
import { Hub } from '../meter/live/hub.ts';
import { untried } from '../meter/reachability.ts';
import { callerToLink, type LinkCalls } from './link-calls.ts';
import type { LinkedWorks } from './linked-works.ts';
import type { Ask, GatewayMessage, KnownUnit, MirroredUnit, ReportOnLink } from './messages.ts';
import { changesMeter } from './operations-on-link.ts';

/** What a meter needs of its link. */
export interface RemoteMeterParts {
  readonly unitId: string;
  readonly family: Family;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  readonly calls: LinkCalls;
  readonly works: LinkedWorks;
  readonly known: KnownUnit | undefined;
  readonly send: (message: GatewayMessage) => void;
  /** What the clock of the other instance shows, plus this, is the time here, ms. */
  readonly offset: () => number;
}

const IDLE: ReportOnLink = Object.freeze({
  state: 'idle',
  reservation: null,
  waiting: [],
  watchers: 0,
  connectedSince: null,
  lastEnding: null,
  retryAt: null,
  sharedWith: [],
  unreadable: [],
  strangeLine: null,
  countedSince: 0,
});

/** Its state is a mirror of the session's; what is asked goes over the link. */
export class RemoteMeter extends FamilyMeter implements Meter {
  readonly unitId: string;
  readonly feed: Hub<LiveFrame>;
  deviceState: DeviceState;
  identity: MeterIdentity;
  reachability: Reachability;
  /** Commands that went to its port. */
  commands = 0;
  hasSession = false;
  /** The other instance has told something of it. */
  wasUsed = false;
  #counters = createCounters();
  #report: ReportOnLink;
  #unworthy: ReadonlySet<string> = new Set();
  /** Watches that the other instance has not answered yet. */
  #asked = 0;
  readonly #parts: RemoteMeterParts;

  constructor(parts: RemoteMeterParts) {
    super();
    const { unitId, clock, known, log, send } = parts;
    this.#parts = parts;
    this.unitId = unitId;
    const startedAt = known?.measurementStartTime ?? null;
    const startSource = startedAt === null ? null : (known?.measurementStartSource ?? 'seen');
    this.deviceState = unknownDeviceState({ startedAt, startSource });
    this.identity = { serialNumber: null, model: null, exchanged: null };
    this.reachability = untried(clock.now());
    this.#report = { ...IDLE, countedSince: clock.now() };
    this.feed = new Hub({
      log,
      onWatched: () => {
        this.#asked += 1;
        send({ kind: 'watch', unit: unitId, on: true });
      },
      onUnwatched: () => {
        send({ kind: 'watch', unit: unitId, on: false });
        this.feed.reset();
      },
      onViewed: (on) => send({ kind: 'view', unit: unitId, on }),
    });
  }

  get family(): Family {
    return this.#parts.family;
  }

  async perform<N extends OperationName>(
    name: N,
    caller: Caller,
    ...values: Parameters<Operations[N]>
  ): Promise<ReturnType<Operations[N]>> {
    operationOf(this, name);
    const value = await this.#call(performing(name, values), caller, changesMeter(name), name);
    // The other side did exactly this operation.
    return value as ReturnType<Operations[N]>;
  }

  async readSetting(name: string, caller: Caller): Promise<string> {
    this.setting(name);
    return String(await this.#call({ do: 'read', setting: name }, caller, false, name));
  }

  async writeSetting(name: string, value: string, caller: Caller): Promise<string> {
    this.setting(name);
    return String(await this.#call({ do: 'write', setting: name, value }, caller, true, name));
  }

  reserve<T>(
    label: string,
    work: (reservation: Reservation) => Promise<T>,
    caller: Caller,
    options: ReserveOptions = {},
  ): Promise<T> {
    const isBackground = caller.priority === 'background';
    const isReading = options.isRead === true || isBackground;
    return this.#parts.works.reserve({ unitId: this.unitId, label, caller, options }, work, (id) => {
      const step = (ask: Ask, changes: boolean) => this.#step(id, ask, changes);
      const mustYield = () => isReading && (this.feed.watchers > 0 || (isBackground && this.#isOperatorWaiting));
      return new RemoteReservation(this, step, mustYield);
    });
  }

  get #isOperatorWaiting(): boolean {
    return this.#report.waiting.some(({ priority }) => priority === 'operator');
  }

  isWorthAsking(name: OperationName): boolean {
    return this.can(name) && !this.#unworthy.has(name);
  }

  report(): MeterReport {
    const { reservation, waiting, retryAt, ...rest } = this.#report;
    const now = this.#parts.clock.elapsed() - this.#parts.offset();
    const since = (from: number) => Math.max(0, Math.round(now - from));
    return {
      ...rest,
      reservation: reservation && heldFor(reservation, since),
      waiting: waiting.map(({ from, ...each }) => ({ ...each, waitedMs: since(from) })),
      watchers: Math.max(rest.watchers, this.feed.watchers),
      retryInMs: retryAt === null ? null : Math.max(0, Math.round(retryAt - now)) || null,
      identity: this.identity,
      counters: { ...this.#counters },
    };
  }

  get counters(): MeterReport['counters'] {
    return this.#counters;
  }

  /** Somebody watches, and what comes of the feed is of this watch. */
  get hears(): boolean {
    return this.#asked === 0 && this.feed.watchers > 0;
  }

  /** The other instance has answered a watch. */
  watched(): void {
    this.#asked = Math.max(0, this.#asked - 1);
  }

  /** What has changed there. */
  mirror({ deviceState, identity, reachability, unworthy, report, counters, commands }: MirroredUnit): void {
    this.wasUsed = true;
    if (deviceState) this.deviceState = deviceState;
    if (identity) this.identity = identity;
    if (reachability) this.reachability = reachability;
    if (unworthy) this.#unworthy = new Set(unworthy);
    if (report !== undefined) this.hasSession = report !== null;
    if (report === null) this.#report = { ...IDLE, countedSince: this.#report.countedSince };
    if (report) this.#report = { ...this.#report, ...report };
    if (counters) this.#counters = { ...this.#counters, ...counters };
    if (commands !== undefined) this.commands = commands;
  }

  async #call(ask: Ask, caller: Caller, changes: boolean, label: string): Promise<unknown> {
    const { calls } = this.#parts;
    const { unitId } = this;
    const message = { kind: 'call', id: calls.nextId(), unit: unitId, ask, caller: callerToLink(caller) } as const;
    return valueIn(await calls.ask(message, { unitId, changes, label, caller }));
  }

  async #step(of: number, ask: Ask, changes: boolean): Promise<unknown> {
    const { calls } = this.#parts;
    const { unitId } = this;
    const label = ask.do === 'perform' ? ask.name : ask.setting;
    return valueIn(await calls.ask({ kind: 'step', id: calls.nextId(), of, ask }, { unitId, changes, label }));
  }
}

/** The turn of a reservation: its steps go over the link. */
class RemoteReservation implements Reservation {
  readonly #meter: RemoteMeter;
  readonly #step: (ask: Ask, changes: boolean) => Promise<unknown>;
  readonly #mustYield: () => boolean;

  constructor(meter: RemoteMeter, step: (ask: Ask, changes: boolean) => Promise<unknown>, mustYield: () => boolean) {
    this.#meter = meter;
    this.#step = step;
    this.#mustYield = mustYield;
  }

  get shouldYield(): boolean {
    return this.#mustYield();
  }

  async perform<N extends OperationName>(
    name: N,
    ...values: Parameters<Operations[N]>
  ): Promise<ReturnType<Operations[N]>> {
    operationOf(this.#meter, name);
    // As with `RemoteMeter.perform`.
    return (await this.#step(performing(name, values), changesMeter(name))) as ReturnType<Operations[N]>;
  }

  async readSetting(name: string): Promise<string> {
    this.#meter.setting(name);
    return String(await this.#step({ do: 'read', setting: name }, false));
  }

  async writeSetting(name: string, value: string): Promise<string> {
    this.#meter.setting(name);
    return String(await this.#step({ do: 'write', setting: name, value }, true));
  }
}

/** JSON knows no `undefined` in a list: what is left out at the end stays left out. */
function performing(name: OperationName, values: readonly unknown[]): Ask {
  const last = values.findLastIndex((value) => value !== undefined);
  return { do: 'perform', name, values: values.slice(0, last + 1) };
}

const valueIn = (outcome: object): unknown => ('value' in outcome ? outcome.value : undefined);

const heldFor = (
  { from, ...rest }: NonNullable<ReportOnLink['reservation']>,
  since: (from: number) => number,
): NonNullable<MeterReport['reservation']> => ({ ...rest, heldMs: since(from) });
