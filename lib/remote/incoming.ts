/** What the serving instance sends, read and handed on. It is the same program; what does not fit ends the link, and harms nobody. */
import { isUnitId } from '../domain/ids.ts';
import type { EventData, EventKind, EventStream, WireTaps } from '../events/contract.ts';
import type { Log } from '../log.ts';
import type { LiveFrame } from '../meter/contract.ts';
import type { LinkCalls } from './link-calls.ts';
import type { LinkTime } from './link-time.ts';
import type { LinkedWorks } from './linked-works.ts';
import { type FrameOnLink, LINK_VERSION, type ServingMessage } from './messages.ts';
import type { RemoteMeter } from './remote-meter.ts';

/** Who gets it. */
export interface IncomingParts {
  readonly calls: LinkCalls;
  readonly works: LinkedWorks;
  readonly time: LinkTime;
  readonly events: Pick<EventStream, 'publish'>;
  readonly taps: Pick<WireTaps, 'of'> | undefined;
  readonly log: Pick<Log, 'warn'>;
  /** Undefined: there is no such unit any more. */
  readonly meter: (unitId: string) => RemoteMeter | undefined;
  readonly onStrange: (why: string) => void;
  /** So many frames have come. False: they are not taken. */
  readonly onFrames: (count: number) => boolean;
}

/** What a fleet publishes; the frames come by themselves. */
const EVENTS: ReadonlySet<string> = new Set<EventKind>([
  ...(['state', 'exchange', 'identity', 'reachability', 'command', 'clock', 'connection'] as const),
]);

const FEED_STATUSES: readonly string[] = ['ok', 'interrupted', 'lost'];
const FEED_ENDS: readonly string[] = ['removed', 'stopping', 'failed'];

/** Of one link. */
export class Incoming {
  readonly #parts: IncomingParts;

  constructor(parts: IncomingParts) {
    this.#parts = parts;
  }

  take(message: unknown): void {
    if (isServingMessage(message) && this.#hand(message)) return;
    this.#parts.onStrange('A message came that cannot be understood.');
  }

  /** False: it does not fit. */
  #hand(message: ServingMessage): boolean {
    const { calls, works, time, onStrange } = this.#parts;
    switch (message.kind) {
      case 'frames':
        return this.#frames(message.frames, message.lost);
      case 'pong':
        if (message.version !== LINK_VERSION)
          onStrange(`The other instance speaks version ${message.version} of the link.`);
        else time.pong(message.id, message.elapsed);
        return true;
      case 'answer':
        if (!isObject(message.outcome)) return false;
        calls.answer(message.id, message.outcome, message.ageMs);
        return true;
      case 'turn':
        works.turn(message.id);
        return true;
      case 'mirror':
        for (const [unitId, patch] of message.units) this.#parts.meter(unitId)?.mirror(patch);
        return true;
      case 'event':
        return this.#event(message);
      case 'watched':
        this.#parts.meter(message.unit)?.watched();
        return true;
      case 'last':
        return this.#last(message.frame);
      case 'line':
        this.#parts.taps?.of(message.unit)?.(message.line);
        return true;
      default:
        return this.#feed(message);
    }
  }

  /** Thousands a second: only what costs nothing is looked at. */
  #frames(frames: readonly FrameOnLink[], lost: Readonly<Record<string, number>> | undefined): boolean {
    const { events, meter, log, onFrames } = this.#parts;
    if (!onFrames(frames.length)) return true;
    for (const [unitId, count] of Object.entries(lost ?? {})) {
      log.warn({ unit_id: unitId, frames: count }, 'frames were lost while no gateway was there');
    }
    for (const entry of frames) {
      const live = this.#live(entry);
      if (!live) return false;
      const of = meter(entry[0]);
      if (!of) continue;
      // Of a stream that goes on a little after its last watcher.
      if (of.hears) {
        of.feed.status('ok', '');
        of.feed.publish(live);
      }
      const { frame, begun, shown } = live;
      events.publish(entry[0], 'frame', { frame, begun, shown });
    }
    return true;
  }

  #live([unitId, at, elapsed, begun, shown, frame]: FrameOnLink): LiveFrame | undefined {
    if (typeof unitId !== 'string' || typeof at !== 'number') return undefined;
    if (typeof elapsed !== 'number' || typeof begun !== 'number') return undefined;
    if (typeof frame !== 'object' || typeof frame?.counter !== 'number') return undefined;
    const { offset } = this.#parts.time;
    return { at, elapsed: elapsed + offset, begun: begun + offset, shown, frame };
  }

  #last(entry: FrameOnLink): boolean {
    const live = this.#live(entry);
    const meter = this.#parts.meter(entry[0]);
    if (live && meter?.hears) meter.feed.publish(live);
    return live !== undefined;
  }

  #event({ unit, event, data }: Extract<ServingMessage, { kind: 'event' }>): boolean {
    if (!EVENTS.has(event) || !isObject(data) || !isUnitId(unit)) return false;
    const kind = event as EventKind;
    if (this.#parts.meter(unit)) this.#parts.events.publish(unit, kind, data as EventData[EventKind]);
    return true;
  }

  #feed(message: Extract<ServingMessage, { kind: 'feed' | 'end' }>): boolean {
    const meter = this.#parts.meter(message.unit);
    if (message.kind === 'feed') {
      if (!FEED_STATUSES.includes(message.status)) return false;
      if (meter?.hears) meter.feed.status(message.status, message.detail);
      return true;
    }
    if (!FEED_ENDS.includes(message.reason)) return false;
    if (meter?.hears) meter.feed.end(message.reason, message.detail);
    return true;
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isNumber = (value: unknown): boolean => typeof value === 'number';
const isText = (value: unknown): boolean => typeof value === 'string';

/** The members that are used by kind, and what they must be. */
const MEMBERS: Readonly<Record<ServingMessage['kind'], Readonly<Record<string, (value: unknown) => boolean>>>> = {
  pong: { id: isNumber, version: isNumber, elapsed: isNumber },
  answer: { id: isNumber, outcome: isObject },
  turn: { id: isNumber },
  mirror: { units: Array.isArray },
  event: { unit: isText, event: isText, data: isObject },
  frames: { frames: Array.isArray },
  watched: { unit: isText },
  last: { frame: Array.isArray },
  feed: { unit: isText, status: isText, detail: isText },
  end: { unit: isText, reason: isText, detail: isText },
  line: { unit: isText, line: isObject },
};

function isServingMessage(value: unknown): value is ServingMessage {
  if (!isObject(value) || !('kind' in value) || typeof value.kind !== 'string') return false;
  if (!Object.hasOwn(MEMBERS, value.kind)) return false;
  const members = MEMBERS[value.kind as ServingMessage['kind']];
  return Object.entries(members).every(([name, check]) => check(Reflect.get(value, name)));
}
