/**
 * unit_id -> meter. Makes a session when a unit is first used, and ends it when the unit's address changes, its TCP is
 * switched off, or the unit is removed. Nothing is shared between two units.
 */
import type { Clock } from '../clock.ts';
import { GatewayError } from '../errors.ts';
import type { Log } from '../log.ts';
import { frames } from '../nl43/commands.ts';
import type { Frame, StreamCommand } from '../nl43/contract.ts';
import type { ConfigStore, DeviceConfig } from '../store/contract.ts';
import type { Transport } from '../transport/contract.ts';
import type { Contact, Meter } from './contract.ts';
import { type Farewell, Session } from './session.ts';
import { METER_DEFAULTS, type MeterSettings } from './settings.ts';
import { Spacing } from './spacing.ts';

export interface FleetParts {
  readonly configs: Pick<ConfigStore, 'get' | 'onChange'>;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings?: Partial<MeterSettings>;
  /** The stream behind `feed`. Default: `DRD?`. */
  readonly stream?: StreamCommand<Frame>;
  /** Start of a measurement that was running when the gateway last knew, ms UTC. Default: none. */
  readonly startedAt?: (unitId: string) => number | null;
  /** 0 <= x < 1. Default `Math.random`. */
  readonly random?: () => number;
}

export interface Fleet {
  /** Errors: UNIT_NOT_FOUND, TCP_DISABLED, STOPPING. */
  meter(unitId: string): Meter;
  /** How the meter was last reached, without touching it; undefined for a unit that was not used yet. */
  contact(unitId: string): Contact | undefined;
  /** Ends all sessions in good order, at most `closeTimeoutMs`. May be called twice. */
  close(): Promise<void>;
}

/** What is kept of one unit over all its sessions. */
interface Unit {
  readonly spacing: Spacing;
  session: Session | undefined;
  address: string;
  /** The last session's end; the next one dials after it. */
  ended: Promise<unknown>;
  lastContact: Contact | undefined;
}

export function createFleet(parts: FleetParts): Fleet {
  const { configs, clock, log } = parts;
  const settings = { ...METER_DEFAULTS, ...parts.settings };
  const units = new Map<string, Unit>();
  let closing: Promise<void> | undefined;

  const unitOf = (unitId: string): Unit => {
    const known = units.get(unitId);
    if (known) return known;
    const unit: Unit = {
      spacing: new Spacing(clock, settings.spacingMs),
      session: undefined,
      address: '',
      ended: Promise.resolve(),
      lastContact: undefined,
    };
    units.set(unitId, unit);
    return unit;
  };

  const createSession = (config: DeviceConfig, unit: Unit): Session =>
    new Session({
      unitId: config.unitId,
      address: { host: config.host, port: config.tcpPort },
      ftpPort: () => configs.get(config.unitId)?.ftpPort ?? config.ftpPort,
      transport: parts.transport,
      clock,
      log: log.child({ unit_id: config.unitId }),
      settings,
      spacing: unit.spacing,
      stream: parts.stream ?? frames(),
      random: parts.random ?? Math.random,
      startedAt: parts.startedAt?.(config.unitId) ?? null,
      after: unit.ended,
    });

  const sessionOf = (config: DeviceConfig): Session => {
    const unit = unitOf(config.unitId);
    unit.session ??= createSession(config, unit);
    unit.address = addressOf(config);
    return unit.session;
  };

  /** Ends the session of a unit. The spacing and the last contact stay for the session after it. */
  const part = (unit: Unit, farewell: Farewell): Promise<void> => {
    const { session } = unit;
    if (!session) return Promise.resolve();
    unit.session = undefined;
    unit.lastContact = session.contact;
    const ended = session.close(farewell);
    unit.ended = ended;
    return ended;
  };

  const follow = (unitId: string, config: DeviceConfig | undefined): void => {
    const unit = units.get(unitId);
    if (!unit) return;
    const farewell = config ? changed(unit.address, config) : removed(unitId);
    if (farewell) part(unit, farewell);
    if (config?.tcpEnabled && farewell) unit.lastContact = undefined;
    if (!config) unit.ended.finally(() => forget(unitId, unit));
  };

  /** A removed unit is kept until its connection has ended; one that came back meanwhile stays. */
  const forget = (unitId: string, unit: Unit): void => {
    if (!configs.get(unitId) && units.get(unitId) === unit && !unit.session) units.delete(unitId);
  };

  const unfollow = configs.onChange(follow);

  const closeAll = async (): Promise<void> => {
    unfollow();
    const farewell: Farewell = { error: stopping(), feed: 'stopping' };
    await Promise.all([...units.values()].flatMap((unit) => [part(unit, farewell), unit.ended]));
  };

  return {
    meter(unitId) {
      if (closing) throw stopping();
      const config = configs.get(unitId);
      if (!config) throw notFound(unitId);
      if (!config.tcpEnabled) throw disabled(unitId);
      return sessionOf(config);
    },
    contact(unitId) {
      const unit = units.get(unitId);
      const present = unit?.session?.contact;
      return present?.reachable === null ? (unit?.lastContact ?? present) : (present ?? unit?.lastContact);
    },
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}

const addressOf = ({ host, tcpPort }: DeviceConfig): string => `${host} ${tcpPort}`;

const notFound = (unitId: string) => new GatewayError('UNIT_NOT_FOUND', `There is no config for the unit ${unitId}.`);
const stopping = () => new GatewayError('STOPPING', 'The gateway is stopping.');
const disabled = (unitId: string) =>
  new GatewayError(
    'TCP_DISABLED',
    `TCP is switched off in the config of the unit ${unitId}; set tcp_enabled to use it.`,
  );

const removed = (unitId: string): Farewell => ({ error: notFound(unitId), feed: 'removed' });

function changed(address: string, config: DeviceConfig): Farewell | undefined {
  const { unitId } = config;
  if (!config.tcpEnabled) return { error: disabled(unitId), feed: 'removed' };
  if (addressOf(config) === address) return undefined;
  const detail = `The address of the unit ${unitId} was changed; ask again.`;
  return { error: new GatewayError('DEVICE_UNREACHABLE', detail), feed: 'failed' };
}
