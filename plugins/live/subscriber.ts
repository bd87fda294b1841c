/** One client of many meters: its messages, their order, and which of them may be skipped. */
import {
  inSeconds,
  type LevelSettings,
  quantities,
  shownUnit,
  shownWeighting,
  UNIT_ID_WORD,
} from '../../lib/built-in.ts';
import {
  type Client,
  type DeviceConfig,
  type Host,
  type Identity,
  isGatewayError,
  type LiveFrame,
  Mailbox,
  reaches,
  type Schema,
} from '../../lib/index.ts';
import type { LiveSettings } from './schemas.ts';
import { deviceTime, type FrameWeightings } from './streams.ts';

const EVENT_NAMES = ['reading', 'frame', 'state', 'setting', 'reachability', 'config', 'alert', 'job'] as const;
export type EventName = (typeof EVENT_NAMES)[number];

const HZ: Schema = { type: 'integer', minimum: 1, maximum: 10, description: 'Most frames of one meter in a second.' };
/** The most units that a client names. */
export const MOST_FOLLOWED = 1_000;

export interface SubscriptionQuery {
  readonly units: string;
  readonly events?: string;
  readonly hz: number;
}

export const QUERY: Readonly<Record<string, Schema>> = {
  units: {
    type: 'string',
    pattern: `^(\\*|${UNIT_ID_WORD}(,${UNIT_ID_WORD})*)$`,
    default: '*',
    description: 'Units, with commas between, or * for all. Frames come only for named units, not for *.',
  },
  events: {
    type: 'string',
    pattern: `^(${EVENT_NAMES.join('|')})(,(${EVENT_NAMES.join('|')}))*$`,
    description: `Of ${EVENT_NAMES.join(', ')}, with commas between. Default: all but frame.`,
  },
  hz: { ...HZ, default: 10 },
};

/** Absent fields do not change. */
export interface SubscriptionChange {
  readonly units?: readonly string[];
  readonly events?: readonly EventName[];
  readonly hz?: number;
}

export const CHANGE: Schema = {
  title: 'Subscription',
  type: 'object',
  additionalProperties: false,
  properties: {
    units: {
      type: 'array',
      maxItems: MOST_FOLLOWED,
      items: { type: 'string', pattern: `^(\\*|${UNIT_ID_WORD})$` },
      description: 'Unit ids, or `*` for all.',
    },
    events: { type: 'array', items: { type: 'string', enum: [...EVENT_NAMES] } },
    hz: HZ,
  },
};

interface Subscription {
  /** Undefined: all units. */
  readonly units: ReadonlySet<string> | undefined;
  readonly events: ReadonlySet<EventName>;
  readonly hz: number;
}

export const subscriptionOf = ({ units, events, hz }: SubscriptionQuery): Subscription => ({
  units: unitsOf(units.split(',').slice(0, MOST_FOLLOWED)),
  events: new Set(events ? (events.split(',') as EventName[]) : EVENT_NAMES.filter((name) => name !== 'frame')),
  hz,
});

export const changed = (before: Subscription, { units, events, hz }: SubscriptionChange): Subscription => ({
  units: units ? unitsOf(units) : before.units,
  events: events ? new Set(events) : before.events,
  hz: hz ?? before.hz,
});

const unitsOf = (names: readonly string[]) => (names.includes('*') ? undefined : new Set(names));

/** Whether this client may see and has subscribed to this event of the unit. */
export const wants = ({ units, events }: Subscription, identity: Identity, name: EventName, unitId: string): boolean =>
  events.has(name) && (units === undefined || units.has(unitId)) && reaches(identity, unitId);

/** The units whose frames are wanted. */
export const streamed = ({ units, events }: Subscription, identity: Identity): readonly string[] =>
  events.has('frame') ? [...(units ?? [])].filter((unitId) => reaches(identity, unitId)) : [];

const LEVELS = quantities.quantitiesIn('frame');
/** A frame may come this much early and still count, ms: networks bunch them. */
const EARLY_MS = 50;

/** One event on its way to clients. */
export interface SubscriberEvent {
  readonly name: EventName | 'feed';
  readonly unitId: string;
  /** ms UTC. */
  readonly time: number;
  readonly data: object;
}

interface Stream {
  end: () => void;
  sentAt: number;
  readonly settings: () => LevelSettings;
}

/** Gets the events of all units and sends those that its client wants and may see. */
export class Subscriber {
  readonly #host: Host<LiveSettings>;
  readonly #client: Client<SubscriptionChange>;
  readonly #identity: Identity;
  readonly #mailbox: Mailbox;
  readonly #streams = new Map<string, Stream>();
  readonly #weightings: FrameWeightings;
  #subscription: Subscription;
  #seq = 0;

