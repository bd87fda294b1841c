/** What goes on between the gateway and one meter, for a person who asks why. From memory: the meter is not contacted. */
import {
  type Condition,
  type Contact,
  type DeviceConfig,
  type Host,
  iso,
  type MeterReport,
  type Plugin,
  type Schema,
  unknownUnit,
} from '../lib/index.ts';

const whole = (properties: Readonly<Record<string, Schema>>, more: Schema = {}): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});
const perhaps = (schema: Schema): Schema => ({ ...schema, type: [schema.type, 'null'] });
const TEXT: Schema = { type: 'string' };
const MOMENT: Schema = { type: 'string', format: 'date-time' };
const COUNT: Schema = { type: 'integer', minimum: 0 };
const SECONDS: Schema = { type: 'number', minimum: 0 };
const FLAG: Schema = { type: ['boolean', 'null'] };

/** What each state means, for a person. */
const WORDS: Readonly<Record<MeterReport['state'], string>> = {
  idle: 'No connection is open; the next command opens one.',
  ready: 'The connection is open and rests.',
  dialling: 'The connection is being opened.',
  exchanging: 'A command or its reply is under way.',
  streaming: 'The fast stream runs.',
  draining: 'The fast stream is being ended.',
  closed: 'The session is over.',
};

const COUNTERS = {
  bytes_sent: 'bytesSent',
  bytes_received: 'bytesReceived',
  connects: 'connects',
  connect_failures: 'connectFailures',
  commands: 'commands',
  refused: 'refused',
  garbled: 'garbled',
  timeouts: 'timeouts',
  resent: 'resent',
  joined: 'joined',
  frames: 'frames',
  frames_unreadable: 'framesUnreadable',
} as const satisfies Record<string, keyof MeterReport['counters']>;

const DATA = whole({
  unit_id: TEXT,
  tcp_enabled: { type: 'boolean' },
  state: { type: 'string', enum: Object.keys(WORDS) },
  state_text: TEXT,
  holder: perhaps(
    whole(
      { operation: TEXT, since: MOMENT, held_s: SECONDS, callers: COUNT },
      { description: 'The operation that has the line; null: nobody has.' },
    ),
  ),
  waiting: {
    type: 'array',
    description: 'In the order in which their turn comes.',
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
    since: perhaps(MOMENT),
    last_ending: perhaps(whole({ by: { type: 'string', enum: ['us', 'peer', 'fault'] }, reason: TEXT, at: MOMENT })),
    retry_in_s: {
      ...perhaps(SECONDS),
      description: 'After failures: until a background reading connects again; an operator waits less. null: at once.',
    },
  }),
  contact: whole({
    state: { type: 'string', enum: ['unknown', 'online', 'degraded', 'offline', 'asleep?', 'wedged'] },
    reason: TEXT,
    since: perhaps(MOMENT),
    last_success: perhaps(MOMENT),
    consecutive_failures: COUNT,
    last_error: perhaps(whole({ code: TEXT, detail: TEXT, at: MOMENT })),
  }),
  condition: whole(
    { measuring: FLAG, paused: FLAG, store_name: { type: ['string', 'null'] } },
    { description: 'What the gateway last saw or set; null: it does not know.' },
  ),
  clock: perhaps(
    whole(
      { offset_s: { type: 'number' }, measured_at: MOMENT },
      { description: 'How far the clock of the meter is ahead of that of the gateway; null: not measured.' },
    ),
  ),
  ftp: whole(
    { sessions: COUNT, bytes_sent: COUNT, bytes_received: COUNT },
    { description: 'The card of the meter since the gateway started: control and data connections together.' },
  ),
  counters: perhaps(
    whole(
      { counted_since: MOMENT, ...Object.fromEntries(Object.keys(COUNTERS).map((name) => [name, COUNT])) },
      { description: 'Bytes are those of the control connection, without the overhead of TCP/IP.' },
    ),
  ),
});

const plugin: Plugin = {
  name: 'session',
  register(host) {
    host.route({
      method: 'GET',
      path: '/{unit_id}/session',
      access: 'viewer',
      summary: 'Show who holds the line to a meter, what waits, and how the connection fares',
      description: 'From memory: the meter is not contacted. Works while TCP is disabled.',
      answer: { data: DATA },
      errors: ['UNIT_NOT_FOUND'],
      handle({ unitId }) {
        const config = host.configs.get(unitId);
        if (!config) throw unknownUnit(unitId);
        return { data: session(host, config) };
      },
    });
  },
};
export default plugin;

function session(host: Host, config: DeviceConfig) {
  const { unitId, tcpEnabled } = config;
  const now = host.clock.now();
  const report = tcpEnabled ? host.report(unitId) : undefined;
  const contact = host.contact(unitId);
  const { sessions, bytesSent, bytesReceived } = host.card(unitId).traffic;
  return {
    unit_id: unitId,
    tcp_enabled: tcpEnabled,
    state: report?.state ?? 'idle',
    state_text: WORDS[report?.state ?? 'idle'],
    holder: holder(report, now),
    waiting: waiting(report),
    watchers: report?.watchers ?? 0,
    connection: connection(report),
    contact: reach(contact),
    // With a report there is a session, and asking for its meter makes none.
    condition: known(report && host.meter(unitId).condition),
    clock: contact?.clock ? { offset_s: contact.clock.offsetMs / 1_000, measured_at: iso(contact.clock.at) } : null,
    ftp: { sessions, bytes_sent: bytesSent, bytes_received: bytesReceived },
    counters: counters(report),
  };
}

const seconds = (ms: number): number => Math.max(0, Math.round(ms / 100) / 10);

const holder = (report: MeterReport | undefined, now: number) =>
  report?.holder
    ? {
        operation: report.holder.label,
        since: iso(report.holder.since),
        held_s: seconds(now - report.holder.since),
        callers: report.holder.callers,
      }
    : null;

const waiting = (report: MeterReport | undefined) =>
  (report?.waiting ?? []).map(({ label, priority, waitedMs, callers }) => ({
    operation: label,
    priority,
    waited_s: seconds(waitedMs),
    callers,
  }));

const connection = (report: MeterReport | undefined) => ({
  open: (report?.connectedSince ?? null) !== null,
  since: iso(report?.connectedSince ?? null),
  last_ending: report?.lastEnding ? { ...report.lastEnding, at: iso(report.lastEnding.at) } : null,
  retry_in_s: typeof report?.retryInMs === 'number' ? seconds(report.retryInMs) : null,
});

const reach = (contact: Contact | undefined) => ({
  state: contact?.state ?? 'unknown',
  reason: contact?.reason ?? 'not tried since the gateway started',
  since: iso(contact?.since ?? null),
  last_success: iso(contact?.lastSuccess ?? null),
  consecutive_failures: contact?.consecutiveFailures ?? 0,
  last_error: contact?.lastError ? { ...contact.lastError, at: iso(contact.lastError.at) } : null,
});

const known = (condition: Condition | undefined) => ({
  measuring: condition?.measuring ?? null,
  paused: condition?.paused ?? null,
  store_name: condition?.storeName ?? null,
});

const counters = (report: MeterReport | undefined) =>
  report
    ? {
        counted_since: iso(report.countedSince),
        ...Object.fromEntries(Object.entries(COUNTERS).map(([name, field]) => [name, report.counters[field]])),
      }
    : null;
