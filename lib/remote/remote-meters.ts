/**
 * The meters of one other instance, over one link. It tells the other instance the configs, hands on what it tells, and knows for each
 * meter what is mirrored. Nothing is sent before the clocks are known; what is asked meanwhile waits.
 */
import type { Clock } from '../clock.ts';
import type { Families } from '../drivers/contract.ts';
import { unknownUnit } from '../errors.ts';
import type { EventStream, WireTaps } from '../events/contract.ts';
import type { Log } from '../log.ts';
import type { DeviceState, MeterCounters, MeterReport, Reachability } from '../meter/contract.ts';
import { tcpDisabled } from '../meter/faults.ts';
import type { CommandGap } from '../meter/meter-port.ts';
import type { FleetParts } from '../meter/parts.ts';
import { METER_DEFAULTS } from '../meter/settings.ts';
import type { ConfigStore, DeviceConfig } from '../store/contract.ts';
import { isKnownState } from './checks.ts';
import type { MessagePipe } from './contract.ts';
import { Incoming } from './incoming.ts';
import { LinkCalls } from './link-calls.ts';
import { notServed } from './link-errors.ts';
import { LinkTime } from './link-time.ts';
import { LinkedWorks } from './linked-works.ts';
import type { GatewayMessage, KnownUnit } from './messages.ts';
import type { LinkedMeters } from './parts.ts';
import { RemoteMeter } from './remote-meter.ts';
import { meterConfig } from './told-configs.ts';

/** What the meters of a link need of the gateway. */
export interface RemoteMetersParts {
  readonly pipe: MessagePipe;
  readonly families: Families;
  readonly configs: Pick<ConfigStore, 'get' | 'list' | 'onChange'>;
  /** What is known of a meter when its session begins. Default: nothing. */
  readonly known?: FleetParts['known'];
  /** Hears of what the fleet of the other instance publishes. */
  readonly events: Pick<EventStream, 'publish'>;
  /** Hears the lines of the units that are traced. */
  readonly taps?: Pick<WireTaps, 'of'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Frames that came over the last link to this instance: it does not bring them again. */
  readonly had?: number;
  /** Deadline of a caller that says none, ms: the setting `request_deadline_ms`. */
  readonly requestDeadlineMs?: number;
}

/** More than this waits to be sent: the other side does not take it. Bytes */
const MOST_WAITING = 32 * 1_024 * 1_024;

/** What has come is confirmed after this time, ms: what is not yet is brought again by the next link. */
const CONFIRM_MS = 250;

/** From the opening of a pipe to its end. */
export class RemoteMeters implements LinkedMeters {
  readonly ended: Promise<string>;
  readonly #begun = Promise.withResolvers<void>();
  readonly #parts: RemoteMetersParts;
  readonly #meters = new Map<string, RemoteMeter>();
  readonly #calls: LinkCalls;
  readonly #works: LinkedWorks;
  readonly #time: LinkTime;
  /** What was asked before the link began; undefined: it has. */
  #early: GatewayMessage[] | undefined = [];
  #unfollow = () => {};
  #had: number | undefined;
  #isConfirming = false;
  #isOver = false;
  /** What is watched goes on over there without this gateway. */
  #isLeaving = false;

