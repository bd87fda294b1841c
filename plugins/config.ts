/**
 * The configured meters: GET, PUT (creates too) and DELETE of one config, and the list of all. Credentials can be set, but are
 * never shown.
 */
import {
  CONFIG_FIELDS,
  changedRecord,
  changeSchemas,
  channelNames,
  inSeconds,
  invalid,
  MAIN_CHANNEL,
  shownRecord,
  shownSchemas,
  unknownUnit,
  unlessAborted,
  zones,
} from '../lib/built-in.ts';
import {
  type DeviceConfig,
  type Family,
  GatewayError,
  type Host,
  type Identity,
  isGatewayError,
  messageOf,
  named,
  type Plugin,
  type Request,
  reaches,
  type Schema,
  within,
} from '../lib/index.ts';

/** The longest time that a PUT waits for the meter to switch its sleep mode off, ms. */
const SLEEP_MODE_MS = 5_000;
/** The longest time that a PUT waits for the resolver, ms. */
const RESOLVE_MS = 2_000;

const SHOWN: Readonly<Record<string, Schema>> = {
  unit_id: { type: 'string' },
  ...shownSchemas(CONFIG_FIELDS),
  ftp_credentials_set: { type: 'boolean', description: 'Whether a user name and a password are stored.' },
};
const DATA: Schema = named('Config', SHOWN);

const BODY: Schema = {
  title: 'ConfigChange',
  type: 'object',
  additionalProperties: false,
  properties: {
    ...changeSchemas(CONFIG_FIELDS),
    unit_id: { type: ['string', 'null'], description: 'May be sent; it must be that of the path.' },
    ftp_credentials_set: { description: 'May be sent and has no effect: the answer of a GET can be sent back.' },
  },
};

/** In API names; null and absent fields change nothing. */
interface Change extends Readonly<Record<string, unknown>> {
  readonly unit_id?: string | null;
  readonly host?: string | null;
  readonly timezone?: string | null;
  readonly family?: string | null;
  readonly tcp_port?: number | null;
  readonly ftp_port?: number | null;
}

const plugin: Plugin = {
  name: 'config',
  about: 'The meters that the gateway knows: add, change, remove',
  register(host) {
    listRoute(host);
    showRoute(host);
    changeRoute(host);
    removeRoute(host);
  },
};
export default plugin;

function listRoute(host: Host): void {
  host.route({
    method: 'GET',
    path: '/',
    operation: 'getConfigs',
    access: 'viewer',
    filtersUnits: true,
    summary: 'List the configured meters',
    description: 'The units that the API key may see.',
    answer: { count: { type: 'integer' }, units: { type: 'array', items: DATA } },
    errors: [],
    etag: true,
    handle({ identity }) {
      const own = host.configs.list().filter(({ unitId }) => reaches(identity, unitId));
      const units = own.map(shown);
      return { count: units.length, units };
    },
  });
}

function showRoute(host: Host): void {
  host.route({
    method: 'GET',
    path: '/{unit_id}/config',
    access: 'viewer',
    summary: 'Show the config of a meter',
    answer: {
      data: DATA,
      warning: { type: 'string', description: 'Only while another unit is the same meter.' },
    },
    optional: ['warning'],
    errors: ['UNIT_NOT_FOUND'],
    etag: true,
    handle({ unitId, identity }) {
      const config = host.configs.of(unitId);
      return { data: shown(config), ...sharing(host, config, identity) };
    },
  });
}

