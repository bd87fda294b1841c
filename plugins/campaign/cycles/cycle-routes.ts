/** POST cycle/start and cycle/stop: a whole measurement without anybody at the meter. */
import { invalid, type StartedJob } from '../../../lib/built-in.ts';
import { type ErrorCode, type Host, json, type Schema } from '../../../lib/index.ts';
import { requireSettings } from '../profiles/apply-profile.ts';
import { PROFILE_NAME } from '../profiles/profile-schemas.ts';
import type { ProfileStore } from '../profiles/profile-store.ts';
import { type Cycles, START_NEEDS, STOP_NEEDS } from './cycle-jobs.ts';
import { STORE_SETTING, type StoreWish } from './store-wish.ts';

const ANSWER: Readonly<Record<string, Schema>> = {
  message: { type: 'string' },
  job: { type: 'string', description: 'Id of the job.' },
};
const ERRORS: readonly ErrorCode[] = [
  ...([
    'UNIT_NOT_FOUND',
    'TCP_DISABLED',
    'NOT_SUPPORTED',
    'DEVICE_BUSY',
    'STOPPING',
    'STORAGE_FULL',
    'STORAGE_FAILED',
  ] as const),
];

const started = ({ job: { id }, isNew }: StartedJob, message: string) => {
  const said = isNew ? message : 'Such a job waits or runs already; this is its id.';
  return json({ message: said, job: String(id) }, { status: 202, location: `/_jobs/${id}` });
};

interface StartBody {
  readonly profile?: string;
  readonly store?: StoreWish;
  readonly sync_clock: boolean;
}

export function addCycleRoutes(host: Host, cycles: Cycles, profiles: ProfileStore): void {
  host.route<StartBody, unknown>({
    method: 'POST',
    path: '/{unit_id}/cycle/start',
    access: 'operator',
    summary: 'Prepare and start a measurement, as a job',
    description:
      'The steps: sleep mode off, clock set, profile applied if one is given, free store name found, start, and a check that the meter measures. If a job for the same profile waits or runs already, the answer names that job. A measurement is never started twice, and a store is never overwritten.',
    body: {
      type: 'object',
      additionalProperties: false,
      properties: {
        profile: { ...PROFILE_NAME, description: 'A profile to apply first.' },
        store: {
          type: 'string',
          enum: Object.keys(STORE_SETTING),
          description:
            'The files on the card: auto sets the store mode to Auto, so there are files; nothing sets it to Manual, without files. Without it the store mode stays as the meter or the profile has it.',
        },
        sync_clock: { type: 'boolean', default: true, description: 'Whether the clock of the meter is set.' },
      },
    },
    bodyMayBeAbsent: true,
    answer: ANSWER,
    statuses: [202],
    errors: [...ERRORS, 'JOB_RUNNING'],
    async handle({ unitId, body: { profile, store, sync_clock } }) {
      host.meter(unitId).assertCan(...START_NEEDS);
      if (profile !== undefined && !profiles.find(profile))
        throw invalid([{ path: '/profile', message: 'is not a profile; GET /_profiles lists all profiles' }]);
      if (store) requireSettings(host, unitId, STORE_SETTING[store]);
      return started(
        await cycles.start(unitId, { profile: profile ?? null, setsClock: sync_clock, ...(store && { store }) }),
        `A measurement of ${unitId} is being started.`,
      );
    },
  });

  host.route({
    method: 'POST',
    path: '/{unit_id}/cycle/stop',
    access: 'operator',
    summary: 'Stop the measurement and fetch its files',
    description:
      'The steps: stop, a check that the meter has stopped, FTP on, the new folder copied by the mirror and compared with the card, FTP as before. If such a job waits or runs already, the answer names that job. While FTP is off in the config the files stay on the card.',
    answer: ANSWER,
    statuses: [202],
    errors: ERRORS,
    async handle({ unitId }) {
      host.meter(unitId).assertCan(...STOP_NEEDS);
      return started(
        await cycles.stop(unitId),
        `The measurement of ${unitId} is being stopped; then the job fetches its files.`,
      );
    },
  });
}
