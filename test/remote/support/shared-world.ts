/**
 * Two instances with sessions of their own, and the gateway's meters over both: units are given from one to the other as a cluster does
 * it, in order or not. One clock moves all.
 */
import type { Test } from 'tap';
import type { Families } from '../../../lib/drivers/contract.ts';
import { createFamilies } from '../../../lib/drivers/index.ts';
import { GatewayError } from '../../../lib/errors.ts';
import { createEventStream } from '../../../lib/events/stream.ts';
import { createWireTaps } from '../../../lib/events/wire.ts';
import { createLog } from '../../../lib/log.ts';
import type { Caller, LiveFrame, Reachability } from '../../../lib/meter/contract.ts';
import { createFleet, type LocalFleet } from '../../../lib/meter/fleet.ts';
import type { FeedEnd, FeedStatus, Watcher } from '../../../lib/meter/live/contract.ts';
import { RemoteMeters } from '../../../lib/remote/remote-meters.ts';
import { createServedSessions } from '../../../lib/remote/served.ts';
import { SharedMeters } from '../../../lib/remote/shared-meters.ts';
import type { ConfigStore, DeviceConfig } from '../../../lib/store/contract.ts';
import type { Transport } from '../../../lib/transport/contract.ts';
import { tcpTransport } from '../../../lib/transport/tcp.ts';
import { startMeter, VirtualClock } from '../../../simulator/index.ts';
import { deviceConfig } from '../../support/config.ts';
import { messagePipe } from '../../support/message-pipe.ts';

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
}

/** No unit, and nothing owned or linked at first. */
export function openShared(t: Test, { clock = new VirtualClock(), transport, families = createFamilies() }: Options) {
  const configs = new SharedConfigs();
  const log = createLog('silent');
  const events = createEventStream(clock, log);
  const taps = createWireTaps();
  const wire = transport(clock);
  const makeMember = () => {
    const fleets: LocalFleet[] = [];
    const served = createServedSessions({
      createFleet: (given) => {
        const fleet = createFleet({ ...given, transport: wire, families, log, random: () => 0.5 });
        fleets.push(fleet);
        return fleet;
      },
      clock,
      log,
    });
    const counted = (unitId: string) => fleets[0]?.counters(unitId)?.commands ?? 0;
    return { served, counted };
  };
  const members = { here: makeMember(), b: makeMember() };
  const here = members.here.served.here({ configs, events, taps });
  if (!here) throw new Error('the gateway is here');
  const owners = new Map<string, Owner>();
  const shared = new SharedMeters({
    ...{ here, configs, families, events, taps, clock, log },
    connect: (pipe, told, had) => {
      const before = had === undefined ? {} : { had };
      return new RemoteMeters({ pipe, configs: told, families, events, taps, clock, log, ...before });
    },
    kept: (unitId) => members.here.served.takeKept(unitId),
    learn: (unitId, state) => members.here.served.learn(unitId, state),
    ownerOf: (unitId) => owners.get(unitId),
  });
  const told: Reachability[] = [];
  events.on('reachability', ({ data }) => told.push(data.reachability));
  const claim = async (units: readonly string[], owner: Owner) => {
    for (const unitId of units) owners.set(unitId, owner);
    const owned = (name: 'here' | 'b') => new Set([...owners.keys()].filter((unitId) => owners.get(unitId) === name));
    const closed = [members.here.served.own(owned('here')), members.b.served.own(owned('b'))];
    shared.ownersChanged();
    await Promise.all(closed);
  };
  /** In order: the sessions end, the units are nobody's, and then another one's. */
  const give = async (units: readonly string[], owner: Owner) => {
    await claim(units, undefined);
    if (owner) await claim(units, owner);
  };
  let line: ReturnType<typeof messagePipe>['line'] | undefined;
  const link = () => {
    const pipe = messagePipe();
    line = pipe.line;
    members.b.served.attach(pipe.far);
    shared.link('b', pipe.near);
  };
  const until = <T>(work: Promise<T>) => clock.until(work);
  t.teardown(async () => {
    await shared.close();
    await until(Promise.all([members.here.served.close(), members.b.served.close()]));
  });
  return { clock, configs, events, taps, shared, members, told, claim, give, until, link, unlink: () => line?.cut() };
}

export const patient = (more: Partial<Caller> = {}): Caller => ({ signal: new AbortController().signal, ...more });

/** How a promise ends: its value, or the code of its error. */
export const outcomeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => value,
    (error: unknown) => (error instanceof GatewayError ? error.code : error),
  );

/** With one simulated meter over TCP, the unit `roof`, which the gateway's own instance serves. */
export async function openRoof(t: Test) {
  const clock = new VirtualClock();
  const meter = await startMeter({ clock, profile: 'instant', soundStepMs: 100 });
  t.teardown(() => clock.until(meter.stop()));
  const world = openShared(t, { clock, transport: () => tcpTransport({ clock }) });
  world.configs.put('roof', { host: meter.host, tcpPort: meter.tcpPort, ftpPort: meter.ftpPort });
  world.link();
  await world.claim(['roof'], 'here');
  return { ...world, meter };
}
