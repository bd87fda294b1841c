/** The subscription of one client of many meters, from its query or from a message. */
import { type Identity, reaches, type Schema, UNIT_ID_WORD } from '../../lib/index.ts';

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

export interface Subscription {
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