function changeRoute(host: Host): void {
  host.route<Change, unknown>({
    method: 'PUT',
    path: '/{unit_id}/config',
    access: 'admin',
    summary: 'Create or change the config of a meter',
    description:
      'Fields that are left out or null keep their value, or get their default in a new config. The data of a GET may be sent back. With the header If-None-Match: * only a new config is saved; for an existing config the answer is 412. With TCP enabled the sleep mode of the meter is switched off, within 5 s; the config is saved even if the meter does not answer.',
    createsUnit: true,
    body: BODY,
    answer: {
      message: { type: 'string' },
      data: DATA,
      sleep_mode: {
        type: 'string',
        enum: ['Off', 'unknown'],
        description: 'Absent while TCP is disabled, and for a family without sleep mode.',
      },
      warning: { type: 'string' },
    },
    optional: ['sleep_mode', 'warning'],
    errors: ['PRECONDITION_FAILED', 'STORAGE_FULL', 'STORAGE_FAILED'],
    async handle(request) {
      const { unitId, body } = request;
      refuseWrong(host, unitId, body);
      const present = host.configs.get(unitId);
      if (present) refuseChange(request);
      const created = present === undefined;
      request.before(present ? shown(present) : null);
      await checkReach(host, merged(host, unitId, present, body), request);
      const config = await host.configs.change(unitId, (present) => {
        // Somebody else may have created it meanwhile.
        if (present) refuseChange(request);
        return merged(host, unitId, present, body);
      });
      const message = `The config of ${unitId} is ${created ? 'created' : 'changed'}.`;
      const sleep = config.tcpEnabled ? await wake(host, request) : {};
      const warnings = [sleep, sharing(host, config, request.identity)].flatMap(({ warning }) => warning ?? []);
      const warning = warnings.length > 0 && { warning: warnings.join(' ') };
      return { message, data: shown(config), ...sleep, ...warning };
    },
  });
}

function removeRoute(host: Host): void {
  host.route({
    method: 'DELETE',
    path: '/{unit_id}/config',
    access: 'admin',
    summary: 'Remove the config of a meter, with its last snapshot',
    answer: { message: { type: 'string' } },
    errors: ['UNIT_NOT_FOUND', 'STORAGE_FULL', 'STORAGE_FAILED'],
    async handle({ unitId, before }) {
      const present = host.configs.get(unitId);
      before(present ? shown(present) : null);
      if (!(await host.configs.remove(unitId))) throw unknownUnit(unitId);
      return { message: `The config of ${unitId} is removed.` };
    },
  });
}

/** A caller that wants a new config must not change an existing config. */
function refuseChange({ onlyNew, unitId }: Request<Change>): void {
  if (onlyNew) throw new GatewayError('PRECONDITION_FAILED', `There is a meter ${unitId} already. It was not changed.`);
}

/**
 * A forbidden address is refused. A config does not depend on whether the name can be resolved now;
 * the address is checked again at each connection.
 */
async function checkReach(host: Host, config: DeviceConfig, { body, caller }: Request<Change>): Promise<void> {
  const ports = [
    ...(config.tcpEnabled || given(body.tcp_port) ? [config.tcpPort] : []),
    ...(config.ftpEnabled || given(body.ftp_port) ? [config.ftpPort] : []),
  ];
  if (ports.length === 0 && given(body.host)) ports.push(config.tcpPort);
  const late = () => new Error('not resolved in time');
  const judge = (signal: AbortSignal) =>
    unlessAborted(Promise.all(ports.map((port) => host.mayReach(config.host, port))), signal);
  try {
    await within(host.clock, RESOLVE_MS, late, judge, caller.signal);
  } catch (error) {
    if (isGatewayError(error, 'ADDRESS_REFUSED')) throw wrong('/host', error.message);
    caller.signal.throwIfAborted();
  }
}

interface Warned {
  readonly warning?: string;
  readonly sleep_mode?: 'Off' | 'unknown';
}

/** A warning if other units are the same meter: by the address in the config, or by the address found when connecting. */
function sharing(host: Host, { unitId, tcpPort, tcpEnabled, ...own }: DeviceConfig, identity: Identity): Warned {
  const written = host.configs.list().filter((other) => {
    const same = other.tcpPort === tcpPort && other.host.toLowerCase() === own.host.toLowerCase();
    return same && other.tcpEnabled && other.unitId !== unitId;
  });
  const found = tcpEnabled ? (host.report(unitId)?.sharedWith ?? []) : [];
  const others = new Set([...written.map((other) => other.unitId), ...found]);
  if (!tcpEnabled || others.size === 0) return {};
  const names = [...others].filter((other) => reaches(identity, other)).join(', ');
  const which = names === '' ? '' : ` (${names})`;
  return { warning: `Another unit${which} has the same address and port. They take turns; remove one of the two.` };
}

