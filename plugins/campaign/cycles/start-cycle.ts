/**
 * The job that starts a measurement without anybody at the meter. The start must never happen twice. Before it is sent, this is
 * written to the disk; after a restart the meter is asked whether it has started:
 *
 *   it measures                          it has begun
 *   stopped, and the card has the name   it has begun, and ended by itself
 *   stopped, and the card has not        it never began: it is sent now
 *
 * In manual store mode the card does not show this. There a sent start is not sent again if the measurement may be over.
 */
import {
  type Caller,
  GatewayError,
  type Host,
  isGatewayError,
  iso,
  type Reservation,
  sleep,
} from '../../../lib/index.ts';
import type { ClockSync } from '../clock/clock-sync.ts';
import { applySettings } from '../profiles/apply-profile.ts';
import { type ProfileSettings, settingsAmong } from '../profiles/profile.ts';
import type { ProfileStore } from '../profiles/profile-store.ts';
import type { CycleStep, StepContext } from './steps.ts';
import { STORE_SETTING, type StoreWish } from './store-wish.ts';

const MOST_TRIES = 100;
const NAMES = 10_000;

const padded = (number: number): string => String(number).padStart(4, '0');

/** The first name from the present one on that is free: a start under an existing name may overwrite it (field report). Errors: as `Reservation.perform`, STORE_NAMES_TAKEN. */
async function freeStoreName(host: Host, unitId: string, caller: Caller): Promise<string> {
  const meter = host.meter(unitId);
  const first = Number(await meter.perform('storeName', caller));
  if (!(await meter.perform('isStoreNameTaken', caller))) return padded(first);
  for (let tries = 1; tries < MOST_TRIES; tries += 1) {
    const name = (first + tries) % NAMES;
    const attempt = (reservation: Reservation) => isFreeName(reservation, name);
    if (await meter.reserve('find a store name', attempt, caller)) return padded(name);
  }
  await meter.perform('setStoreName', caller, first);
  const last = padded((first + MOST_TRIES - 1) % NAMES);
  throw new GatewayError(
    'STORE_NAMES_TAKEN',
    `The card has data under each of the ${MOST_TRIES} store names from ${padded(first)} to ${last}. Set the store name to a free one (PUT index-number) or change the card. Nothing was overwritten.`,
  );
}

async function isFreeName(reservation: Reservation, name: number): Promise<boolean> {
  await reservation.perform('setStoreName', name);
  return !(await reservation.perform('isStoreNameTaken'));
}

export interface StartNotes {
  /** When the job began, ms since 1970 UTC. */
  readonly begunAt: number;
  readonly profile: string | null;
  readonly clockBefore: number | null;
  readonly storeMode: string | null;
  readonly storeName: string | null;
  /** When the start was about to be sent, ms since 1970 UTC. */
  readonly startAt: number | null;
  /** The measurement was over before the gateway saw it. */
  readonly isOver: boolean;
}

export const NO_NOTES: Omit<StartNotes, 'begunAt'> = {
  profile: null,
  clockBefore: null,
  storeMode: null,
  storeName: null,
  startAt: null,
  isOver: false,
};

interface StartParts {
  readonly host: Host;
  readonly unitId: string;
  readonly setsClock: boolean;
  readonly store: StoreWish | undefined;
  readonly clocks: ClockSync;
  readonly profiles: ProfileStore;
  readonly retryMs: number;
  /** The gateway may be down meanwhile: a start that is this much later than its job is left out. ms. */
  readonly tooLateMs: number;
}

type Context = StepContext<StartNotes>;

/** The meter may show a start late; public code asks three times in 1.5 s. */
const SEEN_MS = 15_000;
const LOOK_MS = 500;
/** How often the meter is asked whether the start has worked, about a second each. */
const SEEN_LATE = 3;

const REFUSED = ['DEVICE_WRONG_STATE', 'DEVICE_REFUSED_COMMAND', 'DEVICE_REFUSED_PARAMETER'] as const;

export const startSteps = (parts: StartParts): readonly CycleStep<StartNotes>[] => [
  { name: 'ready', title: 'Check that the meter does not measure', run: (context) => ready(parts, context) },
  { name: 'sleep_off', title: 'Switch the sleep mode off', run: (context) => sleepOff(parts, context) },
  { name: 'clock', title: 'Set the clock', run: (context) => setClock(parts, context) },
  { name: 'profile', title: 'Apply the profile', run: (context) => bringProfile(parts, context) },
  { name: 'store_name', title: 'Find a free store name', run: (context) => chooseName(parts, context) },
  { name: 'start', title: 'Start the measurement', run: (context) => start(parts, context) },
  { name: 'seen', title: 'Check that it measures', run: (context) => seen(parts, context) },
];

