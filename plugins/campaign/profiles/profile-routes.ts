/** Profiles: listed, stored, removed, applied to meters, compared with them. */
import { countOf, type Job, keyedPage, NEXT, type PageQuery, settable, unknownUnit } from '../../../lib/built-in.ts';
import { GatewayError, type Host, type Identity, isGatewayError, json, reaches } from '../../../lib/index.ts';
import { APPLY, type ApplyInput, requireSettings } from './apply-profile.ts';
import { driftOf } from './drift.ts';
import type { LastValues } from './last-values.ts';
import { normalSettings } from './profile.ts';
import {
  APPLY_BODY,
  BY_NAME,
  DRIFT,
  NOT_STARTED,
  PROFILE,
  PROFILE_FIXED,
  PROFILE_PARAM,
  type ProfileInput,
  profileBody,
  STARTED,
  shownDrift,
  shownProfile,
} from './profile-schemas.ts';
import type { ProfileStore } from './profile-store.ts';

/** The most profiles in all: the list is one answer. */
export const MOST_PROFILES = 1_000;

interface ProfileRouteParts {
  readonly host: Host;
  readonly profiles: ProfileStore;
  readonly values: LastValues;
  readonly apply: (unitId: string, input: ApplyInput) => Promise<Job>;
  /** Units whose schedule names the profile. It cannot be removed then. */
  readonly usersOf: (name: string) => readonly string[];
}

export function addProfileRoutes(parts: ProfileRouteParts): void {
  addReading(parts);
  addReplacement(parts);
  addRemoval(parts);
  addApply(parts);
  addDrift(parts);
}

const ownUnits = (profiles: ProfileStore, name: string, identity: Identity) =>
  profiles.assigned(name).filter(({ unitId }) => reaches(identity, unitId));

function addReading({ host, profiles }: ProfileRouteParts): void {
  const shown = (name: string, identity: Identity) =>
    shownProfile(profiles.get(name), ownUnits(profiles, name, identity));

  host.route<unknown, PageQuery>({
    method: 'GET',
    path: '/_profiles',
    access: 'viewer',
    filtersUnits: true,
    summary: 'List the profiles: named sets of meter settings',
    description: 'In the order of their names.',
    query: BY_NAME,
    answer: { data: { type: 'array', items: PROFILE }, next: NEXT },
    etag: true,
    errors: [],
    handle({ query, identity }) {
      const { page, next } = keyedPage(profiles.list(), query, ({ name }) => name);
      return { data: page.map(({ name }) => shown(name, identity)), next };
    },
  });

  host.route({
    method: 'GET',
    path: '/_profiles/{name}',
    params: PROFILE_PARAM,
    access: 'viewer',
    filtersUnits: true,
    summary: 'Show a profile',
    answer: { data: PROFILE },
    etag: true,
    errors: ['PROFILE_NOT_FOUND'],
    handle: ({ params, identity }) => ({ data: shown(params.name ?? '', identity) }),
  });
}

/** A key that is limited to some units changes no profile that other units use. Errors: FORBIDDEN. */
function refuseForeign({ profiles, usersOf }: ProfileRouteParts, name: string, identity: Identity): void {
  const units = [...profiles.assigned(name).map(({ unitId }) => unitId), ...usersOf(name)];
  if (units.some((unitId) => !reaches(identity, unitId)))
    throw new GatewayError('FORBIDDEN', `The profile ${name} is used on units that this API key is not for.`);
}

function addReplacement(parts: ProfileRouteParts): void {
  const { host, profiles } = parts;
  host.route<ProfileInput, unknown>({
    method: 'PUT',
    path: '/_profiles/{name}',
    params: PROFILE_PARAM,
    access: 'admin',
    filtersUnits: true,
    summary: 'Create or replace a profile',
    description:
      'Settings that it does not name stay as they are on a meter. Meters that got the profile before keep their settings until it is applied again, and are shown as different until then. The data of a GET may be sent back.',
    body: profileBody(host.families.settings),
    answer: { message: { type: 'string' }, data: PROFILE },
    statuses: [200, 201],
    errors: ['STORAGE_FULL', 'STORAGE_FAILED'],
    async handle({ params: { name = '' }, body, identity, before }) {
      const { description = '', settings: asked } = settable(body, PROFILE_FIXED, name);
      const settings = normalSettings(asked, host.families.settings);
      const present = profiles.find(name);
      refuseForeign(parts, name, identity);
      before(present ? shownProfile(present, []) : null);
      if (!present && profiles.list().length >= MOST_PROFILES)
        throw new GatewayError('INVALID', `There are ${MOST_PROFILES} profiles already; remove one.`);
      const profile = await profiles.put(name, { description, settings });
      const data = shownProfile(profile, ownUnits(profiles, name, identity));
      const message = `The profile ${name} is ${present ? 'changed' : 'created'}.`;
      return json({ message, data }, present ? {} : { status: 201, location: `/_profiles/${name}` });
    },
  });
}

