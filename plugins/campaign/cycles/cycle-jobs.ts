/** The two kinds of jobs of a cycle. A unit has one at a time; they go on after a restart, and report the state of the meter. */
import { countOf, type JobRun, type OperationName, type StartedJob } from '../../../lib/built-in.ts';
import { GatewayError, type Host, isGatewayError, iso, messageOf, sleep, within } from '../../../lib/index.ts';
import type { ClockSync } from '../clock/clock-sync.ts';
import type { ProfileStore } from '../profiles/profile-store.ts';
import type { CycleStore } from './cycle-store.ts';
import { NO_NOTES, type StartNotes, startSteps } from './start-cycle.ts';
import { type Checkpoint, StepRun } from './steps.ts';
import { NO_STOP_NOTES, type StopNotes, stopSteps } from './stop-cycle.ts';
import type { StoreWish } from './store-wish.ts';

export const START_CYCLE = 'cycle-start';
export const STOP_CYCLE = 'cycle-stop';

/** The abilities that a meter needs. Steps for other missing abilities are left out, and say so. */
export const START_NEEDS: readonly OperationName[] = ['measuring', 'start'];
/** The same for the end. */
export const STOP_NEEDS: readonly OperationName[] = ['measuring', 'stop'];

interface StartInput {
  readonly profile: string | null;
  readonly setsClock?: boolean;
  /** The files on the card. Default: as the meter or the profile has it. */
  readonly store?: StoreWish;
}

interface CycleParts {
  readonly host: Host;
  readonly clocks: ClockSync;
  readonly profiles: ProfileStore;
  readonly cycles: CycleStore;
  readonly retryMs: number;
  readonly tooLateMs: number;
  /** How long a start waits for the files of the previous stop, ms. */
  readonly startWaitsMs: number;
}

export interface Cycles {
  /** A waiting or running job, or a new job. Errors: JOB_RUNNING if the present job is for another profile. */
  start(unitId: string, input: StartInput): Promise<StartedJob>;
  stop(unitId: string): Promise<StartedJob>;
}

export function addCycleJobs(parts: CycleParts): Cycles {
  const { host } = parts;
  const run = (job: JobRun<StartInput, Checkpoint<StartNotes>>) => runStart(parts, job);
  const end = (job: JobRun<unknown, Checkpoint<StopNotes>>) => runStop(parts, job);
  host.jobs.kind({ name: START_CYCLE, title: 'Start of a measurement', oneAtATime: 'control', run, resume: run });
  host.jobs.kind({ name: STOP_CYCLE, title: 'Stop of a measurement', oneAtATime: 'control', run: end, resume: end });
  return {
    async start(unitId, input) {
      const started = await host.jobs.startOnce(START_CYCLE, unitId, input);
      const { profile } = started.input as StartInput;
      if (profile !== input.profile) throw otherProfile(unitId, started.job.id, profile);
      return started;
    },
    stop: (unitId) => host.jobs.startOnce(STOP_CYCLE, unitId, {}),
  };
}

const otherProfile = (unitId: string, job: number, profile: string | null) =>
  new GatewayError(
    'JOB_RUNNING',
    `A measurement of ${unitId} is being started already, ${profile === null ? 'without a profile' : `with the profile ${profile}`} (job ${job}). Wait for its end, or cancel it first.`,
  );

async function runStart(parts: CycleParts, job: JobRun<StartInput, Checkpoint<StartNotes>>): Promise<object> {
  const unitId = job.unitId ?? '';
  const { profile, setsClock = true, store } = job.input;
  const steps = new StepRun(job, startSteps({ ...parts, unitId, setsClock, store }), {
    ...NO_NOTES,
    profile,
    begunAt: job.clock.now(),
  });
  try {
    await steps.run(parts.retryMs);
  } catch (error) {
    const condition = () =>
      steps.notes.startAt === null
        ? Promise.resolve('No measurement was started.')
        : measuringState(parts.host, unitId);
    throw await inCondition(job, error, steps.present, condition);
  } finally {
    if (steps.isDone('start')) await noteCycle(parts, job, steps.notes);
  }
  const { storeName, storeMode, startAt, isOver, clockBefore } = steps.notes;
  job.say(startedMessage(steps.notes));
  return {
    store_name: storeName,
    store_mode: storeMode,
    started_at: iso(startAt),
    is_over: isOver,
    clock_before_s: clockBefore,
    profile,
    steps: steps.shown,
  };
}

