/** Reads complete files of levels of a card into the history, each once; then their hours are compared with the live levels. */
import { createReadStream } from 'node:fs';
import { type CardFormat, type JobRun, readClock, type Weighting, zones } from '../../lib/built-in.ts';
import { type DeviceConfig, type History, type HistoryRow, type Host, messageOf } from '../../lib/index.ts';
import { type CardFile, type Parsed, toHistory } from './history-rows.ts';
import { MeterClock } from './meter-clock.ts';
import { isHere, type Progress, pathOfCopy } from './places.ts';
import type { MirrorStore } from './store.ts';
import type { FileRow, HourRow } from './tables.ts';

type Reconciled = Omit<HourRow, 'unitId'>;

const HOUR = 3_600;
const MINUTE = 60;
/** Seconds that a complete minute needs. */
const WHOLE = 58;

/** Compares levels of the card with live levels, hour by hour. Hours with minutes of both. */
export async function* reconcile(
  history: History,
  unitId: string,
  { from, to, weighting }: { readonly from: number; readonly to: number; readonly weighting: Weighting },
  signal: AbortSignal,
): AsyncGenerator<Reconciled> {
  for (let hour = Math.floor(from / HOUR) * HOUR; hour < to; hour += HOUR) {
    const over = { from: hour, to: hour + HOUR, step: MINUTE };
    const ask = async (source: 'card' | 'stream') => {
      const answer = await history.query({ unitId, over, source, weighting }, signal);
      const rows: HistoryRow[] = [];
      for await (const page of answer.rows) rows.push(...page);
      return { rows, others: answer.otherWeightings };
    };
    const card = await ask('card');
    const live = await ask('stream');
    const seen = live.rows.some(({ measured }) => measured > 0);
    const [other] = live.others;
    yield {
      hour,
      ...compared(card.rows, live.rows),
      otherWeighting: !seen && other ? other.frequency + other.time : null,
    };
  }
}

function compared(card: readonly HistoryRow[], live: readonly HistoryRow[]) {
  const byMinute = new Map(live.map((row) => [row.from, row]));
  const differences: number[] = [];
  let filled = 0;
  for (const row of card) {
    const other = byMinute.get(row.from);
    filled += Math.max(0, row.measured - (other?.measured ?? 0));
    if (row.leq === null || !other || other.leq === null) continue;
    if (row.measured >= WHOLE && other.measured >= WHOLE) differences.push(row.leq - other.leq);
  }
  const mean = differences.reduce((sum, value) => sum + value, 0) / differences.length;
  return {
    compared: differences.length,
    meanDifference: differences.length > 0 ? mean : null,
    largestDifference: differences.length > 0 ? Math.max(...differences.map(Math.abs)) : null,
    filled: Math.round(filled),
  };
}

/** A larger mean difference is reported, dB. */
const LARGEST_MEAN_DB = 0.3;

export class Parsing {
  readonly #host: Pick<Host, 'families' | 'meter' | 'history' | 'publish'>;
  readonly #store: MirrorStore;
  readonly #folder: string;
  readonly #job: JobRun;
  readonly #config: DeviceConfig;
  readonly #format: CardFormat | undefined;

  constructor(
    host: Pick<Host, 'families' | 'meter' | 'history' | 'publish'>,
    store: MirrorStore,
    folder: string,
    job: JobRun,
    config: DeviceConfig,
  ) {
    this.#host = host;
    this.#store = store;
    this.#folder = folder;
    this.#job = job;
    this.#config = config;
    this.#format = host.families.get(config.family).card;
  }

  /** Compares the clock of the meter with ours, for the times of the files. It is no error if the meter does not answer. */
  async readClock(): Promise<void> {
    const { unitId, tcpEnabled, timezone } = this.#config;
    if (!tcpEnabled || !this.#host.meter(unitId).can('clock')) return;
    const { clock, signal, caller, log } = this.#job;
    try {
      const look = await readClock(this.#host.meter(unitId), clock, caller);
      if (!look) return;
      const { at, offsetMs, uncertaintyMs: uncertainty } = look;
      await this.#store.putClock({ unitId, at, offset: offsetMs + zones.zoneOffset(timezone, at), uncertainty });
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ unit_id: unitId, reason: messageOf(error) }, 'the clock of the meter could not be read');
    }
  }

