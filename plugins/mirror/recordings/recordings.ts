/**
 * The times of the sound in copied WAV files: from the time in the name of the file, by the meter's own clock, and the length
 * in its header. For a file without a known time the reason is stored, and the next run tries again.
 */
import { type CardFormat, zones } from '../../../lib/index.ts';
import { MeterClock } from '../meter-clock.ts';
import { pathOfCopy } from '../places.ts';
import type { MirrorStore } from '../store.ts';
import type { FileRow, RecordingRow } from '../tables.ts';
import { lengthOfWave } from './wave.ts';

/** Names have whole seconds: the sound begins in the middle of a second, plus or minus this, ms. */
const HALF_SECOND = 500;

/** The parts that are needed to read the recordings of a unit. */
export interface SoundParts {
  readonly store: MirrorStore;
  /** The folder of the copies. */
  readonly root: string;
  readonly unitId: string;
  /** The zone of the unit. */
  readonly zone: string;
  readonly format: Pick<CardFormat, 'soundBegins'>;
  readonly signal: AbortSignal;
}

/** Reads the copies, of all cards, that are new or have no known time. Returns their number. */
export async function findRecordings(parts: SoundParts): Promise<number> {
  const { store, unitId, zone, signal } = parts;
  const known = new Map((await store.recordingsOf(unitId)).map(({ id, sha256, began }) => [id, began && sha256]));
  const fresh: FileRow[] = [];
  for await (const page of store.all(unitId))
    fresh.push(...page.filter((row) => isSound(row) && known.get(row.id) !== row.sha256));
  if (fresh.length === 0) return 0;
  const changes = (from: number, to: number) => zones.changesOf(zone, from, to);
  const clock = new MeterClock(await store.clocks(unitId), changes);
  for (const file of fresh) {
    signal.throwIfAborted();
    await store.putRecording(await recordingOf(file, clock, parts));
  }
  return fresh.length;
}

/** A growing file has no length yet. */
const isSound = ({ path, sha256, state }: FileRow): boolean =>
  sha256 !== null && state !== 'growing' && /\.wav$/i.test(path);

async function recordingOf(file: FileRow, clock: MeterClock, { root, format }: SoundParts): Promise<RecordingRow> {
  const { id, unitId, card, path, kept: size } = file;
  const about = { id, unitId, card, path, size, sha256: file.sha256 ?? '' };
  const unknown = (problem: string) => ({ ...about, began: null, ended: null, earliest: 0, latest: 0, problem });
  const local = format.soundBegins?.(path);
  if (local === undefined) return unknown('The name of the file has no time.');
  const length = await lengthOfWave(pathOfCopy(root, file)).catch(() => 'could not be read.');
  if (typeof length === 'string') return unknown(`The file ${length}`);
  const begin = clock.toUtc(local);
  if (typeof begin === 'string') return unknown(begin);
  const began = begin.utc + HALF_SECOND;
  const ended = began + length;
  const uncertainty = Math.ceil(begin.uncertainty) + HALF_SECOND;
  return { ...about, began, ended, earliest: began - uncertainty, latest: ended + uncertainty, problem: null };
}
