/**
 * The configured meters: GET, PUT (creates too) and DELETE of one config, and the list of all. Credentials go in and never
 * come out.
 */
import {
  type DeviceConfig,
  GatewayError,
  type Host,
  isGatewayError,
  messageOf,
  nl43,
  type Plugin,
  type Request,
  reaches,
  type Schema,
  unknownUnit,
  unlessAborted,
  within,
} from '../lib/index.ts';

/** Longest time that a PUT waits for the meter to switch its sleep mode off, ms. */
const SLEEP_MODE_MS = 5_000;
/** Longest time that a PUT waits for the resolver, ms. */
const RESOLVE_MS = 2_000;

const PORT: Schema = { type: 'integer', minimum: 1, maximum: 65_535 };
const INTERVAL: Schema = { type: 'integer', minimum: 1, maximum: 21_600 };
const CREDENTIAL: Schema = {
  type: ['string', 'null'],
  maxLength: 128,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
  writeOnly: true,
  description: 'text without control characters; null removes it. Encrypted at rest, never part of an answer',
};

/** What a new config holds where its creator said nothing. */
const FRESH = {
  tcpPort: nl43.CONTROL_PORT,
  tcpEnabled: true,
  ftpEnabled: false,
  webEnabled: false,
  ftpPort: nl43.FTP_PORT,
  ftpMode: 'active',
  ftpUsername: null,
  ftpPassword: null,
  pollEnabled: false,
  pollIntervalSeconds: 60,
} as const satisfies Partial<DeviceConfig>;

const CONFIG: Readonly<Record<string, Schema>> = {
  unit_id: { type: 'string' },
  host: { type: 'string' },
  tcp_port: PORT,
  tcp_enabled: { type: 'boolean' },
  ftp_enabled: { type: 'boolean' },
  web_enabled: { type: 'boolean' },
  ftp_port: PORT,
  ftp_mode: { type: 'string', enum: ['active', 'passive'] },
  ftp_credentials_set: { type: 'boolean', description: 'Whether a user name and a password are stored.' },
  poll_enabled: { type: 'boolean' },
  poll_interval_seconds: INTERVAL,
};
const DATA: Schema = { type: 'object', properties: CONFIG, required: Object.keys(CONFIG), additionalProperties: false };

const BODY: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    host: {
      type: 'string',
      minLength: 1,
      maxLength: 253,
      description: 'Host name, IPv4 or IPv6 address. Required to create. No scheme, port or path.',
    },
    tcp_port: { ...PORT, description: `Control port of the meter. Default ${FRESH.tcpPort}.` },
    tcp_enabled: { type: 'boolean', description: 'Whether commands may be sent. Default true.' },
    ftp_enabled: { type: 'boolean', description: 'Whether files may be listed and downloaded. Default false.' },
    ftp_username: CREDENTIAL,
    ftp_password: CREDENTIAL,
    web_enabled: {
      type: 'boolean',
      description: 'Kept for the client; the gateway makes no use of it. Default false.',
    },
    ftp_port: { ...PORT, description: `FTP port of the meter. Default ${FRESH.ftpPort}.` },
    ftp_mode: {
      type: 'string',
      enum: ['active', 'passive'],
      description: 'active: the meter connects back, the only mode a real one has. Default active.',
    },
    poll_enabled: { type: 'boolean', description: 'Whether the meter is read in the background. Default false.' },
    poll_interval_seconds: {
      ...INTERVAL,
      description: `Time between two background readings. Default ${FRESH.pollIntervalSeconds}.`,
    },
  },
};

interface Change {
  readonly host?: string;
  readonly tcp_port?: number;
  readonly tcp_enabled?: boolean;
  readonly ftp_enabled?: boolean;
  readonly ftp_username?: string | null;
  readonly ftp_password?: string | null;
  readonly web_enabled?: boolean;
  readonly ftp_port?: number;
  readonly ftp_mode?: 'active' | 'passive';
  readonly poll_enabled?: boolean;
  readonly poll_interval_seconds?: number;
}