  /** Returns the number of files that were read into the history. */
  async run(card: number, progress: Progress): Promise<number> {
    const { unitId } = this.#config;
    const format = this.#format;
    if (!format) return 0;
    const headers = new Map<string, FileRow>();
    const levels: FileRow[] = [];
    for await (const page of this.#store.all(unitId, card))
      for (const row of page) {
        if (row.sha256 === null) continue;
        const kind = format.kindOf(row.path);
        if (kind === 'header') headers.set(folderOf(row.path), row);
        else if (kind === 'levels') levels.push(row);
      }
    const files = levels.filter(({ state, parsed, sha256 }) => state === 'complete' && parsed !== sha256);
    if (files.length === 0) return 0;
    // The numbers in their names increase with time.
    files.sort((a, b) => (a.path < b.path ? -1 : 1));
    const zone = this.#config.timezone;
    const changes = (from: number, to: number) => zones.changesOf(zone, from, to);
    const clock = new MeterClock(await this.#store.clocks(unitId), changes);
    progress.leave(files.reduce((sum, { size }) => sum + size, 0));
    let read = 0;
    for (const file of files) {
      this.#job.say(`Levels are read from ${file.path}.`);
      const header = headerFor(file.path, headers);
      // The copy may be missing: another instance has it, or a person has removed it.
      if ((await this.#isHere(file)) && (!header || (await this.#isHere(header)))) {
        const store = levels.filter(({ path }) => headerFor(path, headers) === header);
        await this.#parse(file, header, store, clock, format);
        read += 1;
      } else {
        const words = 'the levels of a file cannot be read: its copy is not on this computer';
        this.#job.log.warn({ unit_id: unitId, path: file.path }, words);
      }
      progress.pass(file.size);
    }
    return read;
  }

  #isHere = (row: FileRow): Promise<boolean> => isHere(this.#folder, row);

  async #parse(
    file: FileRow,
    header: FileRow | undefined,
    store: readonly FileRow[],
    clock: MeterClock,
    format: CardFormat,
  ): Promise<void> {
    const open = (row: FileRow) => createReadStream(pathOfCopy(this.#folder, row));
    const meaning = header && (await format.readHeader(open(header)));
    const isShort = meaning?.lpInterval != null && meaning.lpInterval <= 1_000;
    const source: CardFile = {
      unitId: file.unitId,
      open: () => open(file),
      header: meaning,
      format,
      hasShorterLeq: isShort && (await this.#hasLeqOfSamples(store, format)),
    };
    const parsed = await toHistory(this.#host.history, source, clock, this.#job.signal);
    await this.#compare(file.unitId, parsed);
    await this.#store.putFiles([{ ...file, parsed: file.sha256, rows: parsed.rows, problems: parsed.problems }]);
  }

  /** In files without Measurement Time, the first readable row shows the kind of their levels. */
  async #hasLeqOfSamples(store: readonly FileRow[], format: CardFormat): Promise<boolean> {
    for (const row of store) {
      if (!(await this.#isHere(row))) continue;
      const bytes = createReadStream(pathOfCopy(this.#folder, row));
      for await (const item of format.readLevels(bytes, { growing: true })) {
        if (!('row' in item)) continue;
        if (item.row.duration === null) return item.row.leq !== null;
        break;
      }
    }
    return false;
  }

  async #compare(unitId: string, { from, to, weighting }: Parsed): Promise<void> {
    if (from === null || to === null || weighting === null) return;
    for await (const hour of reconcile(this.#host.history, unitId, { from, to, weighting }, this.#job.signal)) {
      const [before] = await this.#store.hours(unitId, hour.hour, hour.hour + 1);
      await this.#store.putHour({ unitId, ...hour });
      // The rest of the hour may be in another file: an hour is reported once.
      const isNew = {
        differs: differs(hour) && !differs(before),
        weighting: hour.otherWeighting !== null && !before?.otherWeighting,
      };
      if (isNew.differs || isNew.weighting) this.#host.publish(unitId, 'file', { reconciliation: hour });
    }
  }
}

const differs = (hour: Pick<Reconciled, 'meanDifference'> | undefined): boolean =>
  Math.abs(hour?.meanDifference ?? 0) > LARGEST_MEAN_DB;

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

/** The header of a store is in its folder, the levels are in subfolders. */
const headerFor = (path: string, headers: ReadonlyMap<string, FileRow>): FileRow | undefined => {
  const folder = folderOf(path);
  return headers.get(folder) ?? headers.get(folderOf(folder));
};
