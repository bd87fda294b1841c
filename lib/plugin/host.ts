/** The gateway for one plugin, and the undoing of all its registrations, in reverse order. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { GatewayError } from '../errors.ts';
import type { EventStream, WireTaps } from '../events/contract.ts';
import type { Cards } from '../files/contract.ts';
import { guarded, guardedSignal } from '../guarded.ts';
import type { Route, SocketRoute } from '../http/contract.ts';
import type { RouteTable } from '../http/routes.ts';
import type { Jobs } from '../jobs/contract.ts';
import { type Log, partLog } from '../log.ts';
import type { Meters } from '../meter/contract.ts';
import type { Mails } from '../outbound/contract.ts';
import type { PartStates } from '../status/contract.ts';
import type { Store } from '../store/contract.ts';
import type { FindAddresses } from '../transport/contract.ts';
import type { Host, Plugin } from './contract.ts';

/** All plugins get these as they are. */
type Shared =
  | 'basePath'
  | 'publicUrl'
  | 'families'
  | 'status'
  | 'audit'
  | 'jobs'
  | 'outbound'
  | 'mails'
  | 'history'
  | 'stored'
  | 'signing'
  | 'call'
  | 'ask'
  | 'issuerSessions'
  | 'rightsOf'
  | 'guesses'
  | 'instances'
  | 'clock'
  | 'log';

/** Parts of the gateway for plugins. */
export interface Offer extends Pick<Host, Shared> {
  readonly table: RouteTable;
  readonly store: Pick<Store, 'configs' | 'snapshots' | 'tables' | 'secrets'>;
  readonly meters: Meters;
  readonly cards: Pick<Cards, 'of'>;
  readonly events: EventStream;
  readonly taps: Pick<WireTaps, 'listen'>;
  readonly parts: PartStates;
  /** Addresses that the gateway may connect to. */
  readonly addresses: FindAddresses;
  /** The plugins have their folders here. */
  readonly dataDir: string;
}

/** A plugin's host, and its end. */
interface HostedPlugin {
  readonly host: Host;
  /** Undoes all registrations, last first; a step that fails is logged and the others continue. May be called twice. */
  undo(): Promise<void>;
}

/** A plugin whose registration is complete. */
export interface RunningPlugin extends Pick<HostedPlugin, 'undo'> {
  /** The result of its `register`. */
  readonly offered: unknown;
}