  constructor(parts: RemoteMetersParts) {
    const { pipe, clock, log, configs, events, taps, requestDeadlineMs = METER_DEFAULTS.requestDeadlineMs } = parts;
    this.#parts = parts;
    const send = (message: GatewayMessage) => this.#send(message);
    this.#calls = new LinkCalls({ clock, send, deadlineMs: requestDeadlineMs });
    this.#works = new LinkedWorks({ calls: this.#calls, send });
    this.#time = new LinkTime({
      clock,
      send: (message) => this.#sendNow(message),
      onKnown: () => this.#begin(),
      onTaken: () => this.#begun.resolve(),
      onSilent: () => this.close('The other instance does not answer.'),
    });
    const incoming = new Incoming({
      calls: this.#calls,
      works: this.#works,
      time: this.#time,
      events,
      taps,
      log,
      meter: (unitId) => this.#meters.get(unitId) ?? (configs.get(unitId) && this.#meterOf(unitId)),
      onStrange: (why) => this.close(why),
      onFrames: (count) => this.#came(count),
    });
    pipe.receive((message) => {
      if (!this.#isOver) incoming.take(message);
    });
    this.ended = pipe.ended;
    void pipe.ended.then((reason) => this.#end(reason));
    this.#time.ping();
  }

  get had(): number | undefined {
    return this.#had;
  }

  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  /** Errors: UNIT_NOT_FOUND, TCP_DISABLED; OWNER_CHANGING after the end of the link. */
  meter(unitId: string): RemoteMeter {
    const config = this.#parts.configs.get(unitId);
    if (!config) throw unknownUnit(unitId);
    if (!config.tcpEnabled) throw tcpDisabled(unitId);
    if (this.#isOver) throw notServed(unitId);
    const meter = this.#meterOf(unitId);
    if (!meter) throw notServed(unitId);
    return meter;
  }

  reachability(unitId: string): Reachability | undefined {
    const meter = this.#meters.get(unitId);
    return meter?.wasUsed ? meter.reachability : undefined;
  }

  report(unitId: string): MeterReport | undefined {
    const meter = this.#meters.get(unitId);
    return meter?.hasSession ? meter.report() : undefined;
  }

  counters(unitId: string): MeterCounters | undefined {
    const meter = this.#meters.get(unitId);
    return meter?.wasUsed ? meter.counters : undefined;
  }

  commandGap(unitId: string): CommandGap | undefined {
    const meter = this.#parts.configs.get(unitId) && this.#meterOf(unitId);
    if (!meter) return undefined;
    const calls = this.#calls;
    return {
      get commands() {
        return meter.commands;
      },
      wait: async (signal) => {
        const message = { kind: 'gap', id: calls.nextId(), unit: unitId } as const;
        await calls.ask(message, { unitId, changes: false, label: 'FTP', caller: { signal } });
      },
      restart: () => this.#send({ kind: 'restart', unit: unitId }),
    };
  }

  trace(unitId: string, on: boolean): void {
    this.#send({ kind: 'trace', unit: unitId, on });
  }

  view(unitId: string, on: boolean): void {
    this.#send({ kind: 'view', unit: unitId, on });
  }

  learn(unitId: string, state: DeviceState): void {
    const config = this.#parts.configs.get(unitId);
    // It came from another instance, or from a family that this program does not know.
    if (!config || !isKnownState(state)) return;
    const known = {
      measurementStartTime: null,
      measurementStartSource: null,
      meter: null,
      ...this.#known(unitId),
      state,
    };
    this.#send({ kind: 'units', all: false, units: [{ config: meterConfig(config), known }], gone: [] });
  }

  stay(on: boolean): void {
    this.#send({ kind: 'stay', on });
  }

  leaving(): void {
    // What is on its way now is not taken here any more: it is kept over there.
    if (this.#had !== undefined) this.#send({ kind: 'had', frames: this.#had });
    this.#send({ kind: 'leaving' });
    this.#isLeaving = true;
  }

  close(reason: string): void {
    this.#parts.pipe.close(reason);
    this.#end(reason);
  }

  #meterOf(unitId: string): RemoteMeter | undefined {
    const known = this.#meters.get(unitId);
    const config = this.#parts.configs.get(unitId);
    if (!config) return known;
    const { families, clock, log } = this.#parts;
    const family = families.find(config.family);
    if (known?.family === family) return known;
    if (!family) return undefined;
    known?.feed.close('failed', `The family of the unit ${unitId} was changed; ask again.`);
    const meter = new RemoteMeter({
      unitId,
      family,
      clock,
      log,
      calls: this.#calls,
      works: this.#works,
      known: this.#known(unitId),
      send: (message) => {
        if (message.kind !== 'watch' || !this.#isLeaving) this.#send(message);
      },
      offset: () => this.#time.offset,
    });
    this.#meters.set(unitId, meter);
    return meter;
  }

  #known(unitId: string): KnownUnit | undefined {
    const known = this.#parts.known?.(unitId);
    if (!known) return undefined;
    const { measurementStartTime, measurementStartSource, meter } = known;
    return { measurementStartTime, measurementStartSource, meter };
  }

  /** The clocks are known: the other instance learns the configs, and then what was asked meanwhile. */
  #begin(): void {
    const { configs, had } = this.#parts;
    this.#had = 0;
    const early = this.#early ?? [];
    this.#early = undefined;
    const units = configs.list().map((config) => this.#told(config));
    this.#send({ kind: 'units', all: true, units, gone: [], ...(had !== undefined && { had }) });
    this.#unfollow = configs.onChange((unitId, config) => {
      const units = config ? [this.#told(config)] : [];
      this.#send({ kind: 'units', all: false, units, gone: config ? [] : [unitId] });
      if (!config) this.#remove(unitId);
      // Of another family it is another one.
      else if (this.#meters.has(unitId)) this.#meterOf(unitId);
    });
    for (const message of early) this.#send(message);
  }

  #told(config: DeviceConfig): { config: ReturnType<typeof meterConfig>; known?: KnownUnit } {
    const known = this.#known(config.unitId);
    return { config: meterConfig(config), ...(known && { known }) };
  }

  /** False: they are for the next gateway. */
  #came(frames: number): boolean {
    if (this.#isLeaving) return false;
    this.#had = (this.#had ?? 0) + frames;
    if (this.#isConfirming) return true;
    this.#isConfirming = true;
    this.#parts.clock.after(CONFIRM_MS, () => {
      this.#isConfirming = false;
      this.#send({ kind: 'had', frames: this.#had ?? 0 });
    });
    return true;
  }

  /** Its session there ends too; who waits is told by it. */
  #remove(unitId: string): void {
    const meter = this.#meters.get(unitId);
    this.#meters.delete(unitId);
    meter?.feed.close('removed', unknownUnit(unitId).message);
  }

  #send(message: GatewayMessage): void {
    if (this.#isOver) return;
    if (this.#early) this.#early.push(message);
    else this.#sendNow(message);
  }

  #sendNow(message: GatewayMessage): void {
    const { pipe } = this.#parts;
    pipe.send(message);
    if (pipe.waiting > MOST_WAITING) this.close('The other instance does not take what is sent to it.');
  }

  #end(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#time.end();
    this.#unfollow();
    if (!this.#early) this.#parts.log.info({ reason }, 'the link to an instance that serves meters is over');
    this.#calls.end();
    for (const { feed } of this.#meters.values()) {
      if (feed.watchers > 0) feed.status('lost', LOST);
    }
  }
}

const LOST = 'The link to the instance that serves this meter is over.';
