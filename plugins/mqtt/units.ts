/**
 * The messages about units, made from events. It sends no command to a meter: it publishes values that the gateway has
 * read anyway. Levels have a limited rate; a state is published when it changes.
 */
import { type Clock, type DeviceConfig, type GatewayEvent, type Host, iso } from '../../lib/index.ts';
import type { Permits } from '../permits/index.ts';
import {
  ALL_PART_NAMES,
  type DiscoveryParts,
  discoveryOf,
  discoveryTopic,
  partNames,
  topicsOfParts,
} from './discovery.ts';
import {
  availabilityOf,
  batteryOf,
  cardOf,
  hasBattery,
  hasCard,
  hasLevels,
  levelMessage,
  levelsOfFrame,
  OpenAlerts,
  type Payload,
  QuarterMessages,
  stateOf,
} from './messages.ts';
import type { Message } from './outgoing-queue.ts';
import type { MqttSettings } from './settings.ts';
import type { Topics, UnitTopic } from './topics.ts';

interface Wait<T> {
  newest: T | undefined;
  readonly cancel: () => void;
}

/** Passes on at most one value of each unit in a span of time: the first at once, then the newest. */
export class Throttle<T> {
  readonly #clock: Clock;
  readonly #minMs: number;
  readonly #tell: (unitId: string, value: T) => void;
  readonly #waits = new Map<string, Wait<T>>();

  /** `tell` gets a value at most every `minMs`, of each unit. */
  constructor(clock: Clock, minMs: number, tell: (unitId: string, value: T) => void) {
    this.#clock = clock;
    this.#minMs = minMs;
    this.#tell = tell;
  }

  offer(unitId: string, value: T): void {
    const wait = this.#waits.get(unitId);
    if (wait) wait.newest = value;
    else this.#begin(unitId, value);
  }

  forget(unitId: string): void {
    this.#waits.get(unitId)?.cancel();
    this.#waits.delete(unitId);
  }

  stop(): void {
    for (const unitId of [...this.#waits.keys()]) this.forget(unitId);
  }

  #begin(unitId: string, value: T): void {
    const cancel = this.#clock.after(this.#minMs, () => {
      const newest = this.#waits.get(unitId)?.newest;
      this.#waits.delete(unitId);
      if (newest !== undefined) this.#begin(unitId, newest);
    });
    this.#waits.set(unitId, { newest: undefined, cancel });
    this.#tell(unitId, value);
  }
}

/** Changes that come together make one message, ms. */
const GATHER_MS = 200;
/** How often to check whether levels have become old or frozen, since this raises no event, ms. */
const LOOK_MS = 10_000;
/** The most units that were removed since the start: their retained messages are removed again with each connection. */
const MOST_REMOVED = 1_000;
const RETAINED = [
  'availability',
  'state',
  'levels',
  'leq_15m',
  'leq_1h',
  'battery',
  'card',
  'alerts',
  'verdict',
] as const;

export class Units {
  readonly #host: Host<MqttSettings>;
  readonly #permits: Permits;
  readonly #topics: Topics;
  readonly #send: (message: Message) => void;
  /** A frame, or null after a reading of the display. */
  readonly #levels: Throttle<GatewayEvent<'frame'> | null>;
  readonly #quarters: QuarterMessages;
  readonly #alerts = new OpenAlerts();
  readonly #ofQuarter = new Map<string, Message>();
  readonly #parts = new Map<string, readonly string[]>();
  readonly #published = new Map<string, string>();
  readonly #changed = new Set<string>();
  readonly #removed = new Set<string>();
  #cancelGather: (() => void) | undefined;
  #cancelLook: () => void;

