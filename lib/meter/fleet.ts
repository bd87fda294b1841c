/**
 * unit_id -> meter. Makes a session when a unit is first used, and ends it when the unit's address changes, its TCP is
 * switched off, or the unit is removed. Nothing is shared between two units but the limit on connects, and between those of
 * one address the rest of the meter.
 */
import type { Clock } from '../clock.ts';
import { GatewayError, messageOf, unknownUnit } from '../errors.ts';
import type { Log } from '../log.ts';
import { clock as clockReading, frames, measureState, pauseState, storeName } from '../nl43/commands.ts';
import type { Command, Frame, StreamCommand } from '../nl43/contract.ts';
import type { ConfigStore, DeviceConfig } from '../store/contract.ts';
import type { Transport } from '../transport/contract.ts';
import { type CommandGap, CommandGaps } from './command-gap.ts';
import { ConnectLimit } from './connect-limit.ts';
import type {
  Meter,
  MeterCounters,
  MeterReport,
  Reachability,
  ReachabilityChange,
  ReachabilityState,
} from './contract.ts';
import type { Questions } from './knowledge.ts';
import { Session } from './session.ts';
import type { Farewell } from './session-parts.ts';
import { METER_DEFAULTS, type MeterSettings } from './settings.ts';
import { Unit } from './unit.ts';

export interface FleetParts {
  readonly configs: Pick<ConfigStore, 'get' | 'onChange'>;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings?: Partial<MeterSettings>;
  /** The stream behind `feed`. Default: `DRD?`. */
  readonly stream?: StreamCommand<Frame>;
  /** What is asked after trouble with the line. Default: `Measure?`, `Pause?`, `Store Name?`, `Clock?`. */
  readonly questions?: Questions;
  /** What proves a connection that was quiet for long. Default: `Measure?`. */
  readonly proof?: Command<unknown>;
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
  /** The rest that the meter of this config is owed, for FTP to keep while the unit has no session. */
  commandGap(config: DeviceConfig): CommandGap;
  /** Calls for every change of a reachability state, in order. A listener that throws harms nobody. The disposer ends it. */
  onReachability(listener: (change: ReachabilityChange) => void): () => void;
  /** Ends all sessions in good order, at most `closeTimeoutMs`. May be called twice. */
  close(): Promise<void>;
}

/** What all sessions get. */
interface Common {
  readonly parts: FleetParts;
  readonly settings: MeterSettings;
  readonly limit: ConnectLimit;
  readonly commandGapOf: (config: DeviceConfig) => CommandGap;
  readonly tell: (change: ReachabilityChange) => void;
}

export function createFleet(parts: FleetParts): Fleet {
  const { configs, clock } = parts;
  const settings = { ...METER_DEFAULTS, ...parts.settings };
  const listeners = new Set<(change: ReachabilityChange) => void>();
  const tell = (change: ReachabilityChange): void => {
    for (const listener of [...listeners]) heardBy(listener, change, parts.log);
  };
  const commandGaps = new CommandGaps(clock, settings.spacingMs);
  const commandGapOf = ({ host, tcpPort }: DeviceConfig): CommandGap => commandGaps.of({ host, port: tcpPort });
  const common = { parts, settings, limit: new ConnectLimit(clock, settings.connectsPerMinute), commandGapOf, tell };
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
    if (!config) unit.part({ error: unknownUnit(unitId), feed: 'removed' }).then(() => forget(unitId, unit));
    else if (!config.tcpEnabled) unit.part({ error: disabled(unitId), feed: 'removed' });
    else if (!unit.isAt(config)) {
      // It may be the same meter under another name: then it has just been spoken to.
      unit.part({ error: moved(unitId), feed: 'failed' }).then(() => commandGapOf(config).restart());
      unit.forgetReachability();
    }
  };

  /** A removed unit is kept until its connection has ended; one that came back meanwhile stays. */
  const forget = (unitId: string, unit: Unit): void => {
    if (!configs.get(unitId) && unit.isIdle && units.get(unitId) === unit) units.delete(unitId);
  };

  const unfollow = configs.onChange(follow);

  const closeAll = async (): Promise<void> => {
    unfollow();
    const farewell: Farewell = { error: stopping(), feed: 'stopping' };
    await Promise.all(Array.from(units.values(), (unit) => unit.part(farewell)));
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
    onReachability(listener) {
      const entry = (change: ReachabilityChange) => listener(change);
      listeners.add(entry);
      return () => listeners.delete(entry);
    },
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}

function heardBy(listener: (change: ReachabilityChange) => void, change: ReachabilityChange, log: Log): void {
  try {
    listener(change);
  } catch (error) {
    log.error({ unit_id: change.unitId, error: messageOf(error) }, 'a listener for reachability changes failed');
  }
}

const stateQuestions = (): Questions => ({
  measuring: measureState(),
  paused: pauseState(),
  storeName: storeName(),
  clock: clockReading(),
});

function createSession(
  config: DeviceConfig,
  unit: Unit,
  { parts, settings, limit, commandGapOf, tell }: Common,
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
    onReachability: (from: ReachabilityState, reachability: Reachability) => tell({ unitId, from, reachability }),
    questions: parts.questions ?? stateQuestions(),
    proof: parts.proof ?? measureState(),
    stream: parts.stream ?? frames(),
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
