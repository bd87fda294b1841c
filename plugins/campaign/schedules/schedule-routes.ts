/** Routes to show and replace the schedule of a unit, and to list the actions. */
import { FORM_FIELD, type FormField, invalid, readOnly, shownField, zones } from '../../../lib/built-in.ts';
import { type Host, iso, named, type Request, type Schema, TIME } from '../../../lib/index.ts';
import { STORE_SETTING } from '../cycles/store-wish.ts';
import { PROFILE_NAME } from '../profiles/profile-schemas.ts';
import type { ProfileStore } from '../profiles/profile-store.ts';
import type { RunRow } from '../tables.ts';
import type { ScheduleAction } from './actions.ts';
import { runsAfter, type Schedule, type ScheduleEntry, scheduleProblems } from './schedule.ts';
import type { ScheduleStore } from './schedule-store.ts';
import type { Scheduler } from './scheduler.ts';

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

const SHOWN_ACTION: Schema = named('ScheduleActionKind', {
  action: { type: 'string' },
  words: { type: 'string', description: 'For people, as an order.' },
  fields: { type: 'array', items: FORM_FIELD, description: 'Fields of an entry beside its time.' },
});

const shownAction = ({ name, words, profile, store }: ScheduleAction) => {
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

const NEXT_RUNS = 10;
const RECENT_RUNS = 20;

interface ScheduleInput {
  readonly zone?: string | null;
  readonly entries: readonly (Pick<ScheduleEntry, 'cron' | 'action'> & Partial<ScheduleEntry>)[];
}

interface ScheduleRouteParts {
  readonly host: Host;
  readonly schedules: ScheduleStore;
  readonly scheduler: Scheduler;
  readonly profiles: ProfileStore;
  readonly actions: readonly ScheduleAction[];
}

const EMPTY: Schedule = { zone: null, entries: [] };

export function addScheduleRoutes(parts: ScheduleRouteParts): void {
  const action: Schema = { type: 'string', enum: parts.actions.map(({ name }) => name) };
  const data = dataOf(action);
  addReading(parts, data);
  addReplacement(parts, data, bodyOf(action));
  addActions(parts);
}

const zoneOf = ({ host }: ScheduleRouteParts, unitId: string): string => host.configs.of(unitId).timezone;

async function shown(parts: ScheduleRouteParts, unitId: string) {
  const { host, schedules, actions } = parts;
  const schedule = schedules.find(unitId)?.body ?? EMPTY;
  const zone = schedule.zone ?? zoneOf(parts, unitId);
  const next = runsAfter(schedule, zone, { after: host.clock.now(), most: NEXT_RUNS }, actions);
  const recent = await schedules.recent(unitId, RECENT_RUNS);
  return {
    unit_id: unitId,
    zone,
    entries: schedule.entries.map(whole),
    recent: recent.map(shownRun),
    next: next.map(({ at, action, profile, store }) => ({
      at: iso(at),
      local: zones.localIso(zone, at),
      action,
      profile,
      store: store ?? null,
    })),
  };
}

function addReading(parts: ScheduleRouteParts, data: Schema): void {
  parts.host.route({
    method: 'GET',
    path: '/{unit_id}/schedule',
    access: 'viewer',
    summary: 'Show the schedule of a unit, its next runs and the results of the last runs',
    answer: { data },
    etag: true,
    errors: ['UNIT_NOT_FOUND'],
    async handle({ unitId }) {
      zoneOf(parts, unitId);
      return { data: await shown(parts, unitId) };
    },
  });
}

function addReplacement(parts: ScheduleRouteParts, data: Schema, body: Schema): void {
  parts.host.route<ScheduleInput, unknown>({
    method: 'PUT',
    path: '/{unit_id}/schedule',
    access: 'operator',
    summary: 'Replace the schedule of a unit',
    description:
      'Without entries nothing runs by itself. When the local clocks change: a time of day that comes twice runs once, the first time. A skipped time runs as soon as the clock has jumped. Entries with `*` or `/` in minutes or hours follow the time that really passes.',
    body,
    answer: { message: { type: 'string' }, data },
    errors: ['UNIT_NOT_FOUND', 'STORAGE_FULL', 'STORAGE_FAILED'],
    handle: (request) => replace(parts, request),
  });
}

async function replace(parts: ScheduleRouteParts, { unitId, body, before }: Request<ScheduleInput>) {
  const { host, schedules, scheduler, profiles, actions } = parts;
  const zone = zoneOf(parts, unitId);
  const entries = body.entries.map(whole);
  const schedule: Schedule = { zone: body.zone ?? null, entries };
  const now = host.clock.now();
  const knowsProfile = (name: string) => profiles.find(name) !== undefined;
  const { settings } = host.families.get(host.configs.of(unitId).family);
  const hasStore = settings.some(({ name }) => name === 'store_mode');
  const errors = scheduleProblems(schedule, { zone, now, actions, knowsProfile, hasStore });
  if (errors.length > 0) throw invalid(errors);
  before(schedules.find(unitId)?.body ?? null);
  await schedules.put(unitId, schedule, now);
  scheduler.plan(unitId);
  const message = entries.length === 0 ? `${unitId} has no schedule now.` : `The schedule of ${unitId} is set.`;
  return { message, data: await shown(parts, unitId) };
}

function addActions({ host, actions }: ScheduleRouteParts): void {
  host.route({
    method: 'GET',
    path: '/_schedules/actions',
    access: 'viewer',
    filtersUnits: true,
    operation: 'listScheduleActions',
    summary: 'Describe the actions of schedules',
    answer: { data: { type: 'array', items: SHOWN_ACTION } },
    etag: true,
    errors: [],
    handle: () => ({ data: actions.map(shownAction) }),
  });
}

/** In the stored form; entries from before 0.3 have no field `store`. */
const whole = ({ cron, action, profile, store }: ScheduleInput['entries'][number]): ScheduleEntry => ({
  cron,
  action,
  profile: profile ?? null,
  store: store ?? null,
});

const shownRun = ({ due, action, profile, outcome, job, detail }: RunRow) => ({
  due: iso(due),
  action,
  profile: profile === '' ? null : profile,
  outcome,
  job,
  detail,
});