  constructor(host: Host<MqttSettings>, permits: Permits, topics: Topics, send: (message: Message) => void) {
    this.#host = host;
    this.#permits = permits;
    this.#topics = topics;
    this.#send = send;
    this.#levels = new Throttle(host.clock, host.settings.levels_min_ms, (unitId, frame) => {
      if (frame) this.#tellFrame(frame);
      this.#tell(unitId, 'levels', levelMessage(host, unitId, frame ?? undefined));
    });
    this.#quarters = new QuarterMessages(host, permits, (unitId, topic, values) => {
      const config = this.#config(unitId);
      if (!config || (topic !== 'verdict' && config.history === 'off')) return;
      if (topic === 'verdict') this.#announce(config);
      const name = this.#topics.of(unitId, topic);
      if (!values && this.#ofQuarter.has(name)) this.#take({ topic: name, payload: '', retain: true });
      if (!values) return;
      const message = this.#message(unitId, topic, values);
      this.#ofQuarter.set(name, message);
      this.#once(message);
    });
    host.on('reading', (event) => this.#reading(event));
    host.on('frame', (event) => this.#levels.offer(event.unitId, event));
    host.on('state', ({ unitId }) => this.#settings(unitId));
    host.on('reachability', ({ unitId }) => this.#mark(unitId));
    host.on('config', ({ unitId }) => this.#configured(unitId));
    host.on('alert', (event) => this.#alert(event));
    this.#cancelLook = this.#look();
  }

  /** The availability of all units, for the beginning of a connection. */
  *greeting(): Iterable<Message> {
    for (const unitId of this.#removed) yield* this.#removal(unitId);
    for (const config of this.#host.configs.list()) {
      if (!this.#config(config.unitId)) {
        // It may have been published before an earlier start.
        yield* this.#removal(config.unitId);
        continue;
      }
      // Home Assistant may know every part from an earlier start.
      const gone = this.#goneOf(config, ALL_PART_NAMES);
      yield* this.#discovery(config, gone);
      yield* this.#emptied(config.unitId, gone);
      yield this.#availability(config.unitId);
    }
  }

  /** The present state of every unit: the broker may have lost its retained messages. */
  *current(): Iterable<Message> {
    const host = this.#host;
    for (const { unitId } of host.configs.list()) {
      if (!this.#config(unitId)) continue;
      yield this.#availability(unitId);
      const parts = {
        state: this.#timed(stateOf(host, unitId)),
        levels: levelMessage(host, unitId),
        battery: batteryOf(host, unitId),
        card: cardOf(host, unitId),
        alerts: this.#alerts.of(unitId, host.clock.now()),
      };
      for (const [topic, values] of Object.entries(parts)) {
        if (values) yield this.#message(unitId, topic as UnitTopic, values);
      }
      for (const topic of ['leq_15m', 'leq_1h', 'verdict'] as const) {
        const last = this.#ofQuarter.get(this.#topics.of(unitId, topic));
        if (last) yield last;
      }
    }
  }

  stop(): void {
    this.#levels.stop();
    this.#quarters.stop();
    this.#cancelGather?.();
    this.#cancelLook();
  }

  /** Undefined also for a unit that is not published. */
  #config(unitId: string): DeviceConfig | undefined {
    const { configs, settings } = this.#host;
    const config = configs.get(unitId);
    return settings.tags.length === 0 || config?.tags.some((tag) => settings.tags.includes(tag)) ? config : undefined;
  }

  #reading({ unitId, data: { values } }: GatewayEvent<'reading'>): void {
    if (hasLevels(values)) this.#levels.offer(unitId, null);
    if (hasBattery(values)) this.#tell(unitId, 'battery', batteryOf(this.#host, unitId));
    if (hasCard(values)) this.#tell(unitId, 'card', cardOf(this.#host, unitId));
    this.#mark(unitId);
  }

  #configured(unitId: string): void {
    const config = this.#config(unitId);
    if (config) {
      this.#removed.delete(unitId);
      this.#announce(config);
      this.#mark(unitId);
      return;
    }
    this.#levels.forget(unitId);
    this.#alerts.forget(unitId);
    this.#parts.delete(unitId);
    this.#changed.delete(unitId);
    this.#removed.add(unitId);
    const [oldest] = this.#removed;
    if (this.#removed.size > MOST_REMOVED && oldest !== undefined) this.#removed.delete(oldest);
    for (const message of this.#removal(unitId)) this.#take(message);
  }

  #take(message: Message): void {
    this.#published.delete(message.topic);
    this.#ofQuarter.delete(message.topic);
    this.#send(message);
  }

  #alert(event: GatewayEvent<'alert'>): void {
    const { unitId, time, data } = event;
    if (unitId !== '' && !this.#config(unitId)) return;
    const topic = unitId === '' ? this.#topics.alert : this.#topics.of(unitId, 'alert');
    this.#send({ topic, payload: JSON.stringify({ time: iso(time), ...data }), retain: false });
    if (this.#alerts.see(event)) this.#tell(unitId, 'alerts', this.#alerts.of(unitId, time));
  }

  /** The settings of the levels were read after the levels, or have changed: names in Home Assistant follow. */
  #settings(unitId: string): void {
    const config = this.#config(unitId);
    if (!config) return;
    this.#mark(unitId);
    this.#announce(config);
    if (this.#published.has(this.#topics.of(unitId, 'levels'))) this.#levels.offer(unitId, null);
  }

  /** Not retained: a frame is about its moment only. */
  #tellFrame(frame: GatewayEvent<'frame'>): void {
    const { unitId } = frame;
    if (!this.#config(unitId)) return;
    this.#send({ ...this.#message(unitId, 'frame', levelsOfFrame(this.#host, frame)), retain: false });
  }

  #mark(unitId: string): void {
    this.#changed.add(unitId);
    this.#cancelGather ??= this.#host.clock.after(GATHER_MS, () => {
      this.#cancelGather = undefined;
      for (const changed of this.#changed) this.#tellState(changed);
      this.#changed.clear();
    });
  }

  #look(): () => void {
    return this.#host.clock.after(LOOK_MS, () => {
      for (const { unitId } of this.#host.configs.list()) this.#tellState(unitId);
      this.#cancelLook = this.#look();
    });
  }

  /** States are compared without their time. */
  #tellState(unitId: string): void {
    const state = this.#config(unitId) && stateOf(this.#host, unitId);
    if (!state) return;
    this.#once(this.#availability(unitId));
    const message = this.#message(unitId, 'state', this.#timed(state) ?? state);
    if (this.#isNew(message.topic, JSON.stringify(state))) this.#send(message);
  }

  #tell(unitId: string, topic: UnitTopic, values: Payload | undefined): void {
    if (values && this.#config(unitId)) this.#once(this.#message(unitId, topic, values));
  }

  #once(message: Message): void {
    if (this.#isNew(message.topic, message.payload)) this.#send(message);
  }

  #isNew(topic: string, text: string): boolean {
    if (this.#published.get(topic) === text) return false;
    this.#published.set(topic, text);
    return true;
  }

  #timed(values: Payload | undefined): Payload | undefined {
    return values && { time: iso(this.#host.clock.now()), ...values };
  }

  #message(unitId: string, topic: UnitTopic, values: Payload): Message {
    return { topic: this.#topics.of(unitId, topic), payload: JSON.stringify(values), retain: true };
  }

  #availability(unitId: string): Message {
    const payload = availabilityOf(this.#host, unitId);
    return { topic: this.#topics.of(unitId, 'availability'), payload, retain: true };
  }

  #announce(config: DeviceConfig): void {
    const before = this.#parts.get(config.unitId) ?? [];
    const gone = this.#goneOf(config, before);
    for (const message of this.#discovery(config, gone)) this.#once(message);
    for (const message of this.#emptied(config.unitId, gone)) this.#take(message);
  }

  #goneOf(config: DeviceConfig, before: readonly string[]): string[] {
    const names = partNames(this.#about(config));
    this.#parts.set(config.unitId, names);
    return before.filter((name) => !names.includes(name));
  }

  /**
   * First a document that has only the platform of removed parts: with it Home Assistant removes them. Then a document
   * without them, which the broker keeps. Empty if Home Assistant is switched off: this removes the devices of an earlier start.
   */
  #discovery(config: DeviceConfig, gone: readonly string[]): Message[] {
    const { topic: base, home_assistant } = this.#host.settings;
    const topic = this.#discoveryTopic(config.unitId);
    if (!home_assistant) return [{ topic, payload: '', retain: true }];
    const about = this.#about(config);
    const documents = gone.length > 0 ? [gone, []] : [[]];
    return documents.map((removed) => {
      const payload = JSON.stringify(discoveryOf(base, this.#topics, about, removed));
      return { topic, payload, retain: true };
    });
  }

  #emptied(unitId: string, gone: readonly string[]): Message[] {
    const topics = topicsOfParts(gone);
    return RETAINED.filter((topic) => topics.has(topic)).map((topic) => ({
      topic: this.#topics.of(unitId, topic),
      payload: '',
      retain: true,
    }));
  }

  #about(config: DeviceConfig): DiscoveryParts {
    const { levelSettings: settings, values } = this.#host.status.of(config.unitId);
    const serialNumber = values.meter?.serialNumber ?? null;
    return {
      config,
      settings,
      serialNumber,
      isJudged: this.#permits.of(config).length > 0,
      buttons: this.#host.settings.commands,
    };
  }

  #removal(unitId: string): Message[] {
    const topics = [this.#discoveryTopic(unitId), ...RETAINED.map((topic) => this.#topics.of(unitId, topic))];
    return topics.map((topic) => ({ topic, payload: '', retain: true }));
  }

  #discoveryTopic(unitId: string): string {
    const { topic, home_assistant_prefix } = this.#host.settings;
    return discoveryTopic(home_assistant_prefix, topic, unitId);
  }
}