/** `assertSchemas` checks the routes of a foreign plugin. `running`: the plugins that it may use, by their names. */
export function createHost(
  { name, uses = [], tablePrefix = name }: Pick<Plugin, 'name' | 'uses' | 'tablePrefix'>,
  settings: unknown,
  offer: Offer,
  assertSchemas: (route: Route | SocketRoute) => void,
  running: ReadonlyMap<string, RunningPlugin>,
): HostedPlugin {
  const { table, store, meters, cards, events, taps, parts, addresses, dataDir, ...shared } = offer;
  const log = partLog(offer.log, name, { plugin: name });
  const { ending, keep, undo } = createUndoing(log);
  // An error in a timer, event or line listener would end the process, and all other plugins with it.
  const failed = (error: unknown) => log.error({ err: error }, 'a listener or timer of a plugin failed');
  const host: Host = {
    ...shared,
    settings,
    log,
    clock: guardedClock(shared.clock, failed),
    signal: guardedSignal(ending, (error) => log.error({ err: error }, 'a plugin failed while it was stopped')),
    configs: {
      get defaults() {
        return store.configs.defaults;
      },
      list: () => store.configs.list(),
      get: (unitId) => store.configs.get(unitId),
      of: (unitId) => store.configs.of(unitId),
      change: (unitId, next) => store.configs.change(unitId, next),
      remove: (unitId) => store.configs.remove(unitId),
      onChange: (listener, fields) => keep(store.configs.onChange(listener, fields)),
    },
    snapshots: { get: (unitId) => store.snapshots.get(unitId) },
    jobs: jobsFor(shared.jobs, keep),
    tables: (tables, migrations) => store.tables(tablePrefix, tables, migrations),
    secrets: store.secrets(name),
    mails: mailsFor(shared.mails, keep),
    async folder() {
      const folder = join(dataDir, 'plugins', name);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return folder;
    },
    meter: (unitId) => meters.meter(unitId),
    reachability: (unitId) => meters.reachability(unitId),
    report: (unitId) => meters.report(unitId),
    counters: (unitId) => meters.counters(unitId),
    on: (kind, listener, hearing) => keep(events.on(kind, guarded(listener, failed), hearing)),
    publish: (unitId, kind, data) => {
      if (!ending.aborted) events.publish(unitId, kind, data);
    },
    wire: { listen: (unitId, listener) => taps.listen(unitId, guarded(listener, failed)) },
    card: (unitId) => cards.of(store.configs.of(unitId)),
    mayReach: async (address, port) => void (await addresses(address, port)),
    route(route) {
      assertSchemas(route as Route);
      keep(table.add(route as Route, name));
    },
    socket(route) {
      assertSchemas(route as SocketRoute);
      keep(table.addSocket(route as SocketRoute, name));
    },
    assets: (assets) => keep(table.addAssets(assets)),
    part: (part, look, failures) => keep(parts.add(part, look, failures)),
    use<Offered>(plugin: Plugin<never, Offered>) {
      if (!uses.includes(plugin.name)) throw new Error(`uses of the plugin ${name} does not name ${plugin.name}`);
      const used = running.get(plugin.name);
      if (!used) throw new Error(`it needs the plugin ${plugin.name}, which failed`);
      return used.offered as Offered;
    },
    parts: () => parts.states(),
    onStop: (undo) => keep(undo),
  };
  return { host, undo };
}

function createUndoing(log: Log) {
  const ending = new AbortController();
  const registered = new Set<() => void | Promise<void>>();
  const undo = async () => {
    ending.abort(new GatewayError('STOPPING', 'The gateway is stopping.'));
    const steps = [...registered].reverse();
    registered.clear();
    for (const step of steps) {
      try {
        await step();
      } catch (error) {
        log.error({ err: error }, 'a plugin failed while it was stopped');
      }
    }
  };
  /** Returns a function that undoes the registration earlier. After the end (the start was given up) it is undone at once. */
  const keep = (step: () => void | Promise<void>) => {
    registered.add(step);
    if (ending.signal.aborted) void undo();
    return () => {
      if (registered.delete(step)) void step();
    };
  };
  return { ending: ending.signal, keep, undo };
}

const guardedClock = (clock: Clock, failed: (error: unknown) => void): Clock => ({
  now: () => clock.now(),
  elapsed: () => clock.elapsed(),
  after: (ms, fire) => clock.after(ms, guarded(fire, failed)),
});

/** Offers of a plugin end with it. */
const mailsFor = (mails: Mails, onUndo: (undo: () => void) => void): Mails => ({
  sender: () => mails.sender(),
  offer(sender) {
    const takeBack = mails.offer(sender);
    onUndo(takeBack);
    return takeBack;
  },
});

/** A plugin sees the jobs of all plugins; its own kinds are removed with it. */
const jobsFor = (jobs: Jobs, onUndo: (undo: () => void) => void): Host['jobs'] => ({
  kind(kind) {
    const forget = jobs.kind(kind);
    onUndo(forget);
    return forget;
  },
  kinds: () => jobs.kinds(),
  knows: (kind) => jobs.knows(kind),
  start: (kind, unitId, input) => jobs.start(kind, unitId, input),
  startOnce: (kind, unitId, input) => jobs.startOnce(kind, unitId, input),
  list: (filter) => jobs.list(filter),
  get: (id) => jobs.get(id),
  cancel: (id) => jobs.cancel(id),
});