const meterOf = ({ host, unitId }: StartParts) => host.meter(unitId);

async function ready(parts: StartParts, { job }: Context): Promise<undefined> {
  if (!(await meterOf(parts).perform('measuring', job.caller))) return;
  throw new GatewayError(
    'DEVICE_WRONG_STATE',
    'The meter measures already. Stop it first (POST cycle/stop), then start the next measurement.',
  );
}

/** A meter that sleeps cannot be reached. A meter that refuses the command may still measure. */
async function sleepOff(parts: StartParts, { job }: Context): Promise<string | undefined> {
  if (!meterOf(parts).can('setSleepMode')) return 'This meter has no sleep mode.';
  try {
    await meterOf(parts).perform('setSleepMode', job.caller, false);
    return undefined;
  } catch (error) {
    if (!isGatewayError(error, ...REFUSED)) throw error;
    return `The meter did not switch its sleep mode off: ${error.message}`;
  }
}

/** Wrong times can be corrected later; a missing measurement cannot. */
async function setClock(parts: StartParts, { job, keep }: Context): Promise<string> {
  if (!parts.setsClock) return 'The clock was left as it is, as the request said.';
  if (!meterOf(parts).can('clock', 'setClock')) return 'This meter has no clock that can be set.';
  const zone = parts.host.configs.of(parts.unitId).timezone;
  try {
    const work = (reservation: Reservation) => parts.clocks.set(parts.unitId, zone, reservation);
    const { before } = await meterOf(parts).reserve('clock sync', work, job.caller);
    const seconds = Math.round(before.offset / 100) / 10;
    await keep({ clockBefore: seconds });
    return `The clock was ${Math.abs(seconds)} s ${seconds >= 0 ? 'ahead' : 'behind'}.`;
  } catch (error) {
    if (!isGatewayError(error, ...REFUSED)) throw error;
    return `The clock was not set: ${error.message}`;
  }
}

/** The settings that the meter must have at its start: from the profile, and from the request. */
function wantedSettings({ profiles, store }: StartParts, { profile: name }: StartNotes) {
  const profile = name === null ? undefined : profiles.get(name);
  const settings: ProfileSettings = { ...profile?.settings, ...(store && STORE_SETTING[store]) };
  return { profile, settings };
}

async function bringProfile(parts: StartParts, { job, notes }: Context): Promise<string> {
  const { profile, settings } = wantedSettings(parts, notes);
  if (!profile && !parts.store) return 'No profile was given.';
  const changed = await applySettings(parts.host, parts.unitId, settings, job, parts.retryMs);
  if (profile) await parts.profiles.assign(parts.unitId, profile.name);
  const origin = profile ? `the profile ${profile.name}` : 'the request';
  if (changed.length === 0) return `The meter had the settings of ${origin} already.`;
  return `Set by ${origin}: ${changed.map(({ setting, after }) => `${setting} ${after}`).join(', ')}.`;
}

async function chooseName(parts: StartParts, { job, keep }: Context): Promise<string> {
  if (!meterOf(parts).can('storeMode', 'storeName', 'setStoreName', 'isStoreNameTaken')) {
    await keep({ storeMode: null, storeName: null });
    return 'This meter has no store: there will be no files.';
  }
  const { word: storeMode, isAutomatic } = await meterOf(parts).perform('storeMode', job.caller);
  if (!isAutomatic) {
    await keep({ storeMode, storeName: null });
    return 'The store mode is Manual: the meter stores nothing by itself. Set store_mode to Auto, for instance with a profile, to have files.';
  }
  const storeName = await freeStoreName(parts.host, parts.unitId, job.caller);
  await keep({ storeMode, storeName });
  return `The store name is ${storeName}.`;
}

/** Settings, name and start in one reservation: no other command of the gateway can run between them. */
async function start(parts: StartParts, context: Context): Promise<string | undefined> {
  let changed: string | undefined;
  for (let tries = 0; tries < 3; tries += 1) {
    const work = (reservation: Reservation) => startOnce(parts, context, reservation);
    const outcome = await meterOf(parts).reserve('start cycle', work, context.job.caller);
    if (typeof outcome !== 'object') return outcome;
    changed = outcome.changed;
    if (changed !== undefined) await bringProfile(parts, context);
    await chooseName(parts, context);
  }
  if (changed !== undefined)
    throw new GatewayError(
      'DEVICE_WRONG_STATE',
      `Somebody changes the setting ${changed} of the meter at the same time: it is not as it was set.`,
    );
  throw new GatewayError('STORE_NAMES_TAKEN', 'Another program changes the store name of the meter at the same time.');
}

