/** GET and PUT schedule. */
import { type Host, invalid, iso, named, readOnly, type Schema, TIME, zones } from '../../../lib/index.ts';
import type { ProfileBook } from '../profiles/profile-book.ts';
import { PROFILE_NAME } from '../profiles/profile-schemas.ts';
import type { RunRow } from '../tables.ts';
import { ACTIONS, type Entry, problemsOf, runsAfter, type Schedule } from './schedule.ts';
import type { ScheduleBook } from './schedule-book.ts';
import type { Scheduler } from './scheduler.ts';

const NEXT_RUNS = 10;
const RECENT_RUNS = 20;
const MOST_ENTRIES = 50;

const ACTION: Schema = { type: 'string', enum: ACTIONS };
const PERHAPS_TEXT: Schema = { type: ['string', 'null'] };
const CRON: Schema = {
  type: 'string',
  maxLength: 200,
  description: 'five parts in the time of the zone: minute, hour, day of the month, month, weekday (0 or 7 is Sunday)',
  example: '0 6 * * 1-5',
};

const DATA: Schema = named('Schedule', {
  unit_id: { type: 'string' },
  zone: { type: 'string', description: 'The zone of the schedule, or that of the unit if it has none.' },
  entries: {
    type: 'array',
    items: named('ScheduleEntry', { cron: { type: 'string' }, action: ACTION, profile: PERHAPS_TEXT }),
  },
  next: {
    type: 'array',
    description: 'The next runs of all entries.',
    items: named('PlannedRun', {
      at: TIME,
      local: { type: 'string', description: 'In the zone, with its offset from UTC.' },
      action: ACTION,
      profile: PERHAPS_TEXT,
    }),
  },
  recent: {
    type: 'array',
    description: 'The results of the last runs, the newest first.',
    items: named('PastRun', {
      due: TIME,
      action: ACTION,
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

const BODY: Schema = {
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
      maxItems: MOST_ENTRIES,
      items: {
        title: 'NewScheduleEntry',
        type: 'object',
        additionalProperties: false,
        required: ['cron', 'action'],
        properties: {
          cron: CRON,
          action: ACTION,
          profile: { ...PROFILE_NAME, type: ['string', 'null'] },
        },
      },
      example: [
        { cron: '0 6 * * *', action: 'start_cycle', profile: 'site' },
        { cron: '0 22 * * *', action: 'stop_cycle' },
      ],
    },
    ...readOnly(['unit_id', 'next', 'recent']),
  },
};

interface Asked {
  readonly zone?: string | null;
  readonly entries: readonly (Omit<Entry, 'profile'> & { readonly profile?: string | null })[];
}

export interface ScheduleRouteParts {
  readonly host: Host;
  readonly schedules: ScheduleBook;
  readonly scheduler: Scheduler;
  readonly profiles: ProfileBook;
}

const EMPTY: Schedule = { zone: null, entries: [] };

export function addSchedule({ host, schedules, scheduler, profiles }: ScheduleRouteParts): void {
  const unitZone = (unitId: string): string => host.configs.of(unitId).timezone;
  const shown = async (unitId: string) => {
    const { zone: own, entries } = schedules.find(unitId)?.body ?? EMPTY;
    const zone = own ?? unitZone(unitId);
    const next = runsAfter(entries, zone, host.clock.now(), NEXT_RUNS);
    const recent = await schedules.recent(unitId, RECENT_RUNS);
    return {
      ...{ unit_id: unitId, zone, entries, recent: recent.map(shownRun) },
      next: next.map(({ at, action, profile }) => ({ at: iso(at), local: zones.localIso(zone, at), action, profile })),
    };
  };

  host.route({
    method: 'GET',
    path: '/{unit_id}/schedule',
    access: 'viewer',
    summary: 'Show the schedule of a unit, its next runs and the results of the last ones',
    answer: { data: DATA },
    etag: true,
    errors: ['UNIT_NOT_FOUND'],
    async handle({ unitId }) {
      unitZone(unitId);
      return { data: await shown(unitId) };
    },
  });

  host.route<Asked, unknown>({
    method: 'PUT',
    path: '/{unit_id}/schedule',
    access: 'operator',
    summary: 'Replace the schedule of a unit',
    description:
      'Without entries nothing runs by itself. When the local clocks change: a time of day that comes twice runs once, the first time; one that is skipped runs as soon as the clock has jumped. Entries with `*` or `/` in minutes or hours follow the time that really passes.',
    body: BODY,
    answer: { message: { type: 'string' }, data: DATA },
    errors: ['UNIT_NOT_FOUND', 'STORAGE_FULL', 'STORAGE_FAILED'],
    async handle({ unitId, body, before }) {
      const zone = unitZone(unitId);
      const entries = body.entries.map(({ cron, action, profile }) => ({ cron, action, profile: profile ?? null }));
      const schedule: Schedule = { zone: body.zone ?? null, entries };
      const knows = (name: string) => profiles.find(name) !== undefined;
      const now = host.clock.now();
      const errors = problemsOf(schedule, zone, now, knows);
      if (errors.length > 0) throw invalid(errors);
      before(schedules.find(unitId)?.body ?? null);
      await schedules.put(unitId, schedule, now);
      scheduler.plan(unitId);
      const message = entries.length === 0 ? `${unitId} has no schedule now.` : `The schedule of ${unitId} is set.`;
      return { message, data: await shown(unitId) };
    },
  });
}

const shownRun = ({ due, action, profile, outcome, job, detail }: RunRow) => ({
  ...{ due: iso(due), action, profile: profile === '' ? null : profile, outcome, job, detail },
});
