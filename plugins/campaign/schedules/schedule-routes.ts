/** Routes to show and replace the schedule of a unit, and to list the actions. */
import { type Host, invalid, iso, type Request, zones } from '../../../lib/index.ts';
import type { ProfileStore } from '../profiles/profile-store.ts';
import type { RunRow } from '../tables.ts';
import type { ScheduleAction } from './action.ts';
import { runsAfter, type Schedule, type ScheduleEntry, scheduleProblems } from './schedule.ts';
import { type ScheduleSchemas, SHOWN_ACTION, scheduleSchemas, shownAction } from './schedule-schemas.ts';
import type { ScheduleStore } from './schedule-store.ts';
import type { Scheduler } from './scheduler.ts';

const NEXT_RUNS = 10;
const RECENT_RUNS = 20;

interface ScheduleInput {
  readonly zone?: string | null;
  readonly entries: readonly (Pick<ScheduleEntry, 'cron' | 'action'> & Partial<ScheduleEntry>)[];
}

export interface ScheduleRouteParts {
  readonly host: Host;
  readonly schedules: ScheduleStore;
  readonly scheduler: Scheduler;
  readonly profiles: ProfileStore;
  readonly actions: readonly ScheduleAction[];
}

const EMPTY: Schedule = { zone: null, entries: [] };

/** `GET` and `PUT /{unit_id}/schedule`, and `GET /_schedules/actions`. */
export function addScheduleRoutes(parts: ScheduleRouteParts): void {
  const schemas = scheduleSchemas(parts.actions);
  addReading(parts, schemas);
  addReplacement(parts, schemas);
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

function addReading(parts: ScheduleRouteParts, { data }: ScheduleSchemas): void {
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

function addReplacement(parts: ScheduleRouteParts, { data, body }: ScheduleSchemas): void {
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
