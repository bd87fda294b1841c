/** The connection between the gateway and one meter, for people who look for a fault. From memory: the meter is not contacted. */
import {
  CLOCK_OFFSET,
  type DeviceState,
  indices,
  LAST_ERROR,
  METER_COUNTER_NAMES,
  type MeterReport,
  type Reachability,
  shownClockOffset,
  shownReachability,
  snakeCase,
  TIME_OR_NULL,
} from '../../lib/built-in.ts';
import {
  type DeviceConfig,
  type Host,
  type Identity,
  iso,
  named,
  orNull,
  type Plugin,
  reaches,
  type Schema,
  TIME,
  whole,
} from '../../lib/index.ts';

interface Bytes {
  readonly sent: number;
  readonly received: number;
}

interface Today extends Bytes {
  /** `YYYY-MM-DD` of the local calendar. */
  readonly date: string;
  /** Local midnight, or later if the counting began later; ms UTC. */
  readonly since: number;
}

interface Counted {
  readonly zone: string;
  readonly day: indices.LocalDay;
  readonly since: number;
  readonly before: Bytes;
}

/** At each quarter of an hour it is midnight in some zone. The wall clock may have been set, too. */
const LOOK_MS = 15 * 60_000;

/** The growth of the counters of each unit since midnight in its zone. Counts from the first request on. */
class DayBytes {
  readonly #host: Host;
  readonly #units = new Map<string, Counted>();
  /** By zone, since most units share a zone. */
  readonly #days = new Map<string, indices.LocalDay>();
  #disarm = () => {};

  constructor(host: Host) {
    this.#host = host;
    host.configs.onChange((unitId, config) => this.#take(unitId, config), ['timezone']);
    host.onStop(() => this.#disarm());
    this.#lookAround();
  }

  of(config: DeviceConfig): Today {
    const { day, since, before } = this.#count(config);
    const { sent, received } = this.#totals(config.unitId);
    return { date: day.date, since, sent: sent - before.sent, received: received - before.received };
  }

  #lookAround(): void {
    for (const config of this.#host.configs.list()) this.#count(config);
    const { clock } = this.#host;
    this.#disarm = clock.after(LOOK_MS - (clock.now() % LOOK_MS), () => this.#lookAround());
  }

  #take(unitId: string, config: DeviceConfig | undefined): void {
    if (config) this.#count(config);
    else this.#units.delete(unitId);
  }

  /** Begins at zero each day. In another zone it goes on if all counted bytes belong to the day there, too. */
  #count({ unitId, timezone: zone }: DeviceConfig): Counted {
    const now = this.#host.clock.now();
    const present = this.#units.get(unitId);
    const day = this.#day(zone, now);
    if (present?.zone === zone && present.day === day) return present;
    const goesOn = present && present.since >= day.from && present.since <= now;
    const isNext = present?.zone === zone && now >= present.day.to;
    const begun = { since: isNext ? day.from : now, before: this.#totals(unitId) };
    const { since, before } = goesOn ? present : begun;
    const counted = { zone, day, since, before };
    this.#units.set(unitId, counted);
    return counted;
  }

  #day(zone: string, now: number): indices.LocalDay {
    const present = this.#days.get(zone);
    if (present && now >= present.from && now < present.to) return present;
    const [day] = indices.localDays(zone, { from: now, to: now + 1 });
    if (!day) throw new RangeError(`${zone} has no day at ${now}`);
    this.#days.set(zone, day);
    return day;
  }

  #totals(unitId: string): Bytes {
    const commands = this.#host.counters(unitId);
    const { bytesSent, bytesReceived } = this.#host.card(unitId).traffic;
    return {
      sent: (commands?.bytesSent ?? 0) + bytesSent,
      received: (commands?.bytesReceived ?? 0) + bytesReceived,
    };
  }
}

const PERHAPS_TEXT: Schema = { type: ['string', 'null'] };
const TEXT: Schema = { type: 'string' };
const COUNT: Schema = { type: 'integer', minimum: 0 };
const SECONDS: Schema = { type: 'number', minimum: 0 };
const FLAG: Schema = { type: ['boolean', 'null'] };

