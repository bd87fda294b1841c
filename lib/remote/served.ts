/**
 * The sessions of this instance: one fleet, for a gateway elsewhere or here. Sessions go on while the gateway changes; which units
 * they are of is what this instance owns and what the gateway has told.
 */
import type { Clock } from '../clock.ts';
import type { EventData, EventKind } from '../events/contract.ts';
import type { Log } from '../log.ts';
import type { DeviceState, LiveFrame } from '../meter/contract.ts';
import type { Fleet, LocalFleet } from '../meter/fleet.ts';
import type { FleetParts } from '../meter/parts.ts';
import type { MessagePipe } from './contract.ts';
import type { KeptLimits } from './kept-frames.ts';
import type { FrameOnLink } from './messages.ts';
import type { LocalGateway, ServedSessions } from './parts.ts';
import { RecentState } from './recent-state.ts';
import { type FeedLimits, ServedFeeds } from './served-feeds.ts';
import { ServedLink } from './served-link.ts';
import { meterConfig, ToldConfigs, type ToldUnit } from './told-configs.ts';

/** What the fleet of the served sessions is given here; the rest (transport, families, settings, log) is its maker's. */
export type ServedFleetParts = Required<
  Pick<FleetParts, 'configs' | 'missing' | 'clock' | 'events' | 'taps' | 'known'>
>;

/** What the served sessions need. */
export interface ServedSessionsParts {
  readonly createFleet: (parts: ServedFleetParts) => LocalFleet;
  readonly clock: Clock;
  readonly log: Log;
  /** The link to the gateway carries messages, or does not any more. Default: nobody is told. */
  readonly onLink?: (carries: boolean) => void;
  /** What is kept for the next gateway, and for how long. Defaults: 120 s and 64 MB of frames, 10 min without a gateway, 2 min after one has come. */
  readonly limits?: Partial<KeptLimits & FeedLimits>;
}

const LIMITS: KeptLimits & FeedLimits = Object.freeze({
  keptMs: 120_000,
  keptBytes: 64 * 1_024 * 1_024,
  withoutGatewayMs: 600_000,
  unclaimedMs: 120_000,
});

/** What is told only to a gateway that is there: the next one asks for itself, or is told the state. */
const PASSING: ReadonlySet<EventKind> = new Set<EventKind>(['frame', 'command', 'connection', 'state', 'reachability']);
/** Other events that wait for the next gateway: which meter answers, how far its clock is off. */
const MOST_EVENTS = 5_000;

/** A smaller difference is that of the way, ms. */
const SAME_TIME_MS = 20;

/** Serves nothing before `own` and a gateway. */
export function createServedSessions(parts: ServedSessionsParts): ServedSessions {
  return new Served(parts);
}

class Served implements ServedSessions {
  mustStay = false;
  readonly #parts: ServedSessionsParts;
  readonly #configs = new ToldConfigs();
  readonly #fleet: LocalFleet;
  readonly #feeds: ServedFeeds;
  #link: ServedLink | undefined;
  /** The link has told its units: what happens goes there. */
  #ready: ServedLink | undefined;
  #here: LocalGateway | undefined;
  #unfollow = () => {};
  /** Of sessions of units that are not owned any more, until they are closed. */
  readonly #ending = new Set<Promise<void>>();
  /** Of sessions that have just ended elsewhere, by unit. */
  readonly #learned = new Map<string, RecentState>();
  /** How far the wall clock of the gateway is ahead, ms. */
  #ahead = 0;
  #waiting: (() => void)[] = [];
  #closed: Promise<void> | undefined;

