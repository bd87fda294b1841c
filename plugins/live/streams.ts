/** The WebSocket clients of the fast stream: their messages, their number, and why a client is closed. */
import {
  clockText,
  type FeedEnd,
  inSeconds,
  quantities,
  type Reachability,
  shownValues,
  shownWeighting,
} from '../../lib/built-in.ts';
import {
  type Client,
  GatewayError,
  type Host,
  isGatewayError,
  type LiveFrame,
  Mailbox,
  type Meter,
  messageOf,
} from '../../lib/index.ts';
import type { LiveSettings } from './schemas.ts';

/** In the form of GET clock: `2026-11-21,07:00:00`. `shown`: ms, as if the clock were in UTC; null: not known. */
export const deviceTime = (shown: number | null): string | null =>
  shown === null ? null : clockText(shown).replace(' ', ',');

/** Polling and recording ask first. ms */
const PATIENCE_MS = 10_000;
const AGAIN_MS = 60_000;

/**
 * Frames contain the weightings of their levels. Polling and recording read those of their meters. Other meters are
 * asked once the stream has run for a while.
 */
export class FrameWeightings {
  readonly #host: Pick<Host, 'clock' | 'log'>;
  /** The time from which the weightings of a meter may be asked for, on the monotonic clock. */
  readonly #due = new WeakMap<Meter, number>();

  constructor(host: Pick<Host, 'clock' | 'log'>) {
    this.#host = host;
  }

  see(meter: Meter, signal: AbortSignal): void {
    const { frequencyWeighting, timeWeighting } = meter.deviceState;
    if (frequencyWeighting !== null && timeWeighting !== null) this.#due.delete(meter);
    else if (meter.can('weightings')) this.#askWhenDue(meter, signal);
  }

  #askWhenDue(meter: Meter, signal: AbortSignal): void {
    const now = this.#host.clock.elapsed();
    const due = this.#due.get(meter) ?? now + PATIENCE_MS;
    this.#due.set(meter, now < due ? due : now + AGAIN_MS);
    if (now >= due) void this.#ask(meter, signal);
  }

  async #ask(meter: Meter, signal: AbortSignal): Promise<void> {
    try {
      await meter.perform('weightings', { signal, deadlineMs: AGAIN_MS, priority: 'background' });
    } catch (error) {
      if (signal.aborted) return;
      const level = isGatewayError(error) ? 'info' : 'error';
      this.#host.log[level]({ unit_id: meter.unitId, error: messageOf(error) }, 'the weightings could not be read');
    }
  }
}

/** Pause for clients that were refused, s: pages are closed all the time. */
const RETRY_AFTER_S = 10;

/** Counts the clients. Errors: TOO_MANY_STREAMS. */
export class StreamLimit {
  readonly #settings: LiveSettings;
  /** The unit that each client watches; undefined: many units. */
  readonly #clients = new Map<Client, string | undefined>();

  constructor(settings: LiveSettings) {
    this.#settings = settings;
  }

  /** Before the upgrade. Errors: TOO_MANY_STREAMS. */
  check(unitId?: string): void {
    const refused = this.#refusal(unitId);
    if (refused)
      throw new GatewayError('TOO_MANY_STREAMS', refused, { headers: { 'Retry-After': `${RETRY_AFTER_S}` } });
  }