/** For a person. */
export const STATE_WORDS: Readonly<Record<MeterReport['state'], string>> = {
  idle: 'No connection is open; the next command opens one.',
  ready: 'The connection is open; no command is running.',
  dialling: 'The connection is being opened.',
  exchanging: 'A command was sent; the gateway waits for the reply.',
  streaming: 'The fast stream runs.',
  draining: 'The fast stream is being ended.',
  closed: 'The session is over.',
};

const DATA = named('Session', {
  unit_id: TEXT,
  tcp_enabled: { type: 'boolean' },
  state: { type: 'string', enum: Object.keys(STATE_WORDS) },
  state_text: TEXT,
  reservation: orNull(
    whole(
      { operation: TEXT, since: TIME, held_s: SECONDS, callers: COUNT },
      { description: 'The operation that has reserved the meter; null: no operation.' },
    ),
  ),
  waiting: {
    type: 'array',
    description: 'In the order in which they are sent.',
    items: whole({
      operation: TEXT,
      priority: { type: 'string', enum: ['operator', 'background'] },
      waited_s: SECONDS,
      callers: { ...COUNT, description: 'Callers that share this operation.' },
    }),
  },
  watchers: { ...COUNT, description: 'WebSocket clients of the fast stream.' },
  connection: whole({
    open: { type: 'boolean' },
    since: TIME_OR_NULL,
    last_ending: orNull(whole({ by: { type: 'string', enum: ['us', 'peer', 'fault'] }, reason: TEXT, at: TIME })),
    retry_in_s: {
      ...orNull(SECONDS),
      description: 'After failures: until a background reading connects again; an operator waits less. null: at once.',
    },
  }),
  reachability: whole({
    state: { type: 'string', enum: ['unknown', 'online', 'degraded', 'offline', 'asleep?', 'wedged'] },
    reason: TEXT,
    since: TIME_OR_NULL,
    last_success: TIME_OR_NULL,
    consecutive_failures: COUNT,
    last_error: orNull(LAST_ERROR),
  }),
  device_state: whole(
    {
      measuring: FLAG,
      paused: FLAG,
      store_name: PERHAPS_TEXT,
      frequency_weighting: PERHAPS_TEXT,
      time_weighting: PERHAPS_TEXT,
    },
    {
      description: 'The state that the gateway last saw or set; null: unknown. The weightings are of the main channel.',
    },
  ),
  clock: CLOCK_OFFSET,
  meter: whole(
    {
      serial_number: PERHAPS_TEXT,
      exchanged: orNull(
        whole(
          { from: TEXT, to: TEXT, at: TIME },
          { description: 'Serial numbers, if another meter answers than before, and when the gateway noticed it.' },
        ),
      ),
    },
    {
      description:
        'Which meter answers; null until it was read after a change of the address. `exchanged`: since the gateway started.',
    },
  ),
  shared_with: {
    type: 'array',
    description:
      'Other units whose config names the same meter under another address; the gateway notices it when it connects. They take turns; keep only one of them. Only units that the API key may see.',
    items: TEXT,
  },
  unreadable: {
    type: 'array',
    description:
      'Replies that arrived whole but could not be read, and were not followed by a readable one: at most 16. After three in a row the gateway itself asks only once an hour.',
    items: whole({ command: TEXT, raw: TEXT, at: TIME, times: { ...COUNT, description: 'In a row.' } }),
  },
  strange_line: orNull(
    whole(
      { raw: TEXT, at: TIME },
      {
        description:
          'The last line that was not a reply of a meter, for example the greeting of another service at this address. null: no such line, or the role of the API key is not admin.',
      },
    ),
  ),
  ftp: whole(
    { sessions: COUNT, bytes_sent: COUNT, bytes_received: COUNT },
    { description: 'The card of the meter since the gateway started: control and data connections together.' },
  ),
  today: whole(
    {
      date: { ...TEXT, description: 'Local day of the unit.' },
      since: { ...TIME, description: 'Midnight there, or later: when the gateway began to count on that day.' },
      bytes_sent: COUNT,
      bytes_received: COUNT,
    },
    { description: 'Commands and card together, without the overhead of TCP/IP.' },
  ),
  counters: orNull(
    whole(
      { counted_since: TIME, ...Object.fromEntries(METER_COUNTER_NAMES.map((name) => [snakeCase(name), COUNT])) },
      { description: 'Bytes are those of the control connection, without the overhead of TCP/IP.' },
    ),
  ),
});

