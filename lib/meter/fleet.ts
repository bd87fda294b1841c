/**
 * unit_id -> meter. Makes a session when a unit is first used, and ends it when the unit's address changes, its TCP is
 * switched off, or the unit is removed. Nothing is shared between two units but the limit on connects, and between those of
 * one address the command gap.
 */
import type { Clock } from '../clock.ts';
import type { Driver } from '../driver/contract.ts';
import { GatewayError, unknownUnit } from '../errors.ts';
import type { EventStream } from '../events/contract.ts';
import type { Log } from '../log.ts';
import type { ConfigStore, DeviceConfig } from '../store/contract.ts';
import type { Transport } from '../transport/contract.ts';
import { type CommandGap, CommandGaps } from './command-gap.ts';
import { ConnectLimit } from './connect-limit.ts';
import type { Meter, MeterCounters, MeterReport, Reachability } from './contract.ts';
import { MeterPorts } from './meter-port.ts';
import { Session } from './session.ts';
import type { Closing } from './session-parts.ts';
import { METER_DEFAULTS, type MeterSettings } from './settings.ts';
import { Unit } from './unit.ts';

export interface FleetParts {
  readonly configs: Pick<ConfigStore, 'get' | 'onChange'>;
  readonly transport: Transport;
  /** The family of all meters. */
  readonly driver: Driver;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings?: Partial<MeterSettings>;
  /** Hears of `state`, `reachability`, `frame` and `command`. */
  readonly events: Pick<EventStream, 'publish'>;
  /** Start of a measurement that was running when the gateway last knew, ms UTC. Default: none. */
  readonly startedAt?: (unitId: string) => number | null;
  /** 0 <= x < 1. Default `Math.random`. */
  readonly random?: () => number;
}

export interface Fleet {
  /** Errors: UNIT_NOT_FOUND, TCP_DISABLED, STOPPING. */
  meter(unitId: string): Meter;
  /** How the meter was last reached, without touching it; undefined for a unit that was not used yet. */
  reachability(unitId: string): Reachability | undefined;
  /** What the session of a unit reports; undefined while it has none. */
  report(unitId: string): MeterReport | undefined;
  /** What a unit has cost over all its sessions; undefined for one that was not used yet. */
  counters(unitId: string): MeterCounters | undefined;
  /** The command gap of the meter of this config, for FTP to keep while the unit has no session. */
  commandGap(config: DeviceConfig): CommandGap;
  /** Ends all sessions in good order, at most `closeTimeoutMs`. May be called twice. */
  close(): Promise<void>;
}

/** What all sessions get. */
interface Common {
  readonly parts: FleetParts;
  readonly settings: MeterSettings;
  readonly limit: ConnectLimit;
  readonly ports: MeterPorts;
  readonly commandGapOf: (config: DeviceConfig) => CommandGap;
}

export function createFleet(parts: FleetParts): Fleet {
  const { configs, clock } = parts;
  const settings = { ...METER_DEFAULTS, ...parts.settings };
  const commandGaps = new CommandGaps(clock, settings.spacingMs);
  const commandGapOf = ({ host, tcpPort }: DeviceConfig): CommandGap => commandGaps.of({ host, port: tcpPort });
  const common = {
    parts,
    settings,
    limit: new ConnectLimit(clock, settings.connectsPerMinute),
    ports: new MeterPorts(),
    commandGapOf,
  };
  const units = new Map<string, Unit>();
  let closing: Promise<void> | undefined;

  const unitOf = (unitId: string): Unit => {
    const unit = units.get(unitId) ?? new Unit(clock);
    units.set(unitId, unit);
    return unit;
  };

  const follow = (unitId: string, config: DeviceConfig | undefined): void => {
    const unit = units.get(unitId);
    if (!unit) return;
    if (!config) {
      unit.end({ error: unknownUnit(unitId), feed: 'removed' }).then(() => forget(unitId, unit));
      return;
    }
    const isMoved = unit.moveTo(config, { error: moved(unitId), feed: 'failed' });
    // It may be the same meter under another name: then it has just been spoken to.
    if (isMoved) unit.ended.then(() => commandGapOf(config).restart());
    if (!config.tcpEnabled) unit.end({ error: disabled(unitId), feed: 'removed' });
  };

  /** A removed unit is kept until its connection has ended; one that came back meanwhile stays. */
  const forget = (unitId: string, unit: Unit): void => {
    if (!configs.get(unitId) && unit.isIdle && units.get(unitId) === unit) units.delete(unitId);
  };

  const unfollow = configs.onChange(follow);

  const closeAll = async (): Promise<void> => {
    unfollow();
    const reason: Closing = { error: stopping(), feed: 'stopping' };
    await Promise.all(Array.from(units.values(), (unit) => unit.end(reason)));
  };

  return {
    meter(unitId) {
      if (closing) throw stopping();
      const config = configs.get(unitId);
      if (!config) throw unknownUnit(unitId);
      if (!config.tcpEnabled) throw disabled(unitId);
      const unit = unitOf(unitId);
      return unit.session(config, () => createSession(config, unit, common));
    },
    reachability: (unitId) => units.get(unitId)?.reachability,
    report: (unitId) => units.get(unitId)?.report,
    counters: (unitId) => units.get(unitId)?.tally.counters,
    commandGap: commandGapOf,
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}

function createSession(
  config: DeviceConfig,
  unit: Unit,
  { parts, settings, limit, ports, commandGapOf }: Common,
): Session {
  const { unitId, host, tcpPort } = config;
  return new Session({
    unitId,
    address: { host, port: tcpPort },
    ftpPort: () => parts.configs.get(unitId)?.ftpPort ?? config.ftpPort,
    transport: parts.transport,
    clock: parts.clock,
    log: parts.log.child({ unit_id: unitId }),
    settings,
    commandGap: commandGapOf(config),
    tally: unit.tally,
    limit,
    ports,
    driver: parts.driver,
    publish: (kind, data) => parts.events.publish(unitId, kind, data),
    random: parts.random ?? Math.random,
    startedAt: parts.startedAt?.(unitId) ?? null,
    after: unit.ended,
  });
}

const stopping = () => new GatewayError('STOPPING', 'The gateway is stopping.');
const disabled = (unitId: string) =>
  new GatewayError(
    'TCP_DISABLED',
    `TCP is switched off in the config of the unit ${unitId}; set tcp_enabled to use it.`,
  );

const moved = (unitId: string) =>
  new GatewayError('DEVICE_UNREACHABLE', `The address of the unit ${unitId} was changed; ask again.`);
