/** The link to a gateway elsewhere, as the serving instance has it: reads what comes, and sends what is new. */

import type { Clock } from '../clock.ts';
import { GatewayError, messageOf } from '../errors.ts';
import type { EventData, EventKind, WireLine } from '../events/contract.ts';
import type { Log } from '../log.ts';
import type { LocalFleet } from '../meter/fleet.ts';
import { gatewayMessage, idOf } from './checks.ts';
import type { MessagePipe } from './contract.ts';
import { errorToLink, notServed } from './link-errors.ts';
import { type FrameOnLink, type GatewayMessage, LINK_VERSION, type ServingMessage } from './messages.ts';
import { ServedCalls } from './served-calls.ts';
import type { FeedListener, ServedFeeds } from './served-feeds.ts';
import type { ToldUnit } from './told-configs.ts';
import { UnitMirrors } from './unit-mirrors.ts';
import { WaitingFrames } from './waiting-frames.ts';

/** What the link needs of the sessions. */
export interface ServedLinkParts {
  readonly pipe: MessagePipe;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  readonly fleet: LocalFleet;
  readonly feeds: ServedFeeds;
  /** Owned and told. */
  readonly units: () => readonly string[];
  readonly isServed: (unitId: string) => boolean;
  /** How far the wall clock of the gateway is ahead, ms. */
  readonly align: (aheadMs: number) => void;
  readonly tell: (units: readonly ToldUnit[], gone: readonly string[], all: boolean) => void;
  /** The gateway has told its units. `had`: frames that came over its last link. */
  readonly onReady: (link: ServedLink, had: number | undefined) => void;
  readonly onEnd: (link: ServedLink) => void;
  /** Whether no unit begins to move. */
  readonly stay: (on: boolean) => void;
}

/** More than this waits, bytes: the other side does not take it. A gateway that takes over asks for all that is kept at once, 64 MB at most. */
const MOST_WAITING = 96 * 1_024 * 1_024;
/** Messages that cannot be understood, before the link is given up. */
const MOST_STRANGE = 20;

/** From the opening of the pipe to its end. */
export class ServedLink implements FeedListener {
  readonly #parts: ServedLinkParts;
  readonly #calls: ServedCalls;
  readonly #mirrors: UnitMirrors;
  readonly #traced = new Set<string>();
  readonly #frames: WaitingFrames;
  #isHurrying = false;
  #stage: 'new' | 'greeted' | 'ready' | 'over' = 'new';
  #strange = 0;