const plugin: Plugin = {
  name: 'session',
  about: 'The state of the connection to a meter',
  register(host) {
    const days = new DayBytes(host);
    host.route({
      method: 'GET',
      path: '/{unit_id}/session',
      access: 'viewer',
      summary: 'Show the reservation of a meter, waiting work, and the state of the connection',
      description: 'From memory: the meter is not contacted. Works while TCP is disabled.',
      answer: { data: DATA },
      errors: ['UNIT_NOT_FOUND'],
      handle({ unitId, identity }) {
        const config = host.configs.of(unitId);
        return { data: { ...session(host, config, identity), today: shownToday(days.of(config)) } };
      },
    });
  },
};
export default plugin;

/** The report of a unit that has no session. */
const IDLE: Omit<MeterReport, 'counters' | 'countedSince'> = {
  state: 'idle',
  reservation: null,
  waiting: [],
  watchers: 0,
  connectedSince: null,
  lastEnding: null,
  retryInMs: null,
  sharedWith: [],
  unreadable: [],
  strangeLine: null,
  identity: { serialNumber: null, model: null, exchanged: null },
};

function session(host: Host, config: DeviceConfig, identity: Identity) {
  const { unitId, tcpEnabled } = config;
  const report = tcpEnabled ? host.report(unitId) : undefined;
  const reachability = host.reachability(unitId);
  const { sessions, bytesSent, bytesReceived } = host.card(unitId).traffic;
  const { state, reservation, waiting, connectedSince, lastEnding, retryInMs, ...shown } = report ?? IDLE;
  const { serialNumber, exchanged } = shown.identity;
  const line = identity.role === 'admin' ? shown.strangeLine : null;
  return {
    unit_id: unitId,
    tcp_enabled: tcpEnabled,
    state,
    state_text: STATE_WORDS[state],
    reservation: reservation && {
      operation: reservation.label,
      since: iso(reservation.since),
      held_s: seconds(reservation.heldMs),
      callers: reservation.callers,
    },
    waiting: waiting.map(({ label, priority, waitedMs, callers }) => ({
      operation: label,
      priority,
      waited_s: seconds(waitedMs),
      callers,
    })),
    watchers: shown.watchers,
    connection: {
      open: connectedSince !== null,
      since: iso(connectedSince),
      last_ending: lastEnding && { ...lastEnding, at: iso(lastEnding.at) },
      retry_in_s: retryInMs === null ? null : seconds(retryInMs),
    },
    reachability: reach(reachability),
    // With a report there is a session, so asking for its meter creates none.
    device_state: known(report && host.meter(unitId).deviceState),
    clock: shownClockOffset(reachability),
    meter: { serial_number: serialNumber, exchanged: exchanged && { ...exchanged, at: iso(exchanged.at) } },
    shared_with: shown.sharedWith.filter((other) => reaches(identity, other)),
    unreadable: shown.unreadable.map((reply) => ({ ...reply, at: iso(reply.at) })),
    strange_line: line && { ...line, at: iso(line.at) },
    ftp: { sessions, bytes_sent: bytesSent, bytes_received: bytesReceived },
    counters: report ? counters(report) : null,
  };
}

const shownToday = ({ date, since, sent, received }: Today) => ({
  date,
  since: iso(since),
  bytes_sent: sent,
  bytes_received: received,
});

const seconds = (ms: number): number => Math.max(0, Math.round(ms / 100) / 10);

const reach = (reachability: Reachability | undefined) => {
  const { is_reachable: _, ...shown } = shownReachability(reachability);
  const since = iso(reachability?.since ?? null);
  return { ...shown, since, last_success: iso(reachability?.lastSuccess ?? null) };
};

const known = (deviceState: DeviceState | undefined) => ({
  measuring: deviceState?.measuring ?? null,
  paused: deviceState?.paused ?? null,
  store_name: deviceState?.storeName ?? null,
  frequency_weighting: deviceState?.frequencyWeighting ?? null,
  time_weighting: deviceState?.timeWeighting ?? null,
});

const counters = (report: MeterReport) => ({
  counted_since: iso(report.countedSince),
  ...Object.fromEntries(METER_COUNTER_NAMES.map((name) => [snakeCase(name), report.counters[name]])),
});
