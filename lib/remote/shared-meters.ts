/**
 * The meters of the gateway where sessions are shared out between instances: finds the session of each unit here or at another
 * instance, and gives plugins a meter that stays the same while the unit moves.
 */
import type { Clock } from '../clock.ts';
import { isSameMeter } from '../domain/fields/config.ts';
import type { Families } from '../drivers/contract.ts';
import { GatewayError, unknownUnit } from '../errors.ts';
import type { EventStream, WireTaps } from '../events/contract.ts';
import type { Log } from '../log.ts';
import type { DeviceState, LiveFrame, MeterCounters, MeterReport, Reachability } from '../meter/contract.ts';
import { meterReplaced, tcpDisabled } from '../meter/faults.ts';
import type { Fleet } from '../meter/fleet.ts';
import type { CommandGap } from '../meter/meter-port.ts';
import type { ConfigStore, DeviceConfig } from '../store/contract.ts';
import type { MessagePipe } from './contract.ts';
import { ownerUnreached, servedByNobody } from './link-errors.ts';
import type { LinkedMeters } from './parts.ts';
import type { SessionFound, SessionPlace } from './session-place.ts';
import type { SharedMeter } from './shared-meter.ts';
import { UnitSession } from './unit-session.ts';

type Configs = Pick<ConfigStore, 'get' | 'list' | 'onChange'>;

/** What the gateway gives. */
export interface SharedMetersParts {
  /** The sessions of this instance, of the units that it owns. They are not closed here. */
  readonly here: Omit<Fleet, 'close'>;
  /** Whose the unit is by the store: of this instance, of another one (the id of that member), or nobody's. */
  readonly ownerOf: (unitId: string) => 'here' | string | undefined;
  /** The meters of an instance over its link (`RemoteMeters`). `configs` tells them of changes before anybody else hears of them; `had`: frames that came over the last link. */
  readonly connect: (pipe: MessagePipe, configs: Configs, had: number | undefined) => LinkedMeters;
  readonly configs: Configs;
  readonly families: Families;
  /** Hears that a meter cannot be reached because no instance serves it, and that it is served again. */
  readonly events: Pick<EventStream, 'publish'>;
  /** Frames of a unit that came at this instance while there was no gateway. Default: none. */
  readonly kept?: (unitId: string) => { readonly frames: readonly LiveFrame[]; readonly lost: number };
  /** As `ServedSessions.learn`, of the sessions here. Default: they begin without it. */
  readonly learn?: (unitId: string, state: DeviceState) => void;
  /** Which units are traced. Default: none. */
  readonly taps?: Pick<WireTaps, 'of' | 'onTrace'>;
  /** Called first by `close`. */
  readonly onClose?: () => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** `hasBegun`: before it a link carries nothing. */
type LinkedPlace = SessionPlace & { readonly linked: LinkedMeters; hasBegun: boolean };

interface Used {
  readonly unit: UnitSession;
  config: DeviceConfig;
}

type ConfigListener = Parameters<ConfigStore['onChange']>[0];

const NOTHING_KEPT = Object.freeze({ frames: [], lost: 0 });

/** No instance is linked at first. */
export class SharedMeters implements Fleet {
  readonly #parts: SharedMetersParts;
  readonly #here: SessionPlace;
  readonly #places = new Map<string, LinkedPlace>();
  /** Frames that came over the last link to each instance. */
  readonly #had = new Map<string, number>();
  readonly #units = new Map<string, Used>();
  /** The links: they hear of configs first, so that what is asked of a changed unit comes after its config. */
  readonly #first = new Set<ConfigListener>();
  readonly #unfollow: () => void;
  #stays = false;
  #isClosed = false;

