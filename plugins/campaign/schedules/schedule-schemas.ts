/** Schedules and their actions as the API takes and shows them. Data only. */
import { FORM_FIELD, type FormField, named, readOnly, type Schema, shownField, TIME } from '../../../lib/index.ts';
import { STORE_SETTING } from '../cycles/store-wish.ts';
import { PROFILE_NAME } from '../profiles/profile-schemas.ts';
import type { ScheduleAction } from './action.ts';

/** The most entries of the schedule of a unit. */
export const MOST_PLANNED = 50;

const PERHAPS_TEXT: Schema = { type: ['string', 'null'] };
const PROFILE: Schema = { ...PROFILE_NAME, type: ['string', 'null'] };
const STORE: Schema = {
  type: ['string', 'null'],
  enum: [...Object.keys(STORE_SETTING), null],
  description:
    'The files on the card, for the action start_cycle, as in POST cycle/start. null: as the meter or the profile has it then.',
};
const CRON: Schema = {
  type: 'string',
  maxLength: 200,
  description: 'five parts in the time of the zone: minute, hour, day of the month, month, weekday (0 or 7 is Sunday)',
  example: '0 6 * * 1-5',
};

/** Schemas of the answer and of the body of a PUT. */
export interface ScheduleSchemas {
  readonly data: Schema;
  readonly body: Schema;
}

/** `actions`: their names are the words of an entry. */
export function scheduleSchemas(actions: readonly ScheduleAction[]): ScheduleSchemas {
  const action: Schema = { type: 'string', enum: actions.map(({ name }) => name) };
  return { data: dataOf(action), body: bodyOf(action) };
}

const dataOf = (action: Schema): Schema =>
  named('Schedule', {
    unit_id: { type: 'string' },
    zone: { type: 'string', description: 'The zone of the schedule; default: the zone of the unit.' },
    entries: {
      type: 'array',
      items: named('ScheduleEntry', { cron: { type: 'string' }, action, profile: PERHAPS_TEXT, store: STORE }),
    },
    next: {
      type: 'array',
      description: 'The next runs of all entries.',
      items: named('PlannedRun', {
        at: TIME,
        local: { type: 'string', description: 'In the zone, with its offset from UTC.' },
        action,
        profile: PERHAPS_TEXT,
        store: STORE,
      }),
    },
    recent: {
      type: 'array',
      description: 'The results of the last runs, the newest first.',
      items: named('PastRun', {
        due: TIME,
        action,
        profile: PERHAPS_TEXT,
        outcome: {
          type: 'string',
          enum: ['started', 'made_up', 'missed', 'not_started'],
          description: 'made_up: later than planned, because the gateway did not run then.',
        },
        job: { ...PERHAPS_TEXT, description: 'Id of the job.' },
        detail: PERHAPS_TEXT,
      }),
    },
  });

const bodyOf = (action: Schema): Schema => ({
  type: 'object',
  additionalProperties: false,
  required: ['entries'],
  properties: {
    zone: {
      type: ['string', 'null'],
      maxLength: 64,
      format: 'timezone',
      description: 'An IANA name such as Europe/Berlin. Default: the zone of the unit.',
    },
    entries: {
      type: 'array',
      maxItems: MOST_PLANNED,
      items: {
        title: 'NewScheduleEntry',
        type: 'object',
        additionalProperties: false,
        required: ['cron', 'action'],
        properties: { cron: CRON, action, profile: PROFILE, store: STORE },
      },
      example: [
        { cron: '0 6 * * *', action: 'start_cycle', profile: 'site', store: 'auto' },
        { cron: '0 22 * * *', action: 'stop_cycle' },
      ],
    },
    ...readOnly(['unit_id', 'next', 'recent']),
  },
});

/** An action in answers. */
export const SHOWN_ACTION: Schema = named('ScheduleActionKind', {
  action: { type: 'string' },
  words: { type: 'string', description: 'For people, as an order.' },
  fields: { type: 'array', items: FORM_FIELD, description: 'Fields of an entry beside its time.' },
});

/** An action with its fields, for a form. */
export const shownAction = ({ name, words, profile, store }: ScheduleAction) => {
  const field: FormField = { name: 'profile', label: 'With the profile', schema: PROFILE };
  const needed = profile === 'needed' ? ({ needed: true } as const) : {};
  const fields = [...(profile ? [{ ...field, ...needed }] : []), ...(store ? [STORE_FIELD] : [])];
  return { action: name, words, fields: fields.map(shownField) };
};

const STORE_FIELD: FormField = {
  name: 'store',
  label: 'Keep on the card',
  schema: STORE,
  choices: [
    { value: 'auto', words: 'levels, by itself' },
    { value: 'nothing', words: 'nothing' },
  ],
};