  constructor(parts: ServedLinkParts) {
    this.#parts = parts;
    const { fleet, pipe, clock, isServed } = parts;
    const served: typeof fleet.meter = (unitId) => {
      if (!isServed(unitId)) throw notServed(unitId);
      return fleet.meter(unitId);
    };
    this.#frames = new WaitingFrames(clock, () => this.#flushFrames());
    this.#mirrors = new UnitMirrors({ fleet, clock, tell: (units) => this.#send({ kind: 'mirror', units }) });
    this.#calls = new ServedCalls({
      fleet: { meter: served, commandGap: (unitId) => fleet.commandGap(unitId) },
      answer: (unitId, id, outcome, ageMs) => {
        if (unitId !== '') {
          this.#mirrors.all([unitId]);
          this.#mirrors.touch(unitId);
        }
        this.#send({ kind: 'answer', id, outcome, ...(ageMs !== undefined && { ageMs }) });
      },
      turn: (unitId, id) => {
        this.#mirrors.all([unitId]);
        this.#send({ kind: 'turn', id });
      },
      onWait: (unitId) => this.#hurry(unitId),
    });
    pipe.receive((message) => this.#receive(message));
    void pipe.ended.then((reason) => this.#end(reason));
  }

  /** An event of the fleet. What it changed goes first. */
  event<Kind extends EventKind>(unitId: string, kind: Kind, data: EventData[Kind]): void {
    if (this.#stage !== 'ready') return;
    this.#mirrors.soon(unitId);
    this.#send({ kind: 'event', unit: unitId, event: kind, data });
    if (this.#mirrors.of(unitId).isBusy) this.#hurry(unitId);
    else this.#mirrors.touch(unitId);
  }

  frame(frame: FrameOnLink): void {
    if (this.#stage !== 'ready') return;
    this.#frames.add(frame);
    this.#mirrors.touch(frame[0]);
  }

  kept(frames: readonly FrameOnLink[], unitId: string, lost: number): void {
    // A message that is not too long for a pipe.
    const first = frames.slice(0, KEPT_AT_ONCE);
    this.#send({ kind: 'frames', frames: first, ...(lost > 0 && { lost: { [unitId]: lost } }) });
    for (let from = KEPT_AT_ONCE; from < frames.length; from += KEPT_AT_ONCE) {
      this.#send({ kind: 'frames', frames: frames.slice(from, from + KEPT_AT_ONCE) });
    }
  }

  last(frame: FrameOnLink): void {
    this.#send({ kind: 'last', frame });
  }

  status(...[unit, status, detail]: Parameters<FeedListener['status']>): void {
    this.#send({ kind: 'feed', unit, status, detail });
  }

  end(...[unit, reason, detail]: Parameters<FeedListener['end']>): void {
    this.#send({ kind: 'end', unit, reason, detail });
  }

  /** Who hears the lines of this unit, if the gateway wants them. */
  lineListener(unitId: string): ((line: WireLine) => void) | undefined {
    if (!this.#traced.has(unitId)) return undefined;
    return (line) => this.#send({ kind: 'line', unit: unitId, line });
  }

  /** Something changed at the unit beside its events: its session has begun or ended. */
  changed(unitId: string): void {
    this.#hurry(unitId);
  }

  close(reason: string): void {
    this.#parts.pipe.close(reason);
    this.#end(reason);
  }

  #end(reason: string): void {
    if (this.#stage === 'over') return;
    this.#stage = 'over';
    this.#mirrors.end();
    this.#frames.take();
    this.#parts.log.info({ reason }, 'the link to the gateway is over');
    this.#calls.end();
    this.#parts.onEnd(this);
  }

  #receive(value: unknown): void {
    if (this.#stage === 'over') return;
    const message = gatewayMessage(value);
    const isUsed =
      message &&
      (message.kind === 'call' || message.kind === 'reserve' || message.kind === 'gap') &&
      this.#calls.isTaken(message.id);
    if (message && !isUsed && this.#isInOrder(message)) {
      this.#take(message);
      return;
    }
    this.#strange += 1;
    const id = idOf(value);
    if (id === undefined || isUsed || this.#stage === 'new' || this.#strange > MOST_STRANGE) {
      this.#parts.log.warn({ stage: this.#stage }, 'the gateway sent a message that cannot be understood');
      this.close('A message came that cannot be understood.');
      return;
    }
    const error = new GatewayError('INVALID', 'The message cannot be understood; nothing was sent to the meter.');
    this.#send({ kind: 'answer', id, outcome: { error: errorToLink(error) } });
  }

  /** First pings, then the hello, then all units. */
  #isInOrder({ kind }: GatewayMessage): boolean {
    if (kind === 'ping' || kind === 'hello') return true;
    return this.#stage === 'ready' || (this.#stage === 'greeted' && kind === 'units');
  }

  #take(message: GatewayMessage): void {
    const { clock, feeds } = this.#parts;
    switch (message.kind) {
      case 'ping':
        this.#send({ kind: 'pong', id: message.id, version: LINK_VERSION, elapsed: clock.elapsed() });
        break;
      case 'hello':
        this.#greet(message);
        break;
      case 'units':
        this.#tell(message);
        break;
      case 'leaving':
        feeds.lost();
        break;
      case 'stay':
        this.#parts.stay(message.on);
        break;
      case 'had':
        feeds.had(message.frames);
        break;
      case 'watch':
        this.#watch(message);
        break;
      case 'view':
        this.#frames.view(message.unit, message.on);
        break;
      case 'trace':
        if (message.on) this.#traced.add(message.unit);
        else this.#traced.delete(message.unit);
        break;
      case 'restart':
        this.#restart(message.unit);
        break;
      case 'gap':
        this.#calls.gap(message, (gap) => {
          this.#mirrors.of(message.unit).gap = gap;
        });
        break;
      default:
        this.#calls.take(message);
    }
  }

  #watch({ unit, on }: Extract<GatewayMessage, { kind: 'watch' }>): void {
    const { feeds } = this.#parts;
    this.#frames.view(unit, false);
    if (on) {
      this.#send({ kind: 'watched', unit });
      feeds.watch(unit);
    } else feeds.unwatch(unit);
  }

  #greet({ version, at, now }: Extract<GatewayMessage, { kind: 'hello' }>): void {
    const { clock, align } = this.#parts;
    if (version !== LINK_VERSION) {
      this.close(`The gateway speaks version ${version} of the link.`);
      return;
    }
    if (this.#stage === 'new') this.#stage = 'greeted';
    align(now - (clock.now() + at - clock.elapsed()));
  }

  #tell({ units, gone, all, had }: Extract<GatewayMessage, { kind: 'units' }>): void {
    const isFirst = this.#stage === 'greeted';
    if (isFirst && !all) {
      this.close('The gateway did not tell all units first.');
      return;
    }
    this.#stage = 'ready';
    // The gateway's meter of a unit that was made again, or is of another family now, knows nothing yet.
    for (const unitId of isFirst ? [] : [...gone, ...units.map(({ config }) => config.unitId)]) {
      if (this.#mirrors.forget(unitId)) this.#hurry(unitId);
    }
    this.#parts.tell(units, gone, all);
    if (!isFirst) return;
    this.#mirrors.all(this.#parts.units());
    this.#parts.onReady(this, had);
  }

  #restart(unitId: string): void {
    try {
      this.#parts.fleet.commandGap(unitId)?.restart();
    } catch (error) {
      this.#parts.log.info({ unit_id: unitId, error: messageOf(error) }, 'the command gap was not begun anew');
    }
  }

  #send(message: ServingMessage): void {
    if (this.#stage === 'over') return;
    this.#flushFrames();
    const { pipe } = this.#parts;
    pipe.send(message);
    if (pipe.waiting > MOST_WAITING) this.close('The gateway does not take what is sent to it.');
  }

  #flushFrames(): void {
    const frames = this.#frames.take();
    if (frames.length > 0) this.#send({ kind: 'frames', frames });
  }

  #hurry(unitId: string): void {
    if (this.#stage !== 'ready') return;
    this.#mirrors.hurry(unitId);
    if (this.#isHurrying) return;
    this.#isHurrying = true;
    setImmediate(() => {
      this.#isHurrying = false;
      this.#mirrors.flush();
    });
  }
}

/** A frame has about 250 bytes. */
const KEPT_AT_ONCE = 2_000;
