/** The units and their connections: config, roster, polling. */
import { invalid, isUnitId } from '../../lib/built-in.ts';
import { type DeviceConfig, GatewayError, reaches } from '../../lib/index.ts';
import {
  message,
  type SlmmGateway,
  type SlmmRequest,
  type SlmmRoute,
  type SlmmValues,
  slmmRoute,
  withoutNulls,
} from './route.ts';
import { unitsFor } from './status.ts';

/** Credentials can be set, but are never shown; sending this text back changes nothing. */
const MASK = '********';

const OR_NULL = (type: string) => ({ type: [type, 'null'] });
const INTERVAL = { type: ['integer', 'null'], minimum: 30, maximum: 21_600 };
const BODY = {
  host: OR_NULL('string'),
  tcp_port: OR_NULL('integer'),
  ftp_port: OR_NULL('integer'),
  tcp_enabled: OR_NULL('boolean'),
  ftp_enabled: OR_NULL('boolean'),
  ftp_username: OR_NULL('string'),
  ftp_password: OR_NULL('string'),
  web_enabled: OR_NULL('boolean'),
  poll_enabled: OR_NULL('boolean'),
  poll_interval_seconds: INTERVAL,
};
const NAMES = Object.keys(BODY);

/** The web page of SLMM sends both credentials with every change, empty if the user did not enter them. */
function changeOf(body: SlmmValues): Record<string, unknown> {
  const change: Record<string, unknown> = withoutNulls(body, NAMES);
  for (const name of ['ftp_username', 'ftp_password'])
    if (['', MASK].includes(String(change[name]))) delete change[name];
  return change;
}

const masked = (value: string | null): string | null => (value === null ? null : MASK);

export const shownConfig = (config: DeviceConfig) => ({
  unit_id: config.unitId,
  host: config.host,
  tcp_port: config.tcpPort,
  ftp_port: config.ftpPort,
  tcp_enabled: config.tcpEnabled,
  ftp_enabled: config.ftpEnabled,
  ftp_username: masked(config.ftpUsername),
  ftp_password: masked(config.ftpPassword),
  web_enabled: config.webEnabled,
});

export const shownPolling = ({ pollEnabled, pollIntervalSeconds }: DeviceConfig) => ({
  poll_enabled: pollEnabled,
  poll_interval_seconds: pollIntervalSeconds,
});

const shownChange = (config: DeviceConfig) => ({
  unit_id: config.unitId,
  host: config.host,
  tcp_port: config.tcpPort,
  tcp_enabled: config.tcpEnabled,
  ftp_enabled: config.ftpEnabled,
  web_enabled: config.webEnabled,
  ...shownPolling(config),
});

/** Creates or changes a config. A new unit without a host gets the host of SLMM, this computer. */
async function write(gateway: SlmmGateway, request: SlmmRequest, unitId: string): Promise<DeviceConfig> {
  const change = changeOf(request.body);
  if (!gateway.host.configs.get(unitId)) change.host ??= '127.0.0.1';
  await gateway.ask(request, { method: 'PUT', path: '/{unit_id}/config', unitId, body: change });
  return gateway.host.configs.of(unitId);
}

const config: readonly SlmmRoute[] = [
  slmmRoute('GET', '/{unit_id}/config', 'viewer', {}, ({ unitId }, gateway) => ({
    data: shownConfig(gateway.host.configs.of(unitId)),
  })),
  slmmRoute('PUT', '/{unit_id}/config', 'admin', { body: BODY }, async (request, gateway) => ({
    data: shownChange(await write(gateway, request, request.unitId)),
  })),
  slmmRoute('DELETE', '/{unit_id}/config', 'admin', {}, async (request, { ask }) =>
    message(await ask(request, { method: 'DELETE', path: '/{unit_id}/config' })),
  ),
];

