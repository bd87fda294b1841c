/** The state of the gateway in SLMM's form: its mode, its connections, and the log of a unit. */
import { countOf, type MeterReport } from '../../lib/built-in.ts';
import { type Host, reaches, type Tables } from '../../lib/index.ts';
import { TAKEN } from './alert-rule.ts';
import { type SlmmGateway, type SlmmRequest, type SlmmRoute, type SlmmValues, slmmRoute } from './route.ts';

interface Open {
  readonly key: string;
  readonly host: string;
  readonly port: number;
  readonly report: MeterReport;
}

function connections(host: Host, { identity }: SlmmRequest): Open[] {
  return host.configs.list().flatMap(({ unitId, host: address, tcpPort, tcpEnabled }) => {
    const report = tcpEnabled && reaches(identity, unitId) ? host.report(unitId) : undefined;
    if (!report || report.connectedSince === null) return [];
    return [{ key: `${address}:${tcpPort}`, host: address, port: tcpPort, report }];
  });
}

const PAGE = 1_000;

interface Entry {
  readonly id: string;
  readonly time: string;
  readonly kind: string;
  readonly text: string;
  readonly outcome: string | null;
}

const CATEGORIES: Readonly<Record<string, string>> = {
  command: 'COMMAND',
  connection: 'TCP',
  reachability: 'TCP',
  file: 'FTP',
  state: 'STATE',
};

const shown = ({ id, time, kind, text, outcome }: Entry) => {
  const isWell = outcome === null || outcome === 'ok';
  return {
    id: Number(id),
    timestamp: time,
    level: isWell ? 'INFO' : 'ERROR',
    category: CATEGORIES[kind] ?? 'GENERAL',
    message: isWell ? text : `${text}: ${outcome}`,
  };
};

type Shown = ReturnType<typeof shown>;

const counts = (entries: readonly Shown[], name: 'level' | 'category'): Record<string, number> => {
  const found: Record<string, number> = {};
  for (const entry of entries) found[entry[name]] = (found[entry[name]] ?? 0) + 1;
  return found;
};

/** From the newest entries, at most a page of the gateway. */
const logs = slmmRoute(
  'GET',
  '/{unit_id}/logs',
  'viewer',
  {
    query: {
      limit: { type: 'integer', minimum: 1, maximum: PAGE, default: 100 },
      offset: { type: 'integer', minimum: 0, default: 0 },
      level: { type: 'string' },
      category: { type: 'string' },
    },
  },
  async (request, { ask }) => {
    const {
      limit,
      offset,
      level = null,
      category = null,
    } = request.query as SlmmValues & { limit: number; offset: number };
    const { data } = await ask(request, { method: 'GET', path: '/{unit_id}/log', query: { limit: PAGE } });
    const all = (data as readonly Entry[]).map(shown);
    const isWanted = (value: string, wanted: unknown) => wanted === null || value === String(wanted).toUpperCase();
    const found = all.filter((entry) => isWanted(entry.level, level) && isWanted(entry.category, category));
    const page = found.slice(offset, offset + limit);
    return {
      unit_id: request.unitId,
      logs: page,
      count: page.length,
      stats: {
        total: all.length,
        by_level: counts(all, 'level'),
        by_category: counts(all, 'category'),
        oldest: all.at(-1)?.timestamp ?? null,
        newest: all[0]?.timestamp ?? null,
      },
      filters: { level, category },
      pagination: { limit, offset },
    };
  },
);

/** In standby the background readings are switched off, and stored, so that a restart can switch them on again. */
const PREFIX = 'standby ';

function modeRoutes(tables: Tables): SlmmRoute[] {
  const paused = async (request: SlmmRequest): Promise<string[]> => {
    const rows = await tables.read((read) =>
      read.find(TAKEN, { where: { key: { atLeast: PREFIX, below: 'standby!' } } }),
    );
    return rows.map(({ key }) => key.slice(PREFIX.length)).filter((unitId) => reaches(request.identity, unitId));
  };
  const switchPolling = (gateway: SlmmGateway, request: SlmmRequest, unitId: string, poll_enabled: boolean) =>
    gateway.ask(request, { method: 'PUT', path: '/{unit_id}/polling/config', unitId, body: { poll_enabled } });
  const polled = ({ host }: SlmmGateway, { identity }: SlmmRequest) =>
    host.configs.list().filter((one) => one.pollEnabled && one.tcpEnabled && reaches(identity, one.unitId));

  return [
    slmmRoute('GET', '/_system/status', 'viewer', {}, async (request, gateway) => {
      const mode = (await paused(request)).length > 0 ? 'standby' : 'active';
      const active_connections = connections(gateway.host, request).length;
      return { mode, polling_active: polled(gateway, request).length > 0, active_connections };
    }),
    slmmRoute('POST', '/_system/standby', 'admin', {}, async (request, gateway) => {
      const units = polled(gateway, request).map(({ unitId }) => unitId);
      // Stored first: a unit that is switched off but not stored would stay off.
      const rows = units.map((unitId) => ({ key: PREFIX + unitId, id: 0 }));
      await tables.write((write) => write.put(TAKEN, rows));
      for (const unitId of units) await switchPolling(gateway, request, unitId, false);
      return { mode: 'standby', message: `The background reading of ${countOf(units.length, 'meter')} is off.` };
    }),
    slmmRoute('POST', '/_system/resume', 'admin', {}, async (request, gateway) => {
      const units = await paused(request);
      const there = units.filter((unitId) => gateway.host.configs.get(unitId));
      for (const unitId of there) await switchPolling(gateway, request, unitId, true);
      await tables.write((write) => write.remove(TAKEN, { key: units.map((unitId) => PREFIX + unitId) }));
      return { mode: 'active', message: `The background reading of ${countOf(there.length, 'meter')} is on again.` };
    }),
  ];
}

const pool = slmmRoute('GET', '/_connections/status', 'viewer', {}, (request, { host }) => {
  const open = connections(host, request);
  const age = ({ report }: Open) => Math.max(0, host.clock.now() - (report.connectedSince ?? 0)) / 1_000;
  const shown = open.map((one) => [
    one.key,
    // The gateway does not count the idle time.
    { host: one.host, port: one.port, age_seconds: age(one), idle_seconds: 0, alive: true },
  ]);
  // -1: a connection is kept while it works.
  const limits = { idle_ttl: -1, max_age: -1, keepalive_idle: null, keepalive_interval: null, keepalive_count: null };
  return {
    pool: { enabled: true, active_connections: open.length, ...limits, connections: Object.fromEntries(shown) },
  };
});

const disconnect = slmmRoute('POST', '/{unit_id}/disconnect', 'operator', {}, ({ unitId }, { host }) => {
  host.meter(unitId);
  const config = host.configs.get(unitId);
  return {
    unit_id: unitId,
    device_key: `${config?.host}:${config?.tcpPort}`,
    disconnected: false,
    message:
      'The gateway keeps its one connection: it drops a broken connection by itself. To leave the meter to others, set tcp_enabled to false.',
  };
});

export const systemRoutes = (tables: Tables): readonly SlmmRoute[] => [...modeRoutes(tables), pool, disconnect, logs];