/** A sleeping meter does not answer on TCP. Best effort: an error here becomes a warning. */
async function wake(host: Host, { unitId, caller, log }: Request<Change>): Promise<Warned> {
  if (!host.families.get(host.configs.of(unitId).family).operations.setSleepMode) return {};
  const late = () => new Error(`no answer within ${inSeconds(SLEEP_MODE_MS)}`);
  const send = (signal: AbortSignal) =>
    unlessAborted(host.meter(unitId).perform('setSleepMode', { ...caller, signal }, false), signal);
  try {
    await within(host.clock, SLEEP_MODE_MS, late, send, caller.signal);
    return { sleep_mode: 'Off' };
  } catch (error) {
    log.warn({ err: error }, 'sleep mode not switched off after a config change');
    return {
      sleep_mode: 'unknown',
      warning: `The config is saved, but the sleep mode of the meter could not be switched off: ${messageOf(error)}`,
    };
  }
}

const shown = (config: DeviceConfig): object => ({
  unit_id: config.unitId,
  ...shownRecord(CONFIG_FIELDS, { ...config }),
  ftp_credentials_set: config.ftpUsername !== null && config.ftpPassword !== null,
});

const given = (value: unknown): boolean => value !== undefined && value !== null;

/** Checks that the schema of the body cannot make. */
function refuseWrong({ families }: Host, unitId: string, { unit_id, host, timezone, family }: Change): void {
  if (given(unit_id) && unit_id !== unitId) throw wrong('/unit_id', 'must be the unit of the path');
  if (typeof host === 'string' && !isHost(host))
    throw wrong('/host', 'must be a host name, an IPv4 or an IPv6 address');
  if (timezone && !zones.isTimeZone(timezone))
    throw wrong('/timezone', 'must be the IANA name of a time zone, such as Europe/Berlin');
  if (typeof family === 'string' && !families.find(family))
    throw wrong('/family', `is not a family of meters that this gateway knows: ${families.names.join(', ')}`);
}

function merged(
  { configs, families }: Pick<Host, 'configs' | 'families'>,
  unitId: string,
  present: DeviceConfig | undefined,
  change: Change,
): DeviceConfig {
  if (!present && !given(change.host)) throw wrong('/host', 'is required to create a config');
  const family = families.get(change.family ?? present?.family ?? configs.defaults.family);
  const fresh = { ...configs.defaults, ...family.fresh };
  const config = changedRecord(CONFIG_FIELDS, present ?? fresh, change, fresh);
  if (config.history === 'stream' && !family.stream)
    throw wrong('/history', `cannot be stream: the family ${family.name} has no stream`);
  refuseChannels(config.historyChannels, family);
  return { ...config, unitId };
}

/** Without this check, an unknown channel would never be recorded, and nobody would notice. */
function refuseChannels(asked: readonly string[], { name, channels }: Family): void {
  const known = channelNames(channels);
  const unknown = asked.findIndex((channel) => !known.includes(channel));
  const message = `is no channel of the family ${name}; it has ${known.join(', ')}`;
  if (unknown >= 0) throw wrong(`/history_channels/${unknown}`, message);
  if (!asked.includes(MAIN_CHANNEL)) throw wrong('/history_channels', `must have ${MAIN_CHANNEL} among them`);
}

const HOST_NAME = /^(?!.*\.\.)[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;

/**
 * The URL parser knows every form of an address. A host that it would rewrite is refused: `010.0.0.1` and `1234` mean
 * other IPv4 addresses than they look like.
 */
function isHost(host: string): boolean {
  if (host.includes(':')) return /^[0-9A-Fa-f:.]+$/.test(host) && URL.canParse(`http://[${host}]/`);
  if (!HOST_NAME.test(host) || host.split('.').some((label) => !/^(?!-)[A-Za-z0-9-]{1,63}(?<!-)$/.test(label)))
    return false;
  const url = `http://${host}/`;
  return URL.canParse(url) && new URL(url).hostname === host.toLowerCase();
}

const wrong = (path: string, message: string) => invalid([{ path, message }]);
