/** One run of the mirror over the card of one unit: lists, identifies the card, fetches new files, reads their levels. */
import { rm } from 'node:fs/promises';
import { type CardFormat, type CardVisit, countOf, indices, type JobRun, untilServed } from '../../lib/built-in.ts';
import { type Caller, type DeviceConfig, type Host, messageOf } from '../../lib/index.ts';
import { beginsAs, Holdings, type Listed, listAll, listedText, unreadFiles, whichCard } from './card-listing.ts';
import { Fetching } from './fetching.ts';
import { Parsing } from './parsing.ts';
import { copyPlaceOf, LimitReached, Limits, Progress, pathOfCopy } from './places.ts';
import { findRecordings } from './recordings.ts';
import type { MirrorStore } from './store.ts';
import type { FileRow, UnitRow } from './tables.ts';

interface Checkpoint {
  readonly ftpWasOff?: boolean;
}

type Run = JobRun<{ readonly byPerson?: true }>;

/**
 * Does the work with FTP of the meter on: switched on if it is off, and off again afterwards, also after a failure. FTP that
 * a person switches on meanwhile stays on. The job stores that it was off, so that a run that goes on after a restart still
 * switches it off.
 */
async function withFtp<T>(
  host: Pick<Host, 'meter' | 'card' | 'on'>,
  { caller, checkpoint, clock, input, log, save, say, signal }: Run,
  { unitId, tcpEnabled }: DeviceConfig,
  work: () => Promise<T>,
): Promise<T> {
  let wasOff = (checkpoint as Checkpoint | undefined)?.ftpWasOff ?? false;
  // A run that began by itself lets operators go first, also with the commands that start a measurement.
  const polite: Caller = { ...caller, priority: input.byPerson ? 'operator' : 'background' };
  /** False: FTP is on already, or it cannot be switched. A meter that answers no commands may still serve FTP. */
  const switchOn = async (): Promise<boolean> => {
    try {
      const meter = host.meter(unitId);
      if (!meter.can('fileServer', 'setFileServer') || (await meter.perform('fileServer', polite))) return false;
      say('FTP of the meter is switched on.');
      wasOff = true;
      await save({ ftpWasOff: true } satisfies Checkpoint);
      await meter.perform('setFileServer', polite, true);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ unit_id: unitId, reason: messageOf(error) }, 'FTP of the meter could not be switched on');
      return false;
    }
  };
  const switchOff = async (): Promise<void> => {
    try {
      // The signal of the job may have aborted.
      const patient = { ...polite, signal: new AbortController().signal };
      await host.meter(unitId).perform('setFileServer', patient, false);
    } catch (error) {
      log.warn({ unit_id: unitId, reason: messageOf(error) }, 'FTP of the meter stays on');
    }
  };
  const stayOn = () => {
    if (!wasOff) return;
    wasOff = false;
    save({ ftpWasOff: false } satisfies Checkpoint).catch((error: unknown) =>
      log.warn({ unit_id: unitId, reason: messageOf(error) }, 'after a restart FTP of the meter is switched off'),
    );
  };
  const disconnect = host.on(
    'request',
    ({ data: { route, status } }) => {
      if (route === '/{unit_id}/ftp/enable' && status === 200) stayOn();
    },
    { units: new Set([unitId]) },
  );
  try {
    if (tcpEnabled && (await switchOn())) await untilServed(host.card(unitId), clock, caller);
    return await work();
  } finally {
    disconnect();
    // If the gateway stops, the next start does it.
    if (wasOff) await switchOff();
  }
}

const DAY = 86_400_000;

export interface MirrorSettings {
  readonly min_free_mb: number;
}

export interface MirrorInput {
  /** A folder of the card: the result has the number of its copied files. */
  readonly folder?: string;
  readonly byPerson?: true;
}

/** One run of the job. It goes on after a restart: whole files are not fetched again. */
export class MirrorRun {
  readonly #host: Host<MirrorSettings>;
  readonly #store: MirrorStore;
  readonly #folder: string;
  readonly #job: JobRun<MirrorInput>;
  readonly #config: DeviceConfig;
  /** One login for all files; other requests for the card go first. */
  readonly #card: CardVisit;
  readonly #format: CardFormat | undefined;
  readonly #agesFrom: () => number;
  #holdings = new Holdings();

  /** `agesFrom`: the time from which the age of replaced versions is counted, ms since 1970. */
  constructor(
    host: Host<MirrorSettings>,
    store: MirrorStore,
    folder: string,
    job: JobRun<MirrorInput>,
    agesFrom: () => number,
  ) {
    const config = host.configs.of(job.unitId ?? '');
    this.#host = host;
    this.#store = store;
    this.#folder = folder;
    this.#job = job;
    this.#config = config;
    // Not as the job: each time that others had the card or the meter, it would interrupt a watched stream once more.
    const { signal, deadlineMs } = job.caller;
    this.#card = host.card(config.unitId).visit({ signal, deadlineMs, who: 'mirror', givesWay: true });
    this.#agesFrom = agesFrom;
    this.#format = host.families.get(config.family).card;
  }

  readonly #isStore = (path: string): boolean => this.#format?.kindOf(path) !== undefined;