const plugin: Plugin = {
  name: 'config',
  register(host) {
    host.route({
      method: 'GET',
      path: '/',
      access: 'viewer',
      filtersUnits: true,
      summary: 'List the configured meters',
      description: 'Those that the API key of the caller reaches.',
      answer: { count: { type: 'integer' }, units: { type: 'array', items: DATA } },
      errors: [],
      handle({ identity }) {
        const own = host.configs.list().filter(({ unitId }) => reaches(identity, unitId));
        const units = own.map(shown);
        return { count: units.length, units };
      },
    });

    host.route({
      method: 'GET',
      path: '/{unit_id}/config',
      access: 'viewer',
      summary: 'Show the config of a meter',
      answer: { data: DATA },
      errors: ['UNIT_NOT_FOUND'],
      handle({ unitId }) {
        const config = host.configs.get(unitId);
        if (!config) throw unknownUnit(unitId);
        return { data: shown(config) };
      },
    });

    host.route<Change, unknown>({
      method: 'PUT',
      path: '/{unit_id}/config',
      access: 'admin',
      summary: 'Create or change the config of a meter',
      description:
        'Fields left out keep their value, or get their default in a new config. With TCP enabled the sleep mode of the meter is switched off, within 5 s; the config is saved whatever the meter does.',
      createsUnit: true,
      body: BODY,
      answer: {
        message: { type: 'string' },
        data: DATA,
        sleep_mode: { type: 'string', enum: ['Off', 'unknown'], description: 'Absent while TCP is disabled.' },
        warning: { type: 'string' },
      },
      optional: ['sleep_mode', 'warning'],
      errors: [],
      async handle(request) {
        const { unitId, body } = request;
        if (body.host !== undefined && !isHost(body.host))
          throw badHost('must be a host name, an IPv4 or an IPv6 address');
        const present = host.configs.get(unitId);
        const created = present === undefined;
        request.before(present ? shown(present) : null);
        await checkReach(host, merged(unitId, present, body), request);
        const config = await host.configs.change(unitId, (present) => merged(unitId, present, body));
        const message = `The config of ${unitId} is ${created ? 'created' : 'changed'}.`;
        const warning = config.tcpEnabled && hasTwin(host, config) ? { warning: TWIN } : {};
        return { message, data: shown(config), ...(config.tcpEnabled && (await wake(host, request))), ...warning };
      },
    });

    host.route({
      method: 'DELETE',
      path: '/{unit_id}/config',
      access: 'admin',
      summary: 'Remove the config of a meter, with its last snapshot',
      answer: { message: { type: 'string' } },
      errors: ['UNIT_NOT_FOUND'],
      async handle({ unitId, before }) {
        const present = host.configs.get(unitId);
        before(present ? shown(present) : null);
        if (!(await host.configs.remove(unitId))) throw unknownUnit(unitId);
        return { message: `The config of ${unitId} is removed.` };
      },
    });
  },
};
export default plugin;

/**
 * A meter that may not be connected to is not taken. Whether a name can be resolved at this moment is no question of the
 * config; the address is judged again whenever it is connected to.
 */
async function checkReach(host: Host, config: DeviceConfig, { body, caller }: Request<Change>): Promise<void> {
  const ports = [
    ...(config.tcpEnabled || body.tcp_port !== undefined ? [config.tcpPort] : []),
    ...(config.ftpEnabled || body.ftp_port !== undefined ? [config.ftpPort] : []),
  ];
  if (ports.length === 0 && body.host !== undefined) ports.push(config.tcpPort);
  const late = () => new Error('not resolved in time');
  const judge = (signal: AbortSignal) =>
    unlessAborted(Promise.all(ports.map((port) => host.mayReach(config.host, port))), signal);
  try {
    await within(host.clock, RESOLVE_MS, late, judge, caller.signal);
  } catch (error) {
    if (isGatewayError(error, 'ADDRESS_REFUSED')) throw badHost(error.message);
    caller.signal.throwIfAborted();
  }
}

