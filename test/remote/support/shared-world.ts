/**
 * Two instances with sessions of their own, and the gateway's meters over both: units are given from one to the other as a cluster does
 * it, in order or not. One clock moves all.
 */
import type { Test } from 'tap';
import type { Families } from '../../../lib/drivers/contract.ts';
import { createFamilies } from '../../../lib/drivers/index.ts';
import { GatewayError } from '../../../lib/errors.ts';
import type { EventKind, GatewayEvent } from '../../../lib/events/contract.ts';
import { createEventStream } from '../../../lib/events/stream.ts';
import { createWireTaps } from '../../../lib/events/wire.ts';
import { createLog } from '../../../lib/log.ts';
import type { Caller, LiveFrame, Reachability } from '../../../lib/meter/contract.ts';
import { createFleet, type LocalFleet } from '../../../lib/meter/fleet.ts';
import type { FeedEnd, FeedStatus, Watcher } from '../../../lib/meter/live/contract.ts';
import type { MessagePipe } from '../../../lib/remote/contract.ts';
import type { LinkedMeters } from '../../../lib/remote/parts.ts';
import { SharedMeters } from '../../../lib/remote/shared-meters.ts';
import type { ConfigStore, DeviceConfig } from '../../../lib/store/contract.ts';
import type { Transport } from '../../../lib/transport/contract.ts';
import { VirtualClock } from '../../../simulator/index.ts';
import { deviceConfig } from '../../support/config.ts';

type Listener = Parameters<ConfigStore['onChange']>[0];

/** The configs of the gateway. */
export class SharedConfigs {
  readonly #configs = new Map<string, DeviceConfig>();
  readonly #listeners = new Set<Listener>();