  constructor(parts: ServedSessionsParts) {
    const { clock, createFleet, limits } = parts;
    this.#parts = parts;
    this.#fleet = createFleet({
      configs: this.#configs,
      missing: (unitId) => this.#configs.missing(unitId),
      clock: {
        now: () => clock.now() + this.#ahead,
        elapsed: () => clock.elapsed(),
        after: (ms, fire) => clock.after(ms, fire),
      },
      events: { publish: (unitId, kind, data) => this.#publish(unitId, kind, data) },
      taps: { of: (unitId) => (this.#here ? this.#here.taps?.of(unitId) : this.#ready?.lineListener(unitId)) },
      known: (unitId) => this.#known(unitId),
    });
    this.#feeds = new ServedFeeds({
      clock,
      fleet: this.#fleet,
      isServed: (unitId) => this.#isServed(unitId),
      isGone: (unitId) => this.#configs.isGone(unitId),
      limits: { ...LIMITS, ...limits },
    });
    // After the fleet, so that a session has begun to end when it is looked at.
    this.#configs.onChange((unitId) => this.#ready?.changed(unitId));
  }

  async own(units: ReadonlySet<string>, onEnded = () => {}): Promise<void> {
    const { left, come } = this.#configs.own(units);
    for (const unitId of come) this.#fleet.letRest(unitId);
    this.#feeds.served();
    for (const unitId of left) {
      const ended = this.#fleet.ended(unitId).then(() => {
        this.#ending.delete(ended);
        onEnded();
      });
      this.#ending.add(ended);
    }
    await Promise.all(this.#ending);
  }

  attach(pipe: MessagePipe): void {
    if (this.#here || this.#closed) {
      pipe.close(this.#here ? 'This instance is the gateway itself.' : 'This instance is stopping.');
      return;
    }
    this.#link?.close('The gateway has opened another link.');
    this.mustStay = false;
    const { clock, log, onLink = () => {} } = this.#parts;
    this.#link = new ServedLink({
      pipe,
      clock,
      log,
      fleet: this.#fleet,
      feeds: this.#feeds,
      units: () => this.#configs.units,
      isServed: (unitId) => this.#isServed(unitId),
      align: (aheadMs) => {
        if (Math.abs(aheadMs - this.#ahead) <= SAME_TIME_MS && this.#ready !== undefined) return;
        // A wall clock has whole milliseconds; the way over the link has fractions.
        this.#ahead = Math.round(aheadMs);
      },
      tell: (told, gone, all) => {
        this.#tell(told, gone, all);
        this.#feeds.served();
      },
      onReady: (link, had) => {
        this.#ready = link;
        this.#feeds.to(link, had);
        for (const tell of this.#waiting.splice(0)) tell();
        this.tellStates();
        onLink(true);
      },
      stay: (on) => {
        this.mustStay = on;
      },
      onEnd: (link) => {
        if (this.#link === link) this.#link = undefined;
        if (this.#ready !== link) return;
        this.#ready = undefined;
        this.#feeds.lost();
        onLink(false);
      },
    });
  }

  here(gateway: LocalGateway | undefined): Fleet | undefined {
    this.#unfollow();
    this.#unfollow = () => {};
    const was = this.#here;
    this.#here = gateway;
    this.mustStay = false;
    if (!gateway) {
      const isWatched = (unitId: string) => (this.#fleet.present(unitId)?.feed.watchers ?? 0) > 0;
      if (was) this.#feeds.hold(this.#configs.units.filter(isWatched));
      return undefined;
    }
    this.#link?.close('This instance is the gateway itself.');
    this.#ahead = 0;
    const { configs } = gateway;
    this.#unfollow = configs.onChange((unitId, config) => {
      if (config) this.#tell([{ config: meterConfig(config) }]);
      else this.#tell([], [unitId]);
    });
    this.#tell(
      configs.list().map((config) => ({ config: meterConfig(config) })),
      [],
      true,
    );
    this.#feeds.to(undefined);
    for (const tell of this.#waiting.splice(0)) tell();
    return this.#fleet;
  }

  takeKept(unitId: string): { readonly frames: readonly LiveFrame[]; readonly lost: number } {
    const { frames, lost } = this.#feeds.take(unitId);
    this.#feeds.claimedHere(unitId);
    return {
      frames: frames.map(([, at, elapsed, begun, shown, frame]) => ({ at, elapsed, begun, shown, frame })),
      lost,
    };
  }

  learn(unitId: string, state: DeviceState): void {
    const learned = this.#learned.get(unitId) ?? new RecentState(this.#parts.clock);
    this.#learned.set(unitId, learned);
    learned.is(state);
  }

  tellStates(): void {
    for (const unitId of this.#configs.units) {
      const state = this.#fleet.present(unitId)?.deviceState;
      if (state && state.measuring !== null) this.#publish(unitId, 'state', { state });
    }
  }

  isBusy(unitId: string): boolean {
    return this.#fleet.isBusy(unitId);
  }

  keeps(unitId: string): boolean {
    // What has several commands to send would be broken off between them.
    const isAtWork = this.#fleet.present(unitId)?.isAtWork ?? false;
    return isAtWork || this.#feeds.keeps(unitId);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#unfollow();
    await this.#fleet.close();
    this.#feeds.close();
    this.#link?.close('This instance is stopping.');
  }

  #isServed(unitId: string): boolean {
    return this.#configs.get(unitId) !== undefined;
  }

  #known(unitId: string): ReturnType<ServedFleetParts['known']> {
    const nothing = { measurementStartTime: null, measurementStartSource: null, meter: null };
    const known = (this.#here ? this.#here.known?.(unitId) : this.#configs.known(unitId)) ?? nothing;
    return { ...known, state: this.#learned.get(unitId)?.state };
  }

  /** A unit whose config is told without a state may be another meter now. */
  #tell(units: readonly ToldUnit[], gone: readonly string[] = [], all = false): void {
    for (const unitId of all ? this.#learned.keys() : gone) this.#learned.delete(unitId);
    for (const { config, known } of units) {
      if (known?.state) this.learn(config.unitId, known.state);
      else this.#learned.delete(config.unitId);
    }
    this.#configs.tell(units, gone, all);
  }

  #publish<Kind extends EventKind>(unitId: string, kind: Kind, data: EventData[Kind]): void {
    if (kind === 'frame') {
      const frame = this.#frame(unitId, data as EventData['frame']);
      if (!this.#feeds.frame(frame)) return;
    }
    if (this.#here) this.#here.events.publish(unitId, kind, data);
    else if (this.#ready) this.#ready.event(unitId, kind, data);
    else if (!PASSING.has(kind) && this.#waiting.length < MOST_EVENTS) {
      this.#waiting.push(() => this.#publish(unitId, kind, data));
    }
  }

  #frame(unitId: string, { frame, begun, shown }: EventData['frame']): FrameOnLink {
    const { clock } = this.#parts;
    return [unitId, clock.now() + this.#ahead, clock.elapsed(), begun, shown ?? null, frame];
  }
}