const TWIN =
  'another unit has the same address and port: a meter serves one connection, so one of the two waits in vain';

const hasTwin = (host: Host, { unitId, tcpPort, ...own }: DeviceConfig): boolean =>
  host.configs.list().some((other) => {
    const same = other.tcpPort === tcpPort && other.host.toLowerCase() === own.host.toLowerCase();
    return same && other.tcpEnabled && other.unitId !== unitId;
  });

/** Sleep mode would silence the meter's TCP. Best effort: whatever goes wrong here becomes a warning. */
async function wake(host: Host, { unitId, caller, log }: Request<Change>) {
  const late = () => new Error(`no answer within ${SLEEP_MODE_MS} ms`);
  const send = (signal: AbortSignal) =>
    unlessAborted(host.meter(unitId).run(nl43.setSleepMode(false), { ...caller, signal }), signal);
  try {
    await within(host.clock, SLEEP_MODE_MS, late, send, caller.signal);
    return { sleep_mode: 'Off' };
  } catch (error) {
    log.warn({ err: error }, 'sleep mode not switched off after a config change');
    return {
      sleep_mode: 'unknown',
      warning: `the config is saved, but the sleep mode of the meter could not be switched off: ${messageOf(error)}`,
    };
  }
}

const shown = (config: DeviceConfig) => ({
  unit_id: config.unitId,
  host: config.host,
  tcp_port: config.tcpPort,
  tcp_enabled: config.tcpEnabled,
  ftp_enabled: config.ftpEnabled,
  web_enabled: config.webEnabled,
  ftp_port: config.ftpPort,
  ftp_mode: config.ftpMode,
  ftp_credentials_set: config.ftpUsername !== null && config.ftpPassword !== null,
  poll_enabled: config.pollEnabled,
  poll_interval_seconds: config.pollIntervalSeconds,
});

function merged(unitId: string, present: DeviceConfig | undefined, change: Change): DeviceConfig {
  const host = change.host ?? present?.host;
  if (host === undefined) throw badHost('is required to create a config');
  const before = present ?? FRESH;
  return {
    unitId,
    host,
    tcpPort: change.tcp_port ?? before.tcpPort,
    tcpEnabled: change.tcp_enabled ?? before.tcpEnabled,
    ftpEnabled: change.ftp_enabled ?? before.ftpEnabled,
    webEnabled: change.web_enabled ?? before.webEnabled,
    ftpPort: change.ftp_port ?? before.ftpPort,
    ftpMode: change.ftp_mode ?? before.ftpMode,
    // null is a value here: it removes the credential.
    ftpUsername: change.ftp_username === undefined ? before.ftpUsername : change.ftp_username,
    ftpPassword: change.ftp_password === undefined ? before.ftpPassword : change.ftp_password,
    pollEnabled: change.poll_enabled ?? before.pollEnabled,
    pollIntervalSeconds: change.poll_interval_seconds ?? before.pollIntervalSeconds,
  };
}

const HOST_NAME = /^(?!.*\.\.)[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;

/**
 * The URL parser knows every form of an address. A host that it would rewrite is refused: `010.0.0.1` and `1234` are taken
 * for other IPv4 addresses than they look.
 */
function isHost(host: string): boolean {
  if (host.includes(':')) return /^[0-9A-Fa-f:.]+$/.test(host) && URL.canParse(`http://[${host}]/`);
  if (!HOST_NAME.test(host) || host.split('.').some((label) => !/^(?!-)[A-Za-z0-9-]{1,63}(?<!-)$/.test(label)))
    return false;
  const url = `http://${host}/`;
  return URL.canParse(url) && new URL(url).hostname === host.toLowerCase();
}

const badHost = (message: string) =>
  new GatewayError('INVALID', `/host ${message}`, { errors: [{ path: '/host', message }] });
