/** The state of the gateway in SLMM's form: its mode and its connections. */
import { countOf, type Host, type MeterReport, reaches, type Tables } from '../../lib/index.ts';
import { TAKEN } from './alert-rule.ts';
import { type SlmmGateway, type SlmmRequest, type SlmmRoute, slmmRoute } from './route.ts';

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

export const systemRoutes = (tables: Tables): readonly SlmmRoute[] => [...modeRoutes(tables), pool, disconnect];
