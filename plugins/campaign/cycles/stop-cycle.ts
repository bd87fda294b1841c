/** The job that ends a measurement and copies its files. At its end the FTP server of the meter is as before. */
import { countOf, untilServed } from '../../../lib/built-in.ts';
import { GatewayError, type Host, isGatewayError, type Reservation, sleep } from '../../../lib/index.ts';
import type { CycleStore } from './cycle-store.ts';
import { countOnCard, fetchFolder, findFolder, leaveToMirror } from './fetched-store.ts';
import type { CycleStep, StepContext } from './steps.ts';

export interface StopNotes {
  /** When the stop was about to be sent, ms since 1970 UTC. */
  readonly stopAt: number | null;
  /** Name of the folder on the card; null: the meter stored nothing by itself. */
  readonly folderName: string | null;
  /** The state of the meter's FTP server before this job. */
  readonly ftpBefore: 'On' | 'Off' | null;
  readonly folder: string | null;
  readonly mirrorJob: number | null;
  readonly files: number | null;
  readonly bytes: number | null;
  readonly verified: boolean;
  /** The mirror fetches the files by itself: a start waited. */
  readonly leftToMirror: boolean;
}

export const NO_STOP_NOTES: StopNotes = {
  stopAt: null,
  folderName: null,
  ftpBefore: null,
  folder: null,
  mirrorJob: null,
  files: null,
  bytes: null,
  verified: false,
  leftToMirror: false,
};

interface StopParts {
  readonly host: Host;
  readonly unitId: string;
  readonly cycles: CycleStore;
  /** Whether a start of the unit has waited so long that this job must leave the files to the mirror. */
  readonly startWaits: () => Promise<boolean>;
}

type Context = StepContext<StopNotes>;

const SEEN_MS = 15_000;
const LOOK_MS = 500;
const FTP_IS_OFF = 'FTP is off in the config of the unit: the files stay on the card.';

export const stopSteps = (parts: StopParts): readonly CycleStep<StopNotes>[] => [
  { name: 'stop', title: 'Stop the measurement', run: (context) => stop(parts, context) },
  { name: 'seen_stopped', title: 'Check that it has stopped', run: (context) => seenStopped(parts, context) },
  { name: 'ftp_on', title: 'Switch FTP on', run: (context) => ftpOn(parts, context) },
  { name: 'fetch', title: 'Fetch the new folder', run: (context) => fetch(parts, context) },
  { name: 'verify', title: 'Compare it with the card', run: (context) => verify(parts, context) },
  { name: 'ftp_as_before', title: 'Switch FTP back as it was', run: (context) => ftpAsBefore(parts, context) },
];

const meterOf = ({ host, unitId }: StopParts) => host.meter(unitId);
/** A meter without a switch for its FTP server has FTP on, or no FTP. */
const mayUseFtp = ({ host, unitId }: StopParts): boolean =>
  (host.configs.get(unitId)?.ftpEnabled ?? false) && host.meter(unitId).family.card !== undefined;
const canSwitchFtp = (parts: StopParts): boolean => meterOf(parts).can('fileServer', 'setFileServer');

/** Reads mode and name before the stop, since the stop may change the name. */
async function stop(parts: StopParts, context: Context): Promise<string> {
  const work = async (reservation: Reservation): Promise<string> => {
    const { notes, keep } = context;
    const isMeasuring = await reservation.perform('measuring');
    if (notes.stopAt === null || isMeasuring) {
      const folderName = await folderOf(parts, reservation, isMeasuring);
      await keep({ folderName, stopAt: parts.host.clock.now() });
    }
    if (isMeasuring) await stopUnlessOver(reservation);
    return isMeasuring ? 'The meter was measuring.' : 'The meter had stopped already.';
  };
  return meterOf(parts).reserve('stop cycle', work, context.job.caller);
}

/** The folder of this measurement, or of the last measurement; null: the meter stores nothing by itself. */
async function folderOf(
  { host, unitId, cycles }: StopParts,
  reservation: Reservation,
  isMeasuring: boolean,
): Promise<string | null> {
  const { card } = host.meter(unitId).family;
  if (!card || !host.meter(unitId).can('storeMode', 'storeName')) return null;
  const { isAutomatic } = await reservation.perform('storeMode');
  const there = await reservation.perform('storeName');
  const storeName = isMeasuring ? there : (cycles.find(unitId)?.storeName ?? there);
  return isAutomatic ? card.folderOf(storeName) : null;
}

/** A measurement may end by itself just now; then the meter refuses the stop. */
async function stopUnlessOver(reservation: Reservation): Promise<void> {
  try {
    await reservation.perform('stop');
  } catch (error) {
    if (!isGatewayError(error, 'DEVICE_WRONG_STATE')) throw error;
    if (await reservation.perform('measuring')) throw error;
  }
}