  get = (unitId: string): DeviceConfig | undefined => this.#configs.get(unitId);
  list = (): readonly DeviceConfig[] => [...this.#configs.values()];
  onChange = (listener: Listener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  put(unitId: string, change: Partial<DeviceConfig>): void {
    const config = { ...(this.#configs.get(unitId) ?? deviceConfig({ unitId })), ...change };
    this.#configs.set(unitId, config);
    for (const tell of this.#listeners) tell(unitId, config);
  }

  remove(unitId: string): void {
    this.#configs.delete(unitId);
    for (const tell of this.#listeners) tell(unitId, undefined);
  }
}

/** The sessions of one instance: of the units that it owns. */
export class Member {
  readonly fleet: LocalFleet;
  readonly traced: string[] = [];
  #owned: ReadonlySet<string> = new Set();
  readonly #configs: SharedConfigs;
  readonly #tell = new Set<Listener>();

  constructor(configs: SharedConfigs, makeFleet: (own: Pick<ConfigStore, 'get' | 'onChange'>) => LocalFleet) {
    this.#configs = configs;
    configs.onChange((unitId, config) => {
      if (this.#owned.has(unitId)) for (const tell of this.#tell) tell(unitId, config);
    });
    this.fleet = makeFleet({
      get: (unitId) => (this.#owned.has(unitId) ? configs.get(unitId) : undefined),
      onChange: (listener) => {
        this.#tell.add(listener);
        return () => this.#tell.delete(listener);
      },
    });
  }

  /** Resolves when the sessions of those that are gone are closed. */
  async own(units: ReadonlySet<string>): Promise<void> {
    const left = [...this.#owned].filter((unitId) => !units.has(unitId));
    this.#owned = units;
    for (const unitId of left) for (const tell of this.#tell) tell(unitId, undefined);
    await Promise.all(left.map((unitId) => this.fleet.ended(unitId)));
  }

  get owned(): ReadonlySet<string> {
    return this.#owned;
  }

  /** The meters of this instance over a link that a test ends. */
  linked(): { readonly meters: LinkedMeters; end(reason: string): void } {
    const ended = Promise.withResolvers<string>();
    const { fleet, traced } = this;
    const meters: LinkedMeters = {
      meter: (unitId) => {
        if (this.#configs.get(unitId)?.tcpEnabled && !this.#owned.has(unitId)) throw changing(unitId);
        return fleet.meter(unitId);
      },
      reachability: (unitId) => fleet.reachability(unitId),
      report: (unitId) => fleet.report(unitId),
      counters: (unitId) => fleet.counters(unitId),
      commandGap: (unitId) => fleet.commandGap(unitId),
      trace: (unitId, on) => void traced.push(`${unitId} ${on ? 'on' : 'off'}`),
      ended: ended.promise,
      close: (reason) => ended.resolve(reason),
    };
    return { meters, end: ended.resolve };
  }
}

export const changing = (unitId: string): GatewayError =>
  new GatewayError('OWNER_CHANGING', `Nobody serves ${unitId}.`, { headers: { 'Retry-After': '5' } });

/** A viewer that writes down what it is told, and when. */
export class Viewer implements Watcher<LiveFrame> {
  readonly frames: LiveFrame[] = [];
  readonly said: { readonly status: FeedStatus; readonly detail: string }[] = [];
  ended: FeedEnd | undefined;

  frame(frame: LiveFrame): void {
    this.frames.push(frame);
  }

  status(status: FeedStatus, detail: string): void {
    this.said.push({ status, detail });
  }

  end(reason: FeedEnd): void {
    this.ended = reason;
  }

  get statuses(): readonly FeedStatus[] {
    return this.said.map(({ status }) => status);
  }
}

export type Owner = 'here' | 'b' | undefined;

interface Options {
  readonly clock?: VirtualClock;
  readonly transport: (clock: VirtualClock) => Transport;
  readonly families?: Families;
  readonly kept?: (unitId: string) => { readonly frames: readonly LiveFrame[]; readonly lost: number };
}

/** No unit, and nothing owned or linked at first. */
export function openShared(t: Test, { clock = new VirtualClock(), transport, families, kept }: Options) {
  const known = families ?? createFamilies();
  const configs = new SharedConfigs();
  const log = createLog('silent');
  const events = createEventStream(clock, log);
  const taps = createWireTaps();
  const wire = transport(clock);
  const makeMember = () =>
    new Member(configs, (own) =>
      createFleet({
        ...{ configs: own, missing: changing, transport: wire, families: known, clock, log, events, taps },
        random: () => 0.5,
      }),
    );
  const here = makeMember();
  const b = makeMember();
  const members = { here, b };
  const owners = new Map<string, Owner>();
  const link: { present?: ReturnType<Member['linked']> } = {};
  const shared = new SharedMeters({
    ...{ configs, families: known, events, taps, clock, log },
    ...(kept && { kept }),
    here: here.fleet,
    ownerOf: (unitId) => owners.get(unitId),
    connect: () => {
      link.present = b.linked();
      return link.present.meters;
    },
  });
  const told: Reachability[] = [];
  events.on('reachability', ({ data }) => told.push(data.reachability));
  const seen = <Kind extends EventKind>(kind: Kind) => {
    const list: GatewayEvent<Kind>[] = [];
    events.on(kind, (event) => list.push(event));
    return list;
  };
  const claim = async (units: readonly string[], owner: Owner) => {
    for (const unitId of units) owners.set(unitId, owner);
    const ofOwner = (name: 'here' | 'b') =>
      new Set([...owners].filter(([, of]) => of === name).map(([unitId]) => unitId));
    const closed = Promise.all([here.own(ofOwner('here')), b.own(ofOwner('b'))]);
    shared.ownersChanged();
    await closed;
  };
  /** In order: the sessions end, the units are nobody's, and then another one's. */
  const give = async (units: readonly string[], owner: Owner) => {
    await claim(units, undefined);
    if (owner) await claim(units, owner);
  };
  const pipe: MessagePipe = {
    send: () => {},
    receive: () => {},
    waiting: 0,
    ended: new Promise<string>(() => {}),
    close: () => {},
  };
  const until = <T>(work: Promise<T>) => clock.until(work);
  t.teardown(async () => {
    await shared.close();
    await until(Promise.all([here.fleet.close(), b.fleet.close()]));
  });
  return {
    ...{ clock, configs, events, taps, shared, members, told, seen, claim, give, until },
    link: () => shared.link('b', pipe),
    unlink: () => link.present?.end('the link was cut'),
  };
}

export const patient = (more: Partial<Caller> = {}): Caller => ({ signal: new AbortController().signal, ...more });

/** How a promise ends: its value, or the code of its error. */
export const outcomeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => value,
    (error: unknown) => (error instanceof GatewayError ? error.code : error),
  );
