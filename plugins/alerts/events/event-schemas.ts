/** Schemas of the endpoints of events. Data only. */
import {
  named,
  orNull,
  type PageQuery,
  PLAIN_TEXT,
  type Schema,
  TIME,
  TIME_OR_NULL,
  whole,
} from '../../../lib/index.ts';
import { SEVERITIES } from '../rules/rule.ts';
import { ID, IS_BOUND, VALUE } from '../schemas.ts';

/** An event in answers. */
export const EVENT: Schema = named('AlertEvent', {
  id: ID,
  rule: {
    type: 'string',
    pattern: '^(0|[1-9][0-9]{0,14})$',
    description: '0: an event of a gateway that was replaced.',
  },
  rule_name: { type: 'string' },
  unit_id: { type: 'string' },
  severity: { type: 'string', enum: [...SEVERITIES] },
  kind: { type: 'string', description: 'The kind of its rule, such as level or device.' },
  what: { type: 'string', description: 'The quantity or the condition.' },
  channel: {
    type: ['string', 'null'],
    description: 'Channel of the meter whose level it is about: main, sub1 ...; null: it is about no level.',
  },
  unit: { type: ['string', 'null'], description: 'Of limit, worst and revised: dB, %, s; null: they have none.' },
  limit: { ...VALUE, description: 'dB for a level rule, the threshold for a condition.' },
  window_from: TIME_OR_NULL,
  window_to: { ...TIME_OR_NULL, description: 'The end of the last window that it covers.' },
  windows: {
    type: ['integer', 'null'],
    description: 'How many windows in a row it covers, from window_from to window_to; null: its rule has no windows.',
  },
  opened_at: TIME,
  closed_at: { ...TIME_OR_NULL, description: 'null: it is open.' },
  worst: VALUE,
  worst_at: TIME_OR_NULL,
  worst_is_bound: IS_BOUND,
  duration_s: {
    type: ['integer', 'null'],
    description: 'From window_from, or opened_at where it has no window, to closed_at; null: it is open.',
  },
  lae: {
    ...VALUE,
    description:
      'dB: sound exposure of this time, as far as it was measured; null: it is open, has no levels, or they are not A-weighted.',
  },
  measured_s: { type: ['number', 'null'], description: 'Seconds of this time with levels; null as for lae.' },
  loudest: {
    ...orNull(whole({ at: TIME, level: { type: 'number', description: 'dB' } })),
    description: 'The loudest moment of this time (Lmax), to the second.',
  },
  recordings: {
    type: ['string', 'null'],
    description:
      'Path and query below the base path that list the recordings of sound of this time, of GET /_recordings; null: it has no levels.',
  },
  excluded_s: {
    type: ['integer', 'null'],
    description:
      'Seconds of this time that notes exclude, of its channel. The event stays; null: it is about no level.',
  },
  detail: { type: 'string' },
  escalated_at: TIME_OR_NULL,
  ack: orNull(whole({ by: { type: 'string' }, at: TIME, note: { type: 'string' } })),
  revised: orNull(whole({ value: { type: 'number' }, was: VALUE, at: TIME })),
});

/** The filters of a list of events. */
export interface EventsQuery extends PageQuery {
  readonly unit?: string;
  readonly rule?: string;
  readonly severity?: string;
  readonly open?: boolean;
  readonly from?: string;
  readonly to?: string;
  readonly format: 'json' | 'csv' | 'csv-de' | 'xlsx';
}

/** The body of an acknowledgement. */
export const EVENT_NOTE: Schema = {
  type: 'object',
  properties: {
    note: {
      type: 'string',
      maxLength: 500,
      pattern: PLAIN_TEXT,
      default: '',
      description: 'a note without control characters',
    },
  },
};