async function seenStopped({ host, unitId }: StopParts, { job }: Context): Promise<string> {
  const until = host.clock.elapsed() + SEEN_MS;
  for (;;) {
    if (!(await host.meter(unitId).perform('measuring', job.caller))) return 'The meter does not measure.';
    if (host.clock.elapsed() >= until) break;
    await sleep(host.clock, LOOK_MS, job.signal);
  }
  throw new GatewayError('DEVICE_WRONG_STATE', 'The meter accepted the stop but still measures, or was started again.');
}

/** The earlier state of FTP is on the disk before it is changed. The server takes some seconds to start. */
async function ftpOn(parts: StopParts, { notes, keep, job }: Context): Promise<string> {
  if (!mayUseFtp(parts)) return FTP_IS_OFF;
  const { host, unitId } = parts;
  const caller = job.caller;
  const present = !canSwitchFtp(parts) || (await meterOf(parts).perform('fileServer', caller)) ? 'On' : 'Off';
  if (notes.ftpBefore === null || present === 'Off') await keep({ ftpBefore: present });
  if (present === 'Off') {
    await meterOf(parts).perform('setFileServer', caller, true);
    await untilServed(host.card(unitId), host.clock, caller);
  }
  // A second try finds FTP on, because the first try switched it on.
  return present === 'Off' || notes.ftpBefore === 'Off' ? 'FTP was off.' : 'FTP was on.';
}

/** Another run of the mirror may have switched FTP on, and switches it off when it ends. */
async function overFtp<T>(parts: StopParts, context: Context, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isGatewayError(error, 'DEVICE_UNREACHABLE', 'DEVICE_TIMEOUT')) throw error;
    await ftpOn(parts, context);
    return work();
  }
}

async function fetch(parts: StopParts, context: Context): Promise<string> {
  const { host, unitId } = parts;
  const { notes, keep, job } = context;
  if (!mayUseFtp(parts)) return FTP_IS_OFF;
  if (notes.folderName === null)
    return 'The store mode is Manual: the meter stores nothing by itself, and there is no new folder.';
  const { folderName } = notes;
  const folder =
    notes.folder ?? (await overFtp(parts, context, () => findFolder(host, unitId, folderName, job.caller)));
  if (folder === undefined)
    throw new GatewayError(
      'FILE_NOT_FOUND',
      `The folder ${notes.folderName} is not on the card below the paths of the mirror (${host.configs.get(unitId)?.mirror.paths.join(', ')}).`,
    );
  await keep({ folder });
  const kept = await fetchFolder({
    host,
    unitId,
    folder,
    job,
    started: notes.mirrorJob,
    keep: (mirrorJob) => keep({ mirrorJob }),
    mustYield: parts.startWaits,
  });
  if (kept === 'yields') {
    await keep({ leftToMirror: true });
    return 'The next start has waited long enough: the mirror goes on by itself.';
  }
  await keep({ files: kept.files, bytes: kept.bytes });
  return `${countOf(kept.files, 'file')} of ${folder} ${kept.files === 1 ? 'is' : 'are'} copied, ${countOf(kept.bytes, 'byte')}.`;
}

/** Lists the card once more: files that came after the mirror's listing are fetched, too. */
async function verify(parts: StopParts, context: Context): Promise<string> {
  const { host, unitId } = parts;
  const { folder } = context.notes;
  if (folder === null) return 'There is nothing to compare.';
  for (let runs = 0; ; runs += 1) {
    if (context.notes.leftToMirror) return 'Not compared: the mirror has not finished.';
    const count = () => countOnCard(host, unitId, folder, context.job.caller);
    const card = await overFtp(parts, context, count);
    if (card.files === 0)
      throw new GatewayError('FILE_NOT_FOUND', `The folder ${folder} on the card is empty: the meter stored nothing.`);
    if (card.files === context.notes.files && card.bytes === context.notes.bytes) {
      await context.keep({ verified: true });
      return `The card lists ${countOf(card.files, 'file')} and ${countOf(card.bytes, 'byte')}, and the copies have the same.`;
    }
    if (runs > 0)
      throw new GatewayError(
        'FTP_FAILED',
        `The card lists ${countOf(card.files, 'file')} and ${countOf(card.bytes, 'byte')} in ${folder}; the copies have ${context.notes.files} and ${context.notes.bytes}.`,
      );
    await fetch(parts, context);
  }
}

async function ftpAsBefore(parts: StopParts, { notes, job, keep }: Context): Promise<string> {
  const switchOff = () => meterOf(parts).perform('setFileServer', job.caller, false);
  const isOff = notes.ftpBefore === 'Off';
  if (notes.leftToMirror) {
    const { host, unitId } = parts;
    const id = await leaveToMirror(host, unitId, notes.mirrorJob, isOff ? switchOff : null, job.signal);
    await keep({ mirrorJob: id });
    return isOff ? `FTP is switched off when the mirror (job ${id}) has finished.` : 'It stays on.';
  }
  if (!isOff) return 'It stays on.';
  await switchOff();
  return 'FTP is off again.';
}