  /** False, and the client is closed, if other clients took its place since it was admitted. */
  enter(client: Client, unitId?: string): boolean {
    const refused = this.#refusal(unitId);
    if (refused) client.close(1013, refused);
    if (refused || client.gone.aborted) return false;
    this.#clients.set(client, unitId);
    client.gone.addEventListener('abort', () => this.#clients.delete(client), { once: true });
    return true;
  }

  get clients(): ReadonlyMap<Client, string | undefined> {
    return this.#clients;
  }

  #refusal(unitId: string | undefined): string | undefined {
    const { streams, streams_per_unit: most } = this.#settings;
    if (this.#clients.size >= streams) return `Too many streams are open: at most ${streams}.`;
    if (unitId === undefined) return undefined;
    let ofUnit = 0;
    for (const watched of this.#clients.values()) if (watched === unitId) ofUnit += 1;
    return ofUnit >= most ? `Too many streams of this meter are open: at most ${most}.` : undefined;
  }
}

const CLOSE: Readonly<Record<FeedEnd, 1001 | 1008 | 1011>> = { stopping: 1001, removed: 1008, failed: 1011 };

const LEVELS = quantities.quantitiesIn('frame');

export const createStreams = (host: Host<LiveSettings>, limit: StreamLimit, weightings: FrameWeightings) => ({
  open(client: Client, meter: Meter): void {
    if (!limit.enter(client, meter.unitId)) return;
    sendLastValues(host, client, meter);
    watch(client, meter, host, weightings);
  },
  /** Sends a change of the reachability to the viewers of the unit. */
  tell(unitId: string, { state, reason, consecutiveFailures }: Reachability): void {
    const timestamp = new Date(host.clock.now()).toISOString();
    const about = { reachability: state, reason, consecutive_failures: consecutiveFailures };
    for (const [client, watched] of limit.clients) {
      if (watched === unitId) client.send({ unit_id: unitId, timestamp, ...about });
    }
  },
  stop(): void {
    for (const client of limit.clients.keys()) client.close(1001, 'the gateway is stopping');
  },
});

/** Until its first frame comes, a new viewer has the last known values. If the stream runs, a frame comes at once. */
function sendLastValues({ status, configs, clock }: Host<LiveSettings>, client: Client, { unitId, feed }: Meter): void {
  const known = status.of(unitId);
  const interval = configs.get(unitId)?.pollIntervalSeconds;
  if ((feed.watchers > 0 && feed.state === 'ok') || known.values.lastSeen === null || interval === undefined) return;
  const timestamp = new Date(clock.now()).toISOString();
  client.send({ unit_id: unitId, timestamp, last_values: shownValues(known, interval) });
}

function watch(client: Client, meter: Meter, host: Host<LiveSettings>, weightings: FrameWeightings): void {
  const { clock, settings } = host;
  let seq = 0;
  let last: LiveFrame | undefined;
  let leftOut = 0;
  const mailbox = new Mailbox<LiveFrame>({
    clock,
    send(frame, missed) {
      const counts = `"seq":${++seq},"missed":${missed},"lost_at_meter":${leftOut}`;
      leftOut = 0;
      client.send(`${sharedText(meter, frame)},${counts}}`);
    },
    buffered: () => client.buffered,
    tooSlow: () => client.close(1013, `too slow: nothing taken for ${inSeconds(settings.patience_ms)}`),
    fullBytes: settings.buffer_bytes,
    slowMs: settings.patience_ms,
  });
  const unwatch = meter.feed.watch({
    frame(frame) {
      leftOut += framesBetween(last, frame, meter.family.stream?.lastCounter ?? 0);
      last = frame;
      mailbox.offer('frame', meter.unitId, frame);
      weightings.see(meter, client.gone);
    },
    status(status, detail) {
      const timestamp = new Date(clock.now()).toISOString();
      client.send({ unit_id: meter.unitId, timestamp, feed_status: status, detail });
    },
    end(reason, detail) {
      mailbox.close();
      client.close(CLOSE[reason], detail);
    },
  });
  const gone = () => {
    unwatch();
    mailbox.close();
  };
  client.gone.addEventListener('abort', gone, { once: true });
}

/** The number of frames in one run of the stream that the counter of the meter skipped. A new run counts from 1. */
function framesBetween(before: LiveFrame | undefined, now: LiveFrame, lastCounter: number): number {
  if (!before || before.begun !== now.begun || lastCounter === 0) return 0;
  return (now.frame.counter - before.frame.counter - 1 + lastCounter) % lastCounter;
}

/** A frame does not contain the state, so this is the state that the gateway last saw or set. */
const stateOf = ({ deviceState: { measuring } }: Meter) => (measuring === null ? null : measuring ? 'Measure' : 'Stop');

/** The same text for all viewers of a frame, without its closing brace. It is made once: with many viewers this is most of the work. */
function sharedText(meter: Meter, frame: LiveFrame): string {
  const text = sharedTexts.get(frame) ?? JSON.stringify(message(meter, frame)).slice(0, -1);
  sharedTexts.set(frame, text);
  return text;
}

const sharedTexts = new WeakMap<LiveFrame, string>();

const message = (meter: Meter, { at, shown, frame: { counter, main } }: LiveFrame) => ({
  unit_id: meter.unitId,
  timestamp: new Date(at).toISOString(),
  counter,
  ...quantities.withoutUnsent(quantities.levelsBy(LEVELS, (name) => main[name] ?? null)),
  over_range: main.over,
  under_range: main.under,
  measurement_state: stateOf(meter),
  device_time: deviceTime(shown),
  ...shownWeighting(meter.deviceState),
});