function addRemoval(parts: ProfileRouteParts): void {
  const { host, profiles, usersOf } = parts;
  host.route({
    method: 'DELETE',
    path: '/_profiles/{name}',
    params: PROFILE_PARAM,
    access: 'admin',
    filtersUnits: true,
    summary: 'Remove a profile',
    description: 'The meters keep their settings. 409 while a schedule uses it.',
    answer: { message: { type: 'string' } },
    errors: ['PROFILE_NOT_FOUND', 'PROFILE_IN_USE', 'STORAGE_FULL', 'STORAGE_FAILED'],
    async handle({ params: { name = '' }, identity, before }) {
      before(shownProfile(profiles.get(name), []));
      refuseForeign(parts, name, identity);
      const users = usersOf(name);
      if (users.length > 0)
        throw new GatewayError(
          'PROFILE_IN_USE',
          `The schedule of ${users.slice(0, 5).join(', ')} uses the profile ${name}; change that first.`,
        );
      await profiles.remove(name);
      return { message: `The profile ${name} is removed.` };
    },
  });
}

function addApply({ host, profiles, apply }: ProfileRouteParts): void {
  /** Errors: UNIT_NOT_FOUND, also for a unit that the key may not see; those of the start of a job. */
  const start = async (unitId: string, profile: string, identity: Identity): Promise<Job> => {
    if (!reaches(identity, unitId)) throw unknownUnit(unitId);
    requireSettings(host, unitId, profiles.get(profile).settings);
    return apply(unitId, { profile });
  };

  host.route<{ readonly units: readonly string[] }, unknown>({
    method: 'POST',
    path: '/_profiles/{name}/apply',
    params: PROFILE_PARAM,
    access: 'operator',
    filtersUnits: true,
    summary: 'Apply a profile to meters',
    description:
      'One job for each unit. Each setting is read first and set if it differs. While a meter measures it refuses settings: then its job fails and says so.',
    body: APPLY_BODY,
    answer: {
      message: { type: 'string' },
      job: { type: ['string', 'null'], description: 'Id of the job; null if there are several, see jobs.' },
      jobs: { type: 'array', items: STARTED },
      not_started: { type: 'array', items: NOT_STARTED, description: 'Units whose job could not be started.' },
    },
    statuses: [202],
    errors: [
      ...(['PROFILE_NOT_FOUND', 'UNIT_NOT_FOUND', 'TCP_DISABLED', 'NOT_SUPPORTED', 'DEVICE_BUSY', 'STOPPING'] as const),
      ...(['STORAGE_FULL', 'STORAGE_FAILED'] as const),
    ],
    async handle({ params: { name = '' }, body: { units }, identity, before }) {
      // The audit log shows the content of the profile at this time.
      before(shownProfile(profiles.get(name), []));
      const jobs: { unit_id: string; job: string }[] = [];
      const failed: { unit_id: string; error: GatewayError }[] = [];
      for (const unitId of units) {
        try {
          jobs.push({ unit_id: unitId, job: String((await start(unitId, name, identity)).id) });
        } catch (error) {
          if (!isGatewayError(error)) throw error;
          failed.push({ unit_id: unitId, error });
        }
      }
      const [first] = jobs;
      if (!first && failed[0]) throw failed[0].error;
      const notStarted = failed.map(({ unit_id, error }) => ({ unit_id, code: error.code, detail: error.message }));
      const message = `The profile ${name} is being applied to ${jobs.length} of ${countOf(units.length, 'meter')}.`;
      const job = jobs.length === 1 ? (first?.job ?? null) : null;
      const location = job === null ? `/_jobs?kind=${APPLY}` : `/_jobs/${job}`;
      return json({ message, job, jobs, not_started: notStarted }, { status: 202, location });
    },
  });
}

function addDrift({ host, profiles, values }: ProfileRouteParts): void {
  host.route<unknown, PageQuery>({
    method: 'GET',
    path: '/_profiles/{name}/drift',
    params: PROFILE_PARAM,
    access: 'viewer',
    filtersUnits: true,
    summary: 'Compare meters with their profile',
    description:
      'By the values that were read last. A value that was not read for a day is read in the background. No meter is contacted for this answer.',
    query: BY_NAME,
    answer: { data: { type: 'array', items: DRIFT }, next: NEXT },
    etag: true,
    errors: ['PROFILE_NOT_FOUND'],
    handle({ params: { name = '' }, query, identity }) {
      const { settings } = profiles.get(name);
      const { page, next } = keyedPage(ownUnits(profiles, name, identity), query, ({ unitId }) => unitId);
      return { data: page.map((row) => shownDrift(row, driftOf(settings, values.of(row.unitId)))), next };
    },
  });
}
