/** Copies of the files of a card on this disk: fetched automatically or on demand, and available while the meter cannot be reached. */
import { agesCountFrom, type Job, type JobRun, notSupported } from '../../lib/built-in.ts';
import { type DeviceConfig, GatewayError, type Host, json, type Plugin } from '../../lib/index.ts';
import { fileRoutes } from './file-routes.ts';
import { recordingRoutes } from './recordings.ts';
import { type MirrorInput, MirrorRun, type MirrorSettings } from './run.ts';
import { MIRROR_SETTINGS } from './schemas.ts';
import { MirrorStore } from './store.ts';
import { CLOCKS, FILES, HOURS, MIRROR_MIGRATIONS, RECORDINGS, UNITS, VERSIONS } from './tables.ts';

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** Not in the first minute, when the gateway and its meters have other work. */
const SOONEST_MS = 60_000;

/** `30m`, `6h`, `1d`. */
const everyMs = (every: string): number =>
  Number(every.slice(0, -1)) * UNIT_MS[every.endsWith('m') ? 'm' : every.endsWith('h') ? 'h' : 'd'];

/** `every` after the last run, or soon if that time has passed. */
function scheduleRuns(
  host: Host<MirrorSettings>,
  store: MirrorStore,
  start: (unitId: string) => Promise<unknown>,
): void {
  const timers = new Map<string, () => void>();
  /** By unit: the config that its plan is for. */
  const plans = new Map<string, DeviceConfig>();
  const disarm = (unitId: string): void => {
    timers.get(unitId)?.();
    timers.delete(unitId);
  };
  const arm = (unitId: string, ms: number): void => {
    disarm(unitId);
    timers.set(
      unitId,
      host.clock.after(ms, () => fire(unitId)),
    );
  };
  const fire = (unitId: string): void => {
    start(unitId)
      .catch((error: unknown) => host.log.warn({ unit_id: unitId, err: error }, 'the mirror could not be started'))
      .then(() => {
        const config = host.configs.get(unitId);
        if (config?.mirror.enabled && !host.signal.aborted) arm(unitId, everyMs(config.mirror.every));
      });
  };
  const plan = async (config: DeviceConfig): Promise<void> => {
    const { unitId, mirror, ftpEnabled } = config;
    plans.set(unitId, config);
    disarm(unitId);
    if (!mirror.enabled || !ftpEnabled || !host.families.find(config.family)?.card) return;
    const { lastRun } = await store.unit(unitId);
    if (host.signal.aborted || plans.get(unitId) !== config) return;
    const ms = everyMs(mirror.every);
    const wait = lastRun === null ? 0 : Math.min(ms, lastRun + ms - host.clock.now());
    arm(unitId, Math.max(SOONEST_MS, wait));
  };
  const follow = (config: DeviceConfig) =>
    void plan(config).catch((error: unknown) =>
      host.log.warn({ unit_id: config.unitId, err: error }, 'no plan for the mirror'),
    );
  host.configs.onChange(
    (unitId, config) => {
      plans.delete(unitId);
      if (config) follow(config);
      else disarm(unitId);
    },
    ['mirror', 'ftpEnabled', 'family'],
  );
  for (const config of host.configs.list()) follow(config);
  host.onStop(() => {
    for (const cancel of timers.values()) cancel();
  });
}

const KIND = 'mirror';

const plugin: Plugin<MirrorSettings> = {
  name: 'mirror',
  about: 'Copies of the files of a card',
  settings: MIRROR_SETTINGS,
  async register(host) {
    const tables = [FILES, VERSIONS, UNITS, CLOCKS, HOURS, RECORDINGS];
    const store = new MirrorStore(await host.tables(tables, MIRROR_MIGRATIONS));
    const folder = await host.folder();
    const ages = agesCountFrom(host.clock, await store.lastRunAt());
    const run = (job: JobRun<MirrorInput>) => new MirrorRun(host, store, folder, job, ages).run();
    host.jobs.kind({ name: KIND, title: 'Copy of the card', oneAtATime: 'unit', fetchesFiles: true, run, resume: run });
    const start = async (unitId: string, input: MirrorInput) => (await host.jobs.startOnce(KIND, unitId, input)).job;
    scheduleRuns(host, store, (unitId) => start(unitId, {}));
    host.on('clock', ({ unitId, data: { at, ahead, uncertainty } }) => {
      store
        .putClock({ unitId, at, offset: Math.round(ahead), uncertainty })
        .catch((error: unknown) =>
          host.log.warn({ unit_id: unitId, err: error }, 'a reading of a clock could not be stored'),
        );
    });
    addRun(host, (unitId) => start(unitId, { byPerson: true }));
    fileRoutes(host, { store, folder });
    recordingRoutes(host, store);
  },
};
export default plugin;

function addRun(host: Host<MirrorSettings>, start: (unitId: string) => Promise<Job>): void {
  host.route({
    method: 'POST',
    path: '/{unit_id}/mirror',
    access: 'operator',
    operation: 'mirrorFiles',
    summary: 'Fetch new files of the card now',
    description:
      'A job. If such a job waits or runs already, the answer names that job. Nothing on the card is changed.',
    answer: { message: { type: 'string' }, job: { type: 'string', description: 'Id of the job.' } },
    statuses: [202],
    errors: [
      'UNIT_NOT_FOUND',
      'FTP_DISABLED',
      'NOT_SUPPORTED',
      'DEVICE_BUSY',
      'STOPPING',
      'STORAGE_FAILED',
      'STORAGE_FULL',
    ],
    async handle({ unitId }) {
      if (!host.configs.of(unitId).ftpEnabled)
        throw new GatewayError(
          'FTP_DISABLED',
          `FTP is off in the config of ${unitId}: PUT /${unitId}/config with "ftp_enabled": true.`,
        );
      const family = host.families.get(host.configs.of(unitId).family);
      if (!family.card) throw notSupported(unitId, family, 'files');
      const { id } = await start(unitId);
      const message = `The files of ${unitId} are being fetched.`;
      return json({ message, job: String(id) }, { status: 202, location: `/_jobs/${id}` });
    },
  });
}