const roster: readonly SlmmRoute[] = [
  slmmRoute('GET', '/roster', 'viewer', {}, async (request, gateway) => {
    const devices = (await unitsFor(gateway, request)).map(({ config: one, row }) => {
      const { last_seen, measurement_state, is_reachable, consecutive_failures, last_success, last_error } = row ?? {};
      const known = { last_seen, measurement_state, is_reachable, consecutive_failures, last_success, last_error };
      return {
        ...shownConfig(one),
        ...shownPolling(one),
        monitor_enabled: one.pollEnabled,
        status: row ? known : null,
      };
    });
    return { devices, total: devices.length };
  }),
  slmmRoute(
    'POST',
    '/roster',
    'admin',
    {
      body: { ...BODY, unit_id: { type: 'string' }, host: { type: 'string' } },
      required: ['unit_id', 'host'],
    },
    async (request, gateway) => {
      const unitId = String(request.body.unit_id);
      if (!isUnitId(unitId)) throw wrongName();
      // A caller who may not see the unit must not learn that it exists.
      const isSeen = reaches(request.identity, unitId);
      if (isSeen && gateway.host.configs.get(unitId))
        throw new GatewayError('UNIT_EXISTS', `The unit ${unitId} exists already.`);
      const { web_enabled: _, ...data } = shownChange(await write(gateway, request, unitId));
      return { message: `The unit ${unitId} is created.`, data };
    },
  ),
];

function wrongName(): GatewayError {
  const message = 'must be 1 to 64 letters, digits, dots, dashes or underscores, beginning with a letter or digit';
  return invalid([{ path: '/unit_id', message }]);
}

const PATH = '/{unit_id}/polling/config';
const pollData = (one: DeviceConfig) => ({ unit_id: one.unitId, ...shownPolling(one) });

async function setPolling(gateway: SlmmGateway, request: SlmmRequest, body: SlmmValues): Promise<DeviceConfig> {
  await gateway.ask(request, { method: 'PUT', path: PATH, body });
  return gateway.host.configs.of(request.unitId);
}

const switched = (path: string, poll_enabled: boolean): SlmmRoute =>
  slmmRoute('POST', `/{unit_id}/${path}`, 'admin', {}, async (request, gateway) => {
    await setPolling(gateway, request, { poll_enabled });
    const { unitId } = request;
    return {
      unit_id: unitId,
      poll_enabled,
      message: `The background reading of ${unitId} is ${poll_enabled ? 'on' : 'off'}.`,
    };
  });

/** In SLMM the monitor reads without viewers. Here the background readings do this. */
const monitored = (path: string, poll_enabled: boolean): SlmmRoute =>
  slmmRoute('POST', `/{unit_id}/monitor/${path}`, 'admin', {}, async (request, gateway) => {
    await setPolling(gateway, request, { poll_enabled });
    const running = poll_enabled && gateway.host.configs.of(request.unitId).tcpEnabled;
    return { unit_id: request.unitId, monitor_enabled: poll_enabled, ...(poll_enabled && { running }) };
  });

const pollingRoutes: readonly SlmmRoute[] = [
  slmmRoute('GET', PATH, 'viewer', {}, ({ unitId }, gateway) => ({ data: pollData(gateway.host.configs.of(unitId)) })),
  slmmRoute(
    'PUT',
    PATH,
    'admin',
    { body: { poll_interval_seconds: INTERVAL, poll_enabled: OR_NULL('boolean') } },
    async (request, gateway) => {
      const change = withoutNulls(request.body, ['poll_interval_seconds', 'poll_enabled']);
      return { data: pollData(await setPolling(gateway, request, change)) };
    },
  ),
  slmmRoute('GET', '/_polling/status', 'viewer', {}, async (request, gateway) => {
    const devices = (await unitsFor(gateway, request))
      .filter(({ config: { tcpEnabled, pollEnabled } }) => tcpEnabled && pollEnabled)
      .map(({ config: one, row }) => {
        const { is_reachable, consecutive_failures, last_poll_attempt, last_success, last_error } = row ?? {};
        const poll = { consecutive_failures, last_poll_attempt, last_success, last_error };
        return { ...pollData(one), is_reachable: is_reachable ?? null, ...poll };
      });
    return { data: { poller_running: true, total_devices: devices.length, devices } };
  }),
  switched('activate', true),
  switched('deactivate', false),
  monitored('start', true),
  monitored('stop', false),
];

export const CONFIG_ROUTES: readonly SlmmRoute[] = [...config, ...roster, ...pollingRoutes];
