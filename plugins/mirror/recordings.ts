/**
 * The times of the sound in copied WAV files: from the name of the file, by the meter's own clock, and the length in
 * its header. For a file without a known time the reason is stored, and the next run tries again.
 */
import { type FileHandle, open } from 'node:fs/promises';
import {
  type CardFormat,
  listQuery,
  MOMENT,
  NEXT,
  openSpanOf,
  type PageQuery,
  pageOf,
  unitIds,
  zones,
} from '../../lib/built-in.ts';
import { type Host, type Identity, iso, named, reaches, type Schema, TIME } from '../../lib/index.ts';
import { MeterClock } from './meter-clock.ts';
import { pathOfCopy } from './places.ts';
import type { MirrorStore } from './store.ts';
import type { FileRow, RecordingRow } from './tables.ts';

/** A header has a few chunks: a file with more is not a WAV file. */
const MOST_CHUNKS = 64;
const CHUNK = 8;
const HEAD = 12;
const FORMAT_BYTES = 12;

/** ms; a text, after "The file", if the length is not known. Reads the chunks before the samples. */
async function lengthOfWave(path: string): Promise<number | string> {
  const file = await open(path, 'r');
  try {
    const head = await read(file, 0, HEAD);
    if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WAVE')
      return 'is no WAV file: it does not begin as one.';
    const { size } = await file.stat();
    return await lengthIn(file, size);
  } finally {
    await file.close();
  }
}

async function lengthIn(file: FileHandle, size: number): Promise<number | string> {
  let bytesPerSecond = 0;
  for (let at = HEAD, chunks = 0; at + CHUNK <= size && chunks < MOST_CHUNKS; chunks += 1) {
    const chunk = await read(file, at, CHUNK);
    const name = chunk.toString('latin1', 0, 4);
    const said = chunk.readUInt32LE(4);
    at += CHUNK;
    if (name === 'fmt ') {
      const format = await read(file, at, FORMAT_BYTES);
      bytesPerSecond = format.length < FORMAT_BYTES ? 0 : format.readUInt32LE(8);
    }
    if (name === 'data') {
      // After a power loss, the recorder leaves an empty size, or the planned size.
      const bytes = said === 0 ? size - at : Math.min(said, size - at);
      return bytesPerSecond > 0 && bytes > 0
        ? Math.round((bytes / bytesPerSecond) * 1_000)
        : 'does not say how long its sound is.';
    }
    // Chunks begin at even offsets.
    at += said + (said % 2);
  }
  return 'has no sound.';
}

async function read(file: FileHandle, at: number, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, at);
  return buffer.subarray(0, bytesRead);
}

/** Names have whole seconds: the sound begins in the middle of a second, plus or minus this, ms. */
const HALF_SECOND = 500;

interface SoundParts {
  readonly store: MirrorStore;
  readonly root: string;
  readonly unitId: string;
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

interface RecordingQuery extends PageQuery {
  readonly unit?: string;
  readonly from?: string;
  readonly to?: string;
}

const RECORDING: Schema = named('SoundRecording', {
  unit_id: { type: 'string' },
  path: { type: 'string', description: 'On the card. GET files/content takes it with `card` and `sha256`.' },
  card: { type: 'integer', minimum: 1 },
  sha256: { type: 'string' },
  size: { type: 'integer', minimum: 0, description: 'Bytes.' },
  from: { ...TIME, description: 'From the time in the name of the file and readings of the clock of the meter.' },
  to: { ...TIME, description: '`from` and the length of the sound.' },
  uncertainty_s: { type: 'number', description: 'Both times may be so much earlier or later.' },
});

const shown = ({ unitId, path, card, sha256, size, began, ended, earliest }: RecordingRow) => ({
  unit_id: unitId,
  path,
  card,
  sha256,
  size,
  from: iso(began),
  to: iso(ended),
  uncertainty_s: began === null ? 0 : (began - earliest) / 1_000,
});

const QUERY = listQuery(
  {
    unit: { type: 'string', pattern: unitIds(100), description: 'units, separated by commas' },
    from: MOMENT,
    to: MOMENT,
  },
  { type: 'string', pattern: '^[0-9]{1,15}-[0-9a-f]{40}$' },
);

/** `GET /_recordings`: by the time in which they were made. */
export function recordingRoutes(host: Host, store: MirrorStore): void {
  host.route<unknown, RecordingQuery>({
    method: 'GET',
    path: '/_recordings',
    access: 'viewer',
    filtersUnits: true,
    operation: 'listRecordings',
    summary: 'List copied recordings of sound that overlap a span, the newest first',
    description:
      'WAV files of the cards, once their copies are whole. A recording whose time may overlap the span is in the list, too. Recordings without a known time are not: `without_time` counts them, and GET files lists all copies. The meters are not asked.',
    query: QUERY,
    answer: {
      data: { type: 'array', items: RECORDING },
      next: NEXT,
      without_time: {
        type: 'integer',
        minimum: 0,
        description: 'Copied recordings of these units with no known time.',
      },
    },
    etag: true,
    errors: [],
    async handle({ query, identity }) {
      const units = unitsOf(identity, query.unit?.split(','));
      const [before = '', id = ''] = query.cursor?.split('-') ?? [];
      const after = query.cursor === undefined ? undefined : { began: Number(before), id };
      const found = await store.recordings(units, { ...openSpanOf(query), after, limit: query.limit + 1 });
      const { page, next } = pageOf(found, query.limit, (row) => `${row.began}-${row.id}`);
      return { data: page.map(shown), next, without_time: await store.countUntimed(units) };
    },
  });
}

function unitsOf(identity: Identity, wanted: readonly string[] | undefined): readonly string[] | undefined {
  if (identity.units === null) return wanted;
  return (wanted ?? identity.units).filter((unitId) => reaches(identity, unitId));
}