/** Also for a job that failed later: the measurement goes on. If the database does not accept it, nothing stops. */
async function noteCycle({ host, cycles }: CycleParts, job: JobRun, { storeName, startAt, profile }: StartNotes) {
  const unitId = job.unitId ?? '';
  // The removal of the unit ends the job, and has removed its row.
  if (!host.configs.get(unitId)) return;
  await cycles
    .put({ unitId, storeName, startedAt: startAt ?? job.clock.now(), profile })
    .catch((err: unknown) => job.log.warn({ err }, 'which measurement was started last is written later'));
}

function startedMessage({ storeName, isOver }: StartNotes): string {
  const place = storeName === null ? 'stores nothing by itself' : `stores under ${storeName}`;
  return isOver ? `The measurement is over already; the meter ${place}.` : `The meter measures and ${place}.`;
}

async function runStop(parts: CycleParts, job: JobRun<unknown, Checkpoint<StopNotes>>): Promise<object> {
  const unitId = job.unitId ?? '';
  const startWaits = () => hasWaited(parts, unitId);
  const steps = new StepRun(job, stopSteps({ ...parts, unitId, startWaits }), NO_STOP_NOTES);
  try {
    await steps.run(parts.retryMs);
  } catch (error) {
    throw await inCondition(job, error, steps.present, () => leave(parts, unitId, steps.notes));
  }
  const { folder, files, bytes, verified, leftToMirror, mirrorJob } = steps.notes;
  job.say(stoppedMessage(steps.notes));
  const mirror = leftToMirror ? String(mirrorJob) : null;
  return { folder, files, bytes, verified, mirror_job: mirror, steps: steps.shown };
}

function stoppedMessage({ folderName, folder, files, leftToMirror, mirrorJob }: StopNotes): string {
  if (folderName === null) return 'The meter is stopped. Nothing was stored on its card, so there are no files.';
  if (folder === null) return `The meter is stopped; its files stay in ${folderName} on the card.`;
  if (leftToMirror) return `The meter is stopped; the mirror (job ${mirrorJob}) fetches ${folder}.`;
  return `The meter is stopped; ${countOf(files ?? 0, 'file')} of ${folder} ${files === 1 ? 'is' : 'are'} copied.`;
}

async function hasWaited({ host, startWaitsMs }: CycleParts, unitId: string): Promise<boolean> {
  const [start] = await host.jobs.list({ units: [unitId], kinds: [START_CYCLE], states: ['queued'], limit: 1 });
  return start !== undefined && host.clock.now() - start.createdAt >= startWaitsMs;
}

/** FTP is switched back to its earlier state, also after a job that did not finish. */
async function leave({ host }: CycleParts, unitId: string, notes: StopNotes): Promise<string> {
  const condition = await measuringState(host, unitId);
  if (notes.mirrorJob !== null) await endMirror(host, notes.mirrorJob).catch(() => {});
  const files = notes.verified ? '' : ' What is on the card stays there.';
  if (notes.ftpBefore !== 'Off') return `${condition}${files}`;
  try {
    await afterwards(host, (signal) => host.meter(unitId).perform('setFileServer', { signal }, false));
    return `${condition}${files} FTP is off again.`;
  } catch {
    return `${condition}${files} FTP was off before, and may still be on.`;
  }
}

async function endMirror(host: Host, id: number): Promise<void> {
  await host.jobs.cancel(id);
  await afterwards(host, async (signal) => {
    while ((await host.jobs.get(id))?.state === 'running') await sleep(host.clock, 500, signal);
  });
}

/** The error, with the state of the meter in words. An error of a stop of the gateway gets none: the job goes on later. */
async function inCondition(
  job: JobRun,
  error: unknown,
  step: string | undefined,
  condition: () => Promise<string>,
): Promise<unknown> {
  if (job.signal.aborted && !job.isCancelled) return error;
  const words = `It ended in ${step ?? 'its last step'}. ${await condition()}`;
  if (job.isCancelled) {
    job.say(words);
    return error;
  }
  if (!isGatewayError(error)) return error;
  return new GatewayError(error.code, `${error.message.replace(/\.?$/, '.')} ${words}`, { cause: error });
}

/** A person waits for the end of a cancelled job. */
const ASKED_MS = 20_000;

/** Asks the meter whether it measures. Never rejects. */
async function measuringState(host: Host, unitId: string): Promise<string> {
  try {
    const measuring = await afterwards(host, (signal) => host.meter(unitId).perform('measuring', { signal }));
    return measuring ? 'The meter measures.' : 'The meter does not measure.';
  } catch (error) {
    return `It is not known whether the meter measures: ${messageOf(error)}`;
  }
}

/** For work that must still be done after the job's own signal has aborted. */
function afterwards<T>(host: Host, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = () => new GatewayError('DEVICE_TIMEOUT', `The meter did not answer within ${ASKED_MS / 1_000} s.`);
  return within(host.clock, ASKED_MS, late, work, host.signal);
}
