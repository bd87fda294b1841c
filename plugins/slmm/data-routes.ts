/** Last values, fresh values, and values of the last hours. */
import { GatewayError, type HistoryRow, reaches, readLive, type Schema } from '../../lib/index.ts';
import { diagnose } from './diagnostics.ts';
import type { SlmmRoute } from './route.ts';
import { slmmLevel, slmmTime } from './shapes.ts';
import { measuredValues, pollsOf, statusRow } from './status.ts';

const HOURS: Schema = { type: 'number', default: 2 };
/** The limits of SLMM. */
const clamped = (hours: number): number => Math.min(48, Math.max(0.1, hours));
const MINUTE_S = 60;

const status: SlmmRoute = {
  method: 'GET',
  path: '/{unit_id}/status',
  access: 'viewer',
  async answer(request, gateway) {
    const { unitId } = request;
    const config = gateway.host.configs.of(unitId);
    const row = statusRow(gateway, config, (await pollsOf(gateway, request)).get(unitId));
    if (!row)
      throw new GatewayError('UNIT_NOT_FOUND', `Nothing is known of ${unitId} yet: the gateway has not tried it.`);
    return { data: row };
  },
};

const live: SlmmRoute = {
  method: 'GET',
  path: '/{unit_id}/live',
  access: 'viewer',
  async answer({ unitId, caller }, { host }) {
    const known = await readLive(host, host.meter(unitId), caller);
    return { data: { unit_id: unitId, ...measuredValues(known) } };
  },
};

/** A row for each minute of recorded levels. Ln1 and Ln2 are L5 and L10, as in the meter's factory settings. */
const history: SlmmRoute = {
  method: 'GET',
  path: '/{unit_id}/history',
  access: 'viewer',
  query: { hours: HOURS },
  cost: ({ query }) => clamped(Number(query.hours)) / 24,
  async answer({ unitId, query, caller }, { host }) {
    const hours = clamped(Number(query.hours));
    const now = Math.floor(host.clock.now() / 1_000);
    const from = Math.floor((now - hours * 3_600) / MINUTE_S) * MINUTE_S;
    const to = (Math.floor(now / MINUTE_S) + 1) * MINUTE_S;
    const over = { from, to, step: MINUTE_S };
    const answer = await host.history.query({ unitId, over, percentiles: [5, 10] }, caller.signal);
    const readings: object[] = [];
    for await (const page of answer.rows) readings.push(...page.filter(hasData).map(reading));
    return { unit_id: unitId, hours, count: readings.length, readings };
  },
};

const hasData = ({ leq, lp }: HistoryRow): boolean => leq !== null || lp !== null;

const reading = ({ from, leq, lp, lmax, ln: [ln1, ln2] }: HistoryRow) => ({
  timestamp: slmmTime(from * 1_000),
  lp: slmmLevel(lp ?? leq),
  leq: slmmLevel(leq),
  lmax: slmmLevel(lmax),
  ln1: slmmLevel(ln1),
  ln2: slmmLevel(ln2),
});

const diagnostics: SlmmRoute = {
  method: 'GET',
  path: '/{unit_id}/diagnostics',
  access: 'viewer',
  answer: (request, gateway) => diagnose(request, gateway),
};

const health: SlmmRoute = {
  method: 'GET',
  path: '/health/devices',
  atRoot: true,
  access: 'viewer',
  async answer(request, gateway) {
    const polls = await pollsOf(gateway, request);
    const own = gateway.host.configs
      .list()
      .filter(({ unitId, tcpEnabled }) => tcpEnabled && reaches(request.identity, unitId));
    const devices = own.map((config) => {
      const row = statusRow(gateway, config, polls.get(config.unitId));
      const { is_reachable = null, last_error = null } = row ?? {};
      const { unitId, host, tcpPort } = config;
      return { unit_id: unitId, host, port: tcpPort, reachable: is_reachable === true, error: last_error };
    });
    const reachable = devices.filter((device) => device.reachable).length;
    const status = reachable === devices.length ? 'ok' : 'degraded';
    return { status, devices, total_devices: devices.length, reachable_devices: reachable };
  },
};

/** Values of one meter: last ones, fresh ones, recorded ones. */
export const DATA_ROUTES: readonly SlmmRoute[] = [status, live, history, diagnostics, health];
