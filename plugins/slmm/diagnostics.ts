/** The tests of SLMM on one unit, one after the other; the first failure ends them. Always 200, without `status`. */
import { type Caller, GatewayError, iso, type Meter, messageOf, type Request, text } from '../../lib/index.ts';
import { shownConfig, shownPolling } from './config-routes.ts';
import type { SlmmGateway, SlmmValues } from './route.ts';
import { pollsOf, statusRow } from './status.ts';

interface Outcome {
  readonly status: 'pass' | 'fail' | 'warning' | 'skip';
  readonly message: string;
}

const pass = (message: string): Outcome => ({ status: 'pass', message });
const fail = (message: string): Outcome => ({ status: 'fail', message });

/** A failed test is a result, not an error. */
export async function diagnose(request: Request<SlmmValues, SlmmValues>, gateway: SlmmGateway): Promise<object> {
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
