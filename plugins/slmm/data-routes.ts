/** Last values, fresh values, and values of the last hours. */
import {
  type Caller,
  GatewayError,
  type HistoryRow,
  iso,
  type Meter,
  messageOf,
  readLive,
  type Schema,
  text,
} from '../../lib/index.ts';
import { shownConfig, shownPolling } from './config-routes.ts';
import { type SlmmGateway, type SlmmRequest, type SlmmRoute, slmmLevel, slmmRoute, slmmTime } from './route.ts';
import { measuredValues, rowFor, type StatusRow, unitsFor } from './status.ts';

interface Outcome {
  readonly status: 'pass' | 'fail' | 'warning' | 'skip';
  readonly message: string;
}

const pass = (message: string): Outcome => ({ status: 'pass', message });
const fail = (message: string): Outcome => ({ status: 'fail', message });

/**
 * The tests of SLMM, one after the other; the first failure ends them. A failed test is a result, not an error: 200.
 */
async function diagnose(request: SlmmRequest, gateway: SlmmGateway): Promise<object> {
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
            status_cache: cached(await rowFor(gateway, request)),
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
function cached(row: StatusRow | undefined): object | null {
  if (!row) return null;
  const { last_seen, measurement_start_time, last_poll_attempt, last_success } = row;
  const times = { last_seen, measurement_start_time, last_poll_attempt, last_success };
  const zoned = Object.entries(times).map(([name, time]) => [name, time === null ? null : `${time}Z`]);
  return { ...row, counter: null, ...Object.fromEntries(zoned) };
}

async function run({ unitId, caller }: SlmmRequest, { host }: SlmmGateway, tests: Record<string, Outcome>) {
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

const status = slmmRoute('GET', '/{unit_id}/status', 'viewer', {}, async (request, gateway) => {
  const { unitId } = request;
  const row = await rowFor(gateway, request);
  if (!row)
    throw new GatewayError('UNIT_NOT_FOUND', `Nothing is known of ${unitId} yet: the gateway has not tried it.`);
  return { data: row };
});

const live = slmmRoute('GET', '/{unit_id}/live', 'viewer', {}, async ({ unitId, caller }, { host }) => {
  const known = await readLive(host, host.meter(unitId), caller);
  return { data: { unit_id: unitId, ...measuredValues(known) } };
});

/** A row for each minute of recorded levels. Ln1 and Ln2 are L5 and L10, as in the meter's factory settings. */
const history = slmmRoute(
  'GET',
  '/{unit_id}/history',
  'viewer',
  {
    query: { hours: HOURS },
    cost: ({ query }) => clamped(Number(query.hours)) / 24,
  },
  async ({ unitId, query, caller }, { host }) => {
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
);

const hasData = ({ leq, lp }: HistoryRow): boolean => leq !== null || lp !== null;

const reading = ({ from, leq, lp, lmax, ln: [ln1, ln2] }: HistoryRow) => ({
  timestamp: slmmTime(from * 1_000),
  lp: slmmLevel(lp ?? leq),
  leq: slmmLevel(leq),
  lmax: slmmLevel(lmax),
  ln1: slmmLevel(ln1),
  ln2: slmmLevel(ln2),
});

const diagnostics = slmmRoute('GET', '/{unit_id}/diagnostics', 'viewer', {}, (request, gateway) =>
  diagnose(request, gateway),
);

const health = slmmRoute('GET', '/health/devices', 'viewer', { atRoot: true }, async (request, gateway) => {
  const own = (await unitsFor(gateway, request)).filter(({ config }) => config.tcpEnabled);
  const devices = own.map(({ config: { unitId, host, tcpPort }, row }) => {
    const { is_reachable = null, last_error = null } = row ?? {};
    return { unit_id: unitId, host, port: tcpPort, reachable: is_reachable === true, error: last_error };
  });
  const reachable = devices.filter((device) => device.reachable).length;
  const status = reachable === devices.length ? 'ok' : 'degraded';
  return { status, devices, total_devices: devices.length, reachable_devices: reachable };
});

export const DATA_ROUTES: readonly SlmmRoute[] = [status, live, history, diagnostics, health];