/** Nothing was sent: the name is taken, or a setting was changed after it was set. */
interface NotYet {
  readonly changed: string | undefined;
}

/** The first setting that somebody has changed since it was set. */
async function changedSetting(parts: StartParts, notes: StartNotes, reservation: Reservation) {
  const { host, unitId } = parts;
  const { settings } = wantedSettings(parts, notes);
  const { settings: known } = host.families.get(host.configs.of(unitId).family);
  for (const [{ name }, wanted] of settingsAmong(settings, known)) {
    const found = await reservation.readSetting(name);
    host.publish(unitId, 'setting', { name, value: found });
    if (found !== wanted) return name;
  }
  return undefined;
}

async function startOnce(
  parts: StartParts,
  context: Context,
  reservation: Reservation,
): Promise<string | NotYet | undefined> {
  const { notes, keep, job } = context;
  const isMeasuring = await measures(reservation, notes.startAt === null ? 1 : SEEN_LATE);
  if (isMeasuring && notes.startAt !== null) return 'It measured already when the gateway asked again.';
  if (isMeasuring) throw new GatewayError('DEVICE_WRONG_STATE', 'Somebody else has started a measurement.');
  if (notes.startAt !== null && (await hasEnded(parts, context, reservation))) {
    await keep({ isOver: true });
    return 'The measurement has ended by itself before the gateway asked again.';
  }
  if (notes.storeName !== null) {
    const there = await reservation.perform('storeName');
    if (there !== notes.storeName || (await reservation.perform('isStoreNameTaken'))) return { changed: undefined };
  }
  const changed = await changedSetting(parts, notes, reservation);
  if (changed !== undefined) return { changed };
  refuseTooLate(parts, notes);
  job.signal.throwIfAborted();
  await keep({ startAt: parts.host.clock.now() });
  await reservation.perform('start', { isAwake: true });
  return undefined;
}

function refuseTooLate({ host, tooLateMs }: StartParts, { begunAt }: StartNotes): void {
  if (host.clock.now() - begunAt <= tooLateMs) return;
  throw new GatewayError(
    'TOO_LATE',
    `The start was due at ${iso(begunAt)}; the gateway was down then, and now it is too late.`,
  );
}

/** After a start the meter may need some time to show it. */
async function measures(reservation: Reservation, tries: number): Promise<boolean> {
  const isMeasuring = await reservation.perform('measuring');
  return isMeasuring || tries <= 1 ? isMeasuring : measures(reservation, tries - 1);
}

/** After a sent start, while the meter does not measure: whether there was a measurement. */
async function hasEnded({ host, unitId }: StartParts, { notes }: Context, reservation: Reservation): Promise<boolean> {
  if (notes.storeName !== null) {
    // At the end of a measurement the meter may have moved to the next name.
    if ((await reservation.perform('storeName')) !== notes.storeName)
      await reservation.perform('setStoreName', Number(notes.storeName));
    return reservation.perform('isStoreNameTaken');
  }
  const mayTell = host.meter(unitId).can('measurementSeconds');
  const lasts = mayTell ? (await reservation.perform('measurementSeconds')) * 1_000 : 0;
  if (host.clock.now() - (notes.startAt ?? 0) < lasts) return false;
  throw new GatewayError(
    'DEVICE_WRONG_STATE',
    `A start was sent at ${iso(notes.startAt)}, but it is not known whether the measurement ran, because its time is over. It is not started a second time.`,
  );
}

async function seen(parts: StartParts, { job, notes, keep }: Context): Promise<string> {
  const { host } = parts;
  const until = host.clock.elapsed() + SEEN_MS;
  while (!notes.isOver) {
    if (await meterOf(parts).perform('measuring', job.caller)) return 'The meter measures.';
    if (host.clock.elapsed() >= until) break;
    await sleep(host.clock, LOOK_MS, job.signal);
  }
  if (notes.isOver) return 'The measurement is over already.';
  const look = (reservation: Reservation) => hasEnded(parts, { job, notes, keep }, reservation);
  if (await meterOf(parts).reserve('look for the store', look, job.caller)) {
    await keep({ isOver: true });
    return 'The measurement has ended by itself already.';
  }
  throw new GatewayError('DEVICE_WRONG_STATE', 'The meter accepted the start but does not measure; check its card.');
}
