/** Events of another gateway that this gateway replaces. They have ended, and no messages are sent. */

import type { ImportAlertEventsBody } from '../../../client/schemas.ts';
import { CHANNEL_PATTERN, countOf, impossibleLevel, momentOf, PLAIN_TEXT } from '../../../lib/built-in.ts';
import { type Schema, TIME } from '../../../lib/index.ts';
import type { Alerts } from '../parts.ts';
import { isOfLevels, RULE_KINDS } from '../rules/kinds.ts';
import { SEVERITIES } from '../rules/rule.ts';
import { EVENTS, type EventRow } from '../tables.ts';

/** The most events in one request. */
export const MOST_TAKEN = 1_000;
const MOST_NAMED = 20;

type Given = ImportAlertEventsBody['events'][number];

const words = (maxLength: number): Schema => ({
  type: 'string',
  maxLength,
  pattern: PLAIN_TEXT,
  description: 'a text without control characters',
});
const LEVEL: Schema = { type: ['number', 'null'], minimum: -1_000, maximum: 1_000, default: null };
const eventBody = (): Schema => ({
  type: 'object',
  properties: {
    rule: { type: 'integer', minimum: 0, default: 0, description: '0: of no rule of this gateway.' },
    unit_id: words(64),
    rule_name: words(80),
    severity: { type: 'string', enum: [...SEVERITIES], default: 'warning' },
    kind: { type: 'string', enum: RULE_KINDS.map(({ name }) => name) },
    what: words(40),
    channel: { type: 'string', pattern: CHANNEL_PATTERN, description: 'a channel of the meter. Default main.' },
    limit: LEVEL,
    opened_at: TIME,
    closed_at: TIME,
    worst: LEVEL,
    detail: { ...words(500), default: '' },
    cause: words(80),
    ack: { type: 'object', properties: { by: words(80), at: TIME }, required: ['by', 'at'] },
  },
  required: ['unit_id', 'rule_name', 'kind', 'what', 'opened_at', 'closed_at'],
});

/** The size of one event with long texts, as JSON. */
const EVENT_BYTES = 4_096;

export function addTakenEvents({ host, tables, events, sounds }: Alerts): void {
  host.route<ImportAlertEventsBody, { readonly check: boolean }>({
    method: 'POST',
    path: '/_alerts/events/import',
    operation: 'importAlertEvents',
    access: 'admin',
    summary: 'Take over events of another gateway',
    description:
      'Events that have ended. An event with the same unit, name and beginning that exists already is not added again. No messages are sent.',
    query: { check: { type: 'boolean', default: false, description: 'Only count: nothing is added.' } },
    body: {
      type: 'object',
      properties: { events: { type: 'array', maxItems: MOST_TAKEN, items: eventBody() } },
      required: ['events'],
    },
    bodyBytes: MOST_TAKEN * EVENT_BYTES,
    answer: {
      message: { type: 'string' },
      taken: { type: 'integer' },
      present: { type: 'integer', description: 'Events that existed already.' },
      left_out: {
        type: 'array',
        items: { type: 'string' },
        description:
          'Events with a level that is not from -20 to 160 dB, by their place in the list, the first 20: they are not added.',
      },
    },
    errors: ['STORAGE_FULL', 'STORAGE_FAILED'],
    async handle({ body, query: { check } }) {
      const faults = body.events.map((event, place) => faultOf(event, place));
      const left_out = faults.filter((fault) => fault !== undefined).slice(0, MOST_NAMED);
      const rows = body.events.filter((_, place) => faults[place] === undefined).map(rowOf);
      // Without rows there is no first and no last time.
      if (rows.length === 0) return { message: 'There were no events to add.', taken: 0, present: 0, left_out };
      const times = rows.map(({ openedAt }) => openedAt);
      const [first, last] = [Math.min(...times), Math.max(...times)];
      const there = await tables.read((read) =>
        read.find(EVENTS, { where: { openedAt: { atLeast: first, atMost: last } } }),
      );
      const known = new Set(there.map(keyOf));
      const fresh = rows.filter((row) => !known.has(keyOf(row)) && known.add(keyOf(row)));
      // Their exposure comes from the levels that this gateway has, for example from the card.
      if (!check) for (const event of await events.take(fresh)) sounds.changed({ change: 'closed', event });
      const present = rows.length - fresh.length;
      return {
        message: `${check ? countOf(fresh.length, 'event would be', 'events would be') : countOf(fresh.length, 'event was', 'events were')} added, ${present} existed already.`,
        taken: fresh.length,
        present,
        left_out,
      };
    },
  });
}

function faultOf({ kind, limit = null, worst = null }: Given, place: number): string | undefined {
  if (!isOfLevels(kind)) return undefined;
  const fault = impossibleLevel({ line: place, seconds: 0, levels: { limit, worst }, ln: {} });
  return fault && `/events/${place} ${fault.message}`;
}

type Taken = Omit<EventRow, 'id'>;

const keyOf = ({ unitId, ruleName, openedAt }: Taken): string => `${openedAt} ${unitId} ${ruleName}`;

function rowOf(given: Given): Taken {
  const openedAt = momentOf(given.opened_at, '/events');
  return {
    ruleId: given.rule ?? 0,
    unitId: given.unit_id,
    ruleName: given.rule_name,
    severity: given.severity ?? 'warning',
    kind: given.kind,
    what: given.what,
    limitValue: given.limit ?? null,
    worst: given.worst ?? null,
    detail: given.detail ?? '',
    openedAt,
    closedAt: Math.max(openedAt, momentOf(given.closed_at, '/events')),
    windowFrom: null,
    windowTo: null,
    windows: null,
    worstAt: null,
    escalatedAt: null,
    ack: given.ack ? { by: given.ack.by, at: momentOf(given.ack.at, '/events'), note: '' } : null,
    cause: given.cause ?? null,
    revised: null,
    sound: null,
    channel: given.channel ?? null,
    sentences: null,
  };
}
