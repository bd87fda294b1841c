/**
 * unit_id -> meter. Makes a session when a unit is first used. Ends it when the unit's address or family changes, its
 * TCP is switched off, or the unit is removed.
 */
import { METER_FIELDS } from '../domain/fields/config.ts';
import { createCounters } from '../domain/fields/counters.ts';
import type { Conversation } from '../drivers/wire/contract.ts';
import { GatewayError, unknownUnit } from '../errors.ts';
import { type Address, endpointOf } from '../transport/contract.ts';
import { ConnectLimit } from './connect-limit.ts';
import type { MeterIdentity, Meters, Reachability } from './contract.ts';
import { Faults, meterReplaced, tcpDisabled } from './faults.ts';
import { type CommandGap, MeterPort, MeterPorts } from './meter-port.ts';
import { unknownDeviceState } from './meter-state.ts';
import type { Closing, FleetParts, MeterConfig, SessionParts, UnitRecord } from './parts.ts';
import { Session } from './session.ts';
import { METER_DEFAULTS } from './settings.ts';

export interface Fleet extends Meters {
  meter(unitId: string): Session;
  /**
   * Gap that FTP waits for and starts again, also with TCP off: commands may just have been sent. Undefined: no such
   * unit. Errors: STOPPING.
   */
  commandGap(unitId: string): CommandGap | undefined;
  /** Ends all sessions regularly, within `closeTimeoutMs`. May be called twice. */
  close(): Promise<void>;
}

type Shared = Pick<SessionParts, 'settings' | 'limit' | 'ports' | 'random'>;

/** Follows the configs from now on. No connection is opened before a meter is used. */
export function createFleet(parts: FleetParts): Fleet {
  const { configs, clock, random = Math.random } = parts;
  const settings = { ...METER_DEFAULTS, ...parts.settings };
  const limit = new ConnectLimit(clock, settings.connectsPerMinute);
  const ports = new MeterPorts(() => new MeterPort(clock, settings.spacingMs));
  const shared: Shared = { settings, limit, ports, random };
  const units = new Map<string, Unit>();
  let closing: Promise<void> | undefined;

  const serialNumberAt = (config: MeterConfig): string | null => {
    const last = parts.known?.(config.unitId).meter;
    return last?.endpoint === endpointOf(addressOf(config)) ? last.serialNumber : null;
  };

  const unfollow = configs.onChange(
    (unitId, config) => {
      const unit = units.get(unitId);
      if (!unit) return;
      if (!config) {
        unit.end({ error: unknownUnit(unitId), feed: 'removed' }).then(() => forget(unitId, unit));
        return;
      }
      const isMoved = unit.moveTo(config, () => ({ error: meterReplaced(unitId), feed: 'failed' }));
      // It may be the same meter under another name. A command may then just have been sent to it.
      if (isMoved) unit.ended.then(() => ports.named(addressOf(config)).restart());
      if (!config.tcpEnabled) unit.end({ error: tcpDisabled(unitId), feed: 'removed' });
    },
    [...METER_FIELDS, 'tcpEnabled'],
  );

  /** A removed unit is kept until its connection has ended, unless it was created again meanwhile. */
  const forget = (unitId: string, unit: Unit): void => {
    if (!configs.get(unitId) && !unit.session && units.get(unitId) === unit) units.delete(unitId);
  };

  const sessionOf = (unitId: string): Session => {
    if (closing) throw stopping();
    const config = configs.get(unitId);
    if (!config) throw unknownUnit(unitId);
    if (!config.tcpEnabled) throw tcpDisabled(unitId);
    const unit = units.get(unitId) ?? new Unit(clock.now(), serialNumberAt(config));
    units.set(unitId, unit);
    return unit.begin(config, () => createSession(parts, shared, config, unit));
  };

  return {
    meter: sessionOf,
    reachability: (unitId) => units.get(unitId)?.reachability,
    report: (unitId) => units.get(unitId)?.session?.report(),
    counters: (unitId) => units.get(unitId)?.counters,
    commandGap(unitId) {
      const config = configs.get(unitId);
      return config && (config.tcpEnabled ? sessionOf(unitId).commandGap : ports.named(addressOf(config)));
    },
    close() {
      unfollow();
      const endAll = Array.from(units.values(), (unit) => unit.end({ error: stopping(), feed: 'stopping' }));
      closing ??= Promise.all(endAll).then(() => {});
      return closing;
    },
  };
}

function createSession(parts: FleetParts, shared: Shared, config: MeterConfig, unit: Unit): Session {
  const { unitId } = config;
  const address = addressOf(config);
  const family = parts.families.get(config.family);
  return new Session({
    ...parts,
    ...shared,
    unitId,
    address,
    family,
    unit,
    driver: family.conversation ?? NOBODY_TALKS,
    config: () => parts.configs.get(unitId) ?? config,
    log: parts.log.child({ unit_id: unitId }),
    faults: new Faults(unitId, address),
    publish: (kind, data) => parts.events.publish(unitId, kind, data),
    wire: () => parts.taps?.of(unitId),
    start: startOf(parts.known?.(unitId)),
    after: unit.ended,
  });
}

/** One unit over all its sessions: its costs, its last reachability, and the end of the earlier session. */
class Unit implements UnitRecord {
  readonly counters = createCounters();
  readonly countedSince: number;
  identity: MeterIdentity;
  session: Session | undefined;
  ended: Promise<void> = Promise.resolve();
  #config: MeterConfig | undefined;
  #lastReachability: Reachability | undefined;

  /** `serialNumber`: of the meter that answered at this address before the gateway started. */
  constructor(now: number, serialNumber: string | null) {
    this.countedSince = now;
    this.identity = { serialNumber, model: null, exchanged: null };
  }

  /** From the present session after its first attempt, else from the earlier session. */
  get reachability(): Reachability | undefined {
    const present = this.session?.reachability;
    const hasTried = present && present.reachable !== null;
    return hasTried ? present : (this.#lastReachability ?? present);
  }

  begin(config: MeterConfig, create: () => Session): Session {
    this.session ??= create();
    this.#config = config;
    return this.session;
  }

  /** Ends the session, if any. May be called twice. */
  end(closing: Closing): Promise<void> {
    if (!this.session) return this.ended;
    this.#lastReachability = this.reachability;
    this.ended = this.session.close(closing);
    this.session = undefined;
    return this.ended;
  }

  /** Whether the config names another meter now. The reachability of the old meter says nothing about the new one. */
  moveTo(config: MeterConfig, closing: () => Closing): boolean {
    if (METER_FIELDS.every((name) => config[name] === this.#config?.[name])) return false;
    this.end(closing());
    this.#config = config;
    this.#lastReachability = undefined;
    this.identity = { serialNumber: null, model: null, exchanged: null };
    return true;
  }
}

/** Earlier releases stored no source: the time may then be the first sighting. */
function startOf(known: ReturnType<NonNullable<FleetParts['known']>> | undefined): SessionParts['start'] {
  const startedAt = known?.measurementStartTime ?? null;
  return unknownDeviceState({
    startedAt,
    startSource: startedAt === null ? null : (known?.measurementStartSource ?? 'seen'),
  });
}

const unused = () => {
  throw new Error('The gateway sends nothing to a meter that sends on its own.');
};
/** For a family whose meters send on their own. Its sessions open no connection, because they have no work. */
const NOBODY_TALKS: Conversation = { createFramer: unused, bytesOf: unused, readReply: unused, stateQuestions: {} };

const addressOf = ({ host, tcpPort }: MeterConfig): Address => ({ host, port: tcpPort });

const stopping = () => new GatewayError('STOPPING', 'The gateway is stopping.');