  constructor(
    host: Host<LiveSettings>,
    client: Client<SubscriptionChange>,
    identity: Identity,
    subscription: Subscription,
    weightings: FrameWeightings,
  ) {
    const { clock, settings } = host;
    this.#host = host;
    this.#client = client;
    this.#identity = identity;
    this.#subscription = subscription;
    this.#weightings = weightings;
    this.#mailbox = new Mailbox({
      clock,
      send: (message, missed) => client.send({ ...message, seq: ++this.#seq, missed }),
      buffered: () => client.buffered,
      tooSlow: () => client.close(1013, `too slow: nothing taken for ${inSeconds(settings.patience_ms)}`),
      fullBytes: settings.buffer_bytes,
      slowMs: settings.patience_ms,
    });
    client.gone.addEventListener('abort', () => this.close(), { once: true });
    client.onMessage((change) => this.change(change));
    this.#begin();
  }

  change(change: SubscriptionChange): void {
    this.#subscription = changed(this.#subscription, change);
    this.#begin();
  }

  /** Readings may be skipped, all other events are kept. */
  tell({ name, unitId, time, data }: SubscriberEvent): void {
    if (name !== 'feed' && !wants(this.#subscription, this.#identity, name, unitId)) return;
    const message = { event: name, unit_id: unitId, time: new Date(time).toISOString(), data };
    if (name === 'reading' || name === 'frame') this.#mailbox.offer(name, unitId, message);
    else this.#mailbox.keep(message, unitId);
    if (name === 'config') this.#follow();
  }

  close(): void {
    for (const { end } of this.#streams.values()) end();
    this.#streams.clear();
    this.#mailbox.close();
  }

  /** Sends the present status of all units, so that a page shows something at once. */
  #begin(): void {
    const { units, events, hz } = this.#subscription;
    const seen = this.#host.configs.list().filter((config) => this.#sees(config));
    this.#mailbox.skip();
    this.#mailbox.keep({
      event: 'hello',
      time: new Date(this.#host.clock.now()).toISOString(),
      subscription: { units: units ? [...units] : ['*'], events: [...events], hz },
      data: seen.map((config) => shownUnit(this.#host, config)),
    });
    this.#follow();
  }

  #sees({ unitId }: DeviceConfig): boolean {
    const { units } = this.#subscription;
    return (units === undefined || units.has(unitId)) && reaches(this.#identity, unitId);
  }

  #follow(): void {
    if (this.#client.gone.aborted) return;
    const wanted = new Set(streamed(this.#subscription, this.#identity));
    for (const [unitId, { end }] of this.#streams) {
      if (wanted.has(unitId)) continue;
      this.#streams.delete(unitId);
      end();
    }
    for (const unitId of wanted) if (!this.#streams.has(unitId)) this.#watch(unitId);
  }

  /** A unit without a config, or with TCP switched off, is watched as soon as its config allows it. */
  #watch(unitId: string): void {
    try {
      const meter = this.#host.meter(unitId);
      const { feed } = meter;
      if (feed.watchers >= this.#host.settings.streams_per_unit) {
        this.#feed(unitId, 'lost', 'Too many viewers watch this meter.');
        return;
      }
      const settings = () => meter.deviceState;
      const stream: Stream = { end: () => {}, sentAt: Number.NEGATIVE_INFINITY, settings };
      this.#streams.set(unitId, stream);
      stream.end = feed.watch({
        frame: (frame) => {
          this.#frame(unitId, frame);
          this.#weightings.see(meter, this.#client.gone);
        },
        status: (status, detail) => this.#feed(unitId, status, detail),
        end: (_reason, detail) => {
          this.#streams.delete(unitId);
          this.#feed(unitId, 'lost', detail);
        },
      });
    } catch (error) {
      if (!isGatewayError(error)) throw error;
      this.#feed(unitId, 'lost', error.message);
    }
  }

  #feed(unitId: string, status: string, detail: string): void {
    this.tell({ name: 'feed', unitId, time: this.#host.clock.now(), data: { status, detail } });
  }

  #frame(unitId: string, { at, shown, frame: { counter, main } }: LiveFrame): void {
    const stream = this.#streams.get(unitId);
    const now = this.#host.clock.elapsed();
    if (!stream || now - stream.sentAt < 1_000 / this.#subscription.hz - EARLY_MS) return;
    stream.sentAt = now;
    const { over, under, implausible } = main;
    const levels = quantities.withoutUnsent(
      quantities.levelsBy(LEVELS, (name) => (main[name] === null ? null : Number(main[name]))),
    );
    const flags = { over_range: over, under_range: under, implausible: implausible !== undefined };
    this.tell({
      name: 'frame',
      unitId,
      time: at,
      data: { counter, ...levels, ...flags, device_time: deviceTime(shown), ...shownWeighting(stream.settings()) },
    });
  }
}