  constructor(parts: SharedMetersParts) {
    this.#parts = parts;
    this.#here = { key: 'here', isHere: true, meters: parts.here, ...(parts.learn && { learn: parts.learn }) };
    const unfollow = parts.configs.onChange((unitId, config) => {
      for (const tell of [...this.#first]) tell(unitId, config);
      this.#configured(unitId, config);
    });
    const untrace = parts.taps?.onTrace((unitId, on) => this.#units.get(unitId)?.unit.trace(on));
    this.#unfollow = () => {
      unfollow();
      untrace?.();
    };
  }

  /** A link to another instance is open; the former one of it is over. `onBegun`: the other instance has understood what it was told first. */
  link(memberId: string, pipe: MessagePipe, onBegun = () => {}): void {
    if (this.#isClosed) {
      pipe.close('The gateway is stopping.');
      return;
    }
    const before = this.#places.get(memberId);
    before?.linked.close('Another link to this instance is open.');
    this.#ended(before);
    const { get, list } = this.#parts.configs;
    const onChange = (listener: ConfigListener) => {
      this.#first.add(listener);
      return () => this.#first.delete(listener);
    };
    const configs = { get: get.bind(this.#parts.configs), list: list.bind(this.#parts.configs), onChange };
    const linked = this.#parts.connect(pipe, configs, this.#had.get(memberId));
    const trace = (unitId: string, on: boolean) => linked.trace(unitId, on);
    const view = (unitId: string, on: boolean) => linked.view(unitId, on);
    const learn = (unitId: string, state: DeviceState) => linked.learn(unitId, state);
    const place: LinkedPlace = {
      ...{ key: memberId, isHere: false, meters: linked, linked, trace, view, learn },
      hasBegun: false,
    };
    this.#places.set(memberId, place);
    if (this.#stays) linked.stay(true);
    void linked.begun.then(() => {
      if (this.#places.get(memberId) !== place) return;
      place.hasBegun = true;
      onBegun();
      this.ownersChanged();
    });
    void linked.ended.then(() => {
      this.#ended(place);
      if (this.#places.get(memberId) !== place) return;
      this.#places.delete(memberId);
      this.ownersChanged();
    });
    this.ownersChanged();
  }

  /** One that has not begun says nothing of the link before it. */
  #ended(place: LinkedPlace | undefined): void {
    if (place?.hasBegun && place.linked.had !== undefined) this.#had.set(place.key, place.linked.had);
  }

  /** Whether all instances that are linked keep their units: one is not reached, and would get some. Said once to each link. */
  stay(on: boolean): void {
    if (this.#stays === on) return;
    this.#stays = on;
    for (const { linked } of this.#places.values()) linked.stay(on);
  }

  /** This gateway stops: feeds of other instances go on for the next one, although nobody watches here any more. */
  leaving(): void {
    for (const { linked } of this.#places.values()) linked.leaving();
  }

  /** Whose the units are may have changed: each is looked for again. */
  ownersChanged(): void {
    if (this.#isClosed) return;
    for (const { unit } of [...this.#units.values()]) unit.follow();
  }

  /** Errors: UNIT_NOT_FOUND, TCP_DISABLED, STOPPING. */
  meter(unitId: string): SharedMeter {
    if (this.#isClosed) throw stopping();
    const { configs, families } = this.#parts;
    const config = configs.get(unitId);
    if (!config) throw unknownUnit(unitId);
    if (!config.tcpEnabled) throw tcpDisabled(unitId);
    const { unit } = this.#used(config);
    return unit.meter(families.get(config.family));
  }

  reachability(unitId: string): Reachability | undefined {
    return this.#unit(unitId)?.reachability;
  }

  report(unitId: string): MeterReport | undefined {
    return this.#unit(unitId)?.report;
  }

  counters(unitId: string): MeterCounters | undefined {
    return this.#unit(unitId)?.counters;
  }

  commandGap(unitId: string): CommandGap | undefined {
    if (this.#isClosed) throw stopping();
    return this.#unit(unitId)?.commandGap;
  }

  /** Ends the links and all feeds. Sessions go on, here and elsewhere. May be called twice. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#parts.onClose?.();
    this.#isClosed = true;
    this.#unfollow();
    for (const { unit } of this.#units.values()) unit.end(stopping(), 'stopping', false);
    for (const { linked } of this.#places.values()) linked.close('The gateway is stopping.');
    this.#places.clear();
  }

  #unit(unitId: string): UnitSession | undefined {
    const config = this.#parts.configs.get(unitId);
    return config && this.#used(config).unit;
  }

  #used(config: DeviceConfig): Used {
    const { unitId } = config;
    const known = this.#units.get(unitId);
    if (known) return known;
    const { clock, events, log, taps, kept } = this.#parts;
    const unit = new UnitSession({
      ...{ unitId, clock, events, log: log.child({ unit_id: unitId }) },
      find: () => this.#find(unitId),
      // Also of a unit that has left meanwhile: an instance that becomes the gateway gives some of its units away.
      kept: () => kept?.(unitId) ?? NOTHING_KEPT,
      look: () => {
        this.#configured(unitId, this.#parts.configs.get(unitId));
        this.#units.get(unitId)?.unit.follow();
      },
      isTraced: () => taps?.of(unitId) !== undefined,
    });
    const used = { unit, config };
    this.#units.set(unitId, used);
    return used;
  }

  /** May be called twice with the same config. */
  #configured(unitId: string, config: DeviceConfig | undefined): void {
    const used = this.#units.get(unitId);
    if (!used) return;
    const { unit, config: before } = used;
    if (!config) {
      this.#units.delete(unitId);
      unit.end(unknownUnit(unitId), 'removed', true);
      return;
    }
    used.config = config;
    if (!isSameMeter(before, config)) unit.end(meterReplaced(unitId), 'failed', true);
    if (before.tcpEnabled && !config.tcpEnabled) unit.end(tcpDisabled(unitId), 'removed', false);
  }

  #find(unitId: string): SessionFound {
    const owner = this.#parts.ownerOf(unitId);
    if (owner === 'here') return { place: this.#here };
    if (owner === undefined) return { place: undefined, why: servedByNobody(unitId) };
    const place = this.#places.get(owner);
    return place?.hasBegun ? { place } : { place: undefined, why: ownerUnreached(unitId) };
  }
}

const stopping = () => new GatewayError('STOPPING', 'The gateway is stopping.');
