/** A store with these configs, in memory. */
import { newConfig } from '../../lib/domain/fields/config.ts';
import { createFamilies } from '../../lib/drivers/index.ts';
import { unknownUnit } from '../../lib/errors.ts';
import type { History } from '../../lib/history/contract.ts';
import { RouteTable } from '../../lib/http/routes.ts';
import type { Jobs } from '../../lib/jobs/contract.ts';
import { createLog } from '../../lib/log.ts';
import type { Outbound } from '../../lib/outbound/contract.ts';
import { createMails } from '../../lib/outbound/mails.ts';
import type { Host, Plugin } from '../../lib/plugin/contract.ts';
import type { Offer } from '../../lib/plugin/host.ts';
import type { GatewayKeys } from '../../lib/signing/contract.ts';
import { createParts } from '../../lib/status/parts.ts';
import type { DeviceConfig, Rows, Snapshot, Store } from '../../lib/store/contract.ts';
import type { Calibrations } from '../../plugins/calibration/records.ts';
import type { Notes } from '../../plugins/notes/records.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { deviceConfig } from '../support/config.ts';
import { standIn } from '../support/stand-in.ts';

export function storeOf(configs: readonly DeviceConfig[]): Pick<Store, 'configs' | 'snapshots' | 'tables' | 'secrets'> {
  const kept = new Map(configs.map((config) => [config.unitId, config]));
  return {
    configs: {
      defaults: newConfig('UTC'),
      list: () => [...kept.values()],
      get: (unitId) => kept.get(unitId),
      of(unitId) {
        const config = kept.get(unitId);
        if (!config) throw unknownUnit(unitId);
        return config;
      },
      async change(unitId, next) {
        const config = next(kept.get(unitId));
        kept.set(unitId, config);
        return config;
      },
      remove: async (unitId) => kept.delete(unitId),
      onChange: () => () => {},
    },
    secrets: () => ({ get: async () => undefined, put: async () => {}, remove: async () => {}, names: async () => [] }),
    snapshots: { get: () => ({}) as Snapshot, record() {} },
    tables: async () => ({ read: (work) => work(EMPTY), write: (work) => work(EMPTY) }),
  };
}

/** Tables without rows, which keep nothing. */
const EMPTY: Rows = {
  find: async () => [],
  count: async () => 0,
  put: async () => {},
  add: async () => {},
  change: async () => 0,
  remove: async () => 0,
  unitsWithoutConfig: async () => [],
};

const absent = (what: string) => () => Promise.reject(new Error(`there are no ${what} here`));

/** No check was ever made. */
const noCalibrations: Calibrations = {
  state: () => ({ checkedAt: null, validUntil: null, drift: null }),
  doubtful: () => [],
};

/** Nothing was ever signed. */
export const noKeys: GatewayKeys = {
  fingerprint: null,
  present: absent('keys'),
  retired: () => [],
  sign: () => {
    throw new Error('there is no key here');
  },
  rotate: absent('keys'),
};

/** Nobody wrote anything. */
export const noNotes: Notes = {
  list: () => [],
  find: () => undefined,
  versions: async () => [],
  add: absent('notes'),
  change: absent('notes'),
  remove: absent('notes'),
  excluded: () => ({ ranges: [], notes: [] }),
};

/** For plugins that use notes and calibrations. */
export function using(notes: Notes = noNotes): Host['use'] {
  const offered = new Map<string, unknown>([
    ['notes', notes],
    ['calibration', noCalibrations],
  ]);
  return <Offered>({ name }: Plugin<never, Offered>) => offered.get(name) as Offered;
}

export const noJobs: Jobs = {
  kind: () => () => {},
  kinds: () => [],
  knows: () => false,
  start: () => Promise.reject(new Error('there are no jobs here')),
  startOnce: () => Promise.reject(new Error('there are no jobs here')),
  list: async () => [],
  get: async () => undefined,
  cancel: async () => undefined,
};

export const configOf = (part: Partial<DeviceConfig>): DeviceConfig =>
  deviceConfig({ host: '127.0.0.1', ftpEnabled: true, ...part });

/** The parts of a gateway without meters, levels, routes and callers. */
export function offerOf(parts: Partial<Offer>): Offer {
  const none = () => {
    throw new Error('not part of this test');
  };
  const noRoutes = () => Promise.reject(new Error('there are no routes here'));
  return {
    table: new RouteTable(),
    store: storeOf([]),
    jobs: noJobs,
    signing: noKeys,
    meters: { meter: none, reachability: none, report: none, counters: none },
    families: createFamilies(),
    cards: { of: none },
    addresses: none,
    call: noRoutes,
    ask: noRoutes,
    guesses: () => ({ wrongKeys: 0, wrongTickets: 0 }),
    instances: () => ({ members: [], takeovers: 0, gap: undefined }),
    issuerSessions: { begin: noRoutes, failed: () => {}, offer: () => () => {} },
    rightsOf: () => undefined,
    audit: { read: none, seal: none },
    stored: { lines: none },
    history: standIn<History>({ onState: () => () => {} }),
    outbound: standIn<Outbound>({}),
    mails: createMails(),
    events: { publish: none, on: () => () => {} },
    taps: { listen: none },
    status: { of: none },
    parts: createParts(),
    basePath: '',
    publicUrl: '',
    dataDir: '',
    clock: new VirtualClock(),
    log: createLog('silent'),
    ...parts,
  };
}
