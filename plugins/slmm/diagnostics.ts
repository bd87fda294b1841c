/** The tests that SLMM runs on one unit, one after the other; the first that fails ends them. Always 200, without `status`. */
import { GatewayError, iso, messageOf, type Request, text } from '../../lib/index.ts';
import { shownConfig } from './config-routes.ts';
import type { SlmmGateway, SlmmValues } from './route.ts';
import { pollsOf, statusRow } from './status.ts';

interface Outcome {
  readonly status: 'pass' | 'fail' | 'warning' | 'skip';
  readonly message: string;
}

const pass = (message: string): Outcome => ({ status: 'pass', message });
const fail = (message: string): Outcome => ({ status: 'fail', message });

/** Never rejects for what a test finds. */
export async function diagnose(request: Request<SlmmValues, SlmmValues>, gateway: SlmmGateway): Promise<object> {
  const tests: Record<string, Outcome> = {};
  await run(request, gateway, tests);
  const outcomes = Object.values(tests).map(({ status }) => status);
  const overall = outcomes.includes('fail') ? 'fail' : outcomes.includes('warning') ? 'degraded' : 'pass';
  const config = gateway.host.configs.get(request.unitId);
  const dump =
    overall === 'fail' || !config
      ? {}
      : {
          database_dump: {
            config: shownConfig(config),
            status_cache: statusRow(gateway, config, (await pollsOf(gateway, request)).get(request.unitId)) ?? null,
          },
        };
  const timestamp = iso(gateway.host.clock.now());
  const body = { unit_id: request.unitId, timestamp, tests, overall_status: overall, ...dump };
  return text({ text: JSON.stringify(body), contentType: 'application/json; charset=utf-8' });
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
    const isOn = await host.meter(unitId).perform('fileServer', caller);
    tests.ftp_status = {
      status: isOn ? 'pass' : 'warning',
      message: `FTP is ${isOn ? 'on' : 'off'} in the meter.`,
    };
  } catch (error) {
    const refused = error instanceof GatewayError && /^DEVICE_(REFUSED|WRONG|GARBLED)/.test(error.code);
    const name = tests.command_response ? 'ftp_status' : refused ? 'command_response' : 'tcp_connection';
    tests[name] = fail(messageOf(error));
  }
}
