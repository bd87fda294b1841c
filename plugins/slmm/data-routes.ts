/** Last values, fresh values, and values of the last hours. */
import {
  type Caller,
  GatewayError,
  type HistoryRow,
  iso,
  type Meter,
  messageOf,
  type Request,
  reaches,
  readLive,
  type Schema,
  text,
} from '../../lib/index.ts';
import { shownConfig, shownPolling } from './config-routes.ts';
import { type SlmmGateway, type SlmmRoute, type SlmmValues, slmmLevel, slmmTime } from './route.ts';
import { measuredValues, pollsOf, statusRow } from './status.ts';

interface Outcome {
  readonly status: 'pass' | 'fail' | 'warning' | 'skip';
  readonly message: string;
}

const pass = (message: string): Outcome => ({ status: 'pass', message });
const fail = (message: string): Outcome => ({ status: 'fail', message });

/**
 * The tests of SLMM on one unit, one after the other; the first failure ends them. Always 200, without `status`. A
 * failed test is a result, not an error.
 */
async function diagnose(request: Request<SlmmValues, SlmmValues>, gateway: SlmmGateway): Promise<object> {
  const tests: Record<string, Outcome> = {};
  await run(request, gateway, tests);
  const config = gateway.host.configs.get(request.unitId);
  const overall = overallOf(tests);
  const dump =
    overall !== 'pass' || !config
      ? {}
      : {
          database_dump: {
            config: { ...shownConfig(config), ...shownPolling(config) },
            status_cache: cached(statusRow(gateway, config, (await pollsOf(gateway, request)).get(request.unitId))),
          },
        };
  const timestamp = iso(gateway.host.clock.now());
  const body = { unit_id: request.unitId, timestamp, tests, overall_status: overall, ...dump };
  return text({ text: JSON.stringify(body), contentType: 'application/json; charset=utf-8' });
}

/** A meter that answers in an unexpected form is degraded. A warning changes nothing. */
function overallOf({ command_response, ...others }: Record<string, Outcome>): 'pass' | 'fail' | 'degraded' {
  if (Object.values(others).some(({ status }) => status === 'fail')) return 'fail';
  return command_response?.status === 'fail' ? 'degraded' : 'pass';
}

/** The row as SLMM shows it: with a counter, and times that end in Z. */
function cached(row: ReturnType<typeof statusRow>): object | null {
  if (!row) return null;
  const { last_seen, measurement_start_time, last_poll_attempt, last_success } = row;
  const times = { last_seen, measurement_start_time, last_poll_attempt, last_success };
  const zoned = Object.entries(times).map(([name, time]) => [name, time === null ? null : `${time}Z`]);
  return { ...row, counter: null, ...Object.fromEntries(zoned) };
}

async function run(
  { unitId, caller }: Request<SlmmValues, SlmmValues>,
  { host }: SlmmGateway,
  tests: Record<string, Outcome>,
) {
  const config = host.configs.get(unitId);
  tests.config_exists = config ? pass('There is a config.') : fail('There is no config for this unit.');
  if (!config) return;
  tests.tcp_enabled = config.tcpEnabled ? pass('TCP is enabled.') : fail('TCP is disabled in the config.');
  if (!config.tcpEnabled) return;
  try {
    const measuring = await host.meter(unitId).perform('measuring', caller);
    tests.tcp_connection = pass(`${config.host}:${config.tcpPort} answers.`);
    tests.command_response = pass(`The measurement state is ${measuring ? 'Start' : 'Stop'}.`);
  } catch (error) {
    const refused = error instanceof GatewayError && /^DEVICE_(REFUSED|WRONG|GARBLED)/.test(error.code);
    if (refused) tests.tcp_connection = pass(`${config.host}:${config.tcpPort} answers.`);
    tests[refused ? 'command_response' : 'tcp_connection'] = fail(messageOf(error));
    return;
  }
  tests.ftp_status = config.ftpEnabled
    ? await fileServer(host.meter(unitId), caller)
    : { status: 'skip', message: 'FTP is off in the config.' };
}

/** A meter without FTP passes with a warning. */
async function fileServer(meter: Meter, caller: Caller): Promise<Outcome> {
  try {
    const isOn = await meter.perform('fileServer', caller);
    return { status: isOn ? 'pass' : 'warning', message: `FTP is ${isOn ? 'on' : 'off'} in the meter.` };
  } catch (error) {
    return { status: 'warning', message: messageOf(error) };
  }
}

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