  run() {
    return withFtp(this.#host, this.#job, this.#config, async () => {
      try {
        return await this.#run();
      } finally {
        await this.#card.close();
      }
    });
  }

  async #run() {
    const { unitId, mirror } = this.#config;
    const { log, say, clock } = this.#job;
    const parsing = new Parsing(this.#host, this.#store, this.#folder, this.#job, this.#config);
    if (mirror.parse) await parsing.readClock();
    say('Listing the card.');
    const listed = await listAll(this.#card, mirror.paths);
    const present = await this.#store.unit(unitId);
    await this.#dropUnneeded();
    this.#holdings = await Holdings.of(this.#store, unitId);
    const times = new Map(
      [...listed].map(([path, entry]) => [path, { size: entry.size, modified: listedText(entry) }]),
    );
    const card = await this.#whichCard(times, present.card);
    if (card !== present.card && present.card > 0) log.warn({ unit_id: unitId, card }, 'another card is in the meter');
    const day = indices.localDays(this.#config.timezone, { from: clock.now(), to: clock.now() + 1 })[0]?.date ?? '';
    const unit: UnitRow = {
      ...present,
      card,
      lastRun: clock.now(),
      day,
      dayBytes: present.day === day ? present.dayBytes : 0,
    };
    await this.#store.putUnit(unit);
    const gone = this.#holdings.gone(card, listed);
    await this.#store.markGone(gone);
    const limits = new Limits({
      folder: this.#folder,
      maxMbPerDay: mirror.maxMbPerDay,
      maxGb: mirror.maxGb,
      minFreeMb: this.#host.settings.min_free_mb,
      today: unit.dayBytes,
      kept: this.#holdings.bytes,
    });
    const progress = new Progress(
      this.#job,
      workIn(listed, (path) => mirror.parse && this.#format?.kindOf(path) === 'levels'),
    );
    const unread = unreadFiles(listed, this.#holdings, card, mirror.parse ? this.#format : undefined);
    const done = { fetched: 0, growing: 0, replaced: 0 };
    const fetching = new Fetching({
      store: this.#store,
      root: this.#folder,
      job: this.#job,
      publish: this.#host.publish,
      visit: this.#card,
      unitId,
      card,
      holdings: this.#holdings,
      unread,
      limits,
      progress,
    });
    let stopped: string | null = null;
    try {
      await fetching.all(listed, done);
    } catch (error) {
      if (!(error instanceof LimitReached)) throw error;
      stopped = error.message;
    } finally {
      await this.#store.putUnit({ ...unit, dayBytes: unit.dayBytes + limits.fetched });
      await this.#dropUnneeded();
    }
    const parsed = mirror.parse ? await parsing.run(card, progress) : 0;
    await this.#findRecordings();
    if (stopped === null) progress.leave(0);
    say(
      `${stopped ?? `${done.fetched} of ${countOf(listed.size, 'file')} ${done.fetched === 1 ? 'was' : 'were'} fetched.`}${redatedWords(fetching.redated)}`,
    );
    return {
      card,
      listed: listed.size,
      ...done,
      bytes: limits.fetched,
      gone: gone.length,
      parsed,
      stopped,
      folder: await this.#kept(card),
    };
  }

  async #findRecordings(): Promise<void> {
    const { unitId, timezone: zone } = this.#config;
    const parts = { store: this.#store, root: this.#folder, unitId, zone, signal: this.#job.signal };
    if (this.#format) await findRecordings({ ...parts, format: this.#format });
  }

  /** If no file of a known card is certainly the same, the bytes of a similar file decide. */
  async #whichCard(times: Parameters<typeof whichCard>[1], present: number): Promise<number> {
    const { unitId, mirror } = this.#config;
    const found = whichCard(this.#holdings.seen, times, present, mirror.paths, this.#isStore);
    if (found.asked === undefined) return found.card;
    const held = await this.#store.file(copyPlaceOf(this.#folder, unitId, found.card, found.asked).id);
    return held === undefined || (await beginsAs(this.#card, held, this.#folder)) ? found.card : found.next;
  }

  /** Removes versions that newer copies contain, and versions that were replaced long ago. */
  async #dropUnneeded(): Promise<void> {
    const { unitId, mirror } = this.#config;
    const { keepReplacedDays } = mirror;
    const before = keepReplacedDays === 0 ? 0 : this.#agesFrom() - keepReplacedDays * DAY;
    for (const version of await this.#store.unneeded(unitId, before)) {
      await rm(pathOfCopy(this.#folder, version), { force: true });
      await this.#store.dropVersion(version);
    }
  }

  /** The copies of the wanted folder and everything in it, and the first paths of files without a complete copy. */
  async #kept(card: number) {
    const { folder } = this.#job.input;
    if (folder === undefined) return null;
    const rows: FileRow[] = [];
    for await (const page of this.#store.all(this.#config.unitId, card))
      rows.push(...page.filter(({ path, state }) => path.startsWith(`${folder}/`) && state !== 'gone_from_card'));
    const incomplete = rows.filter(({ state }) => state !== 'complete').map(({ path }) => path);
    const bytes = rows.reduce((sum, { kept }) => sum + kept, 0);
    return { path: folder, files: rows.length, bytes, incomplete: incomplete.slice(0, 20) };
  }
}

const redatedWords = (count: number): string =>
  count === 0
    ? ''
    : ` Listed with another year than before, and the same: ${count}; the clock of the meter was set, or is years off.`;

/** Bytes to process; the levels of a file are read after its transfer. */
function workIn(listed: Listed, isRead: (path: string) => boolean): number {
  let bytes = 0;
  for (const { path, size } of listed.values()) bytes += isRead(path) ? 2 * size : size;
  return bytes;
}
