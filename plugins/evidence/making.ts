/** The job that makes a package: gathers, packs, signs, and puts the ZIP in its place when it is whole. */
import { createHash } from 'node:crypto';
import { open, readFile, rm, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { EvidencePackage } from '../../client/schemas.ts';
import { isDiskFull, type JobRun, ROOT, VERSION, viewerRequest, type zones } from '../../lib/built-in.ts';
import { GatewayError, type Host } from '../../lib/index.ts';
import { evidenceArchive, type PackagePart } from './archive.ts';
import { GATHERERS, type Gathering, type Kind, readme, utcText } from './gathering.ts';
import type { KeptPackages } from './packages.ts';
import type { DaySealer } from './seals/sealer.ts';
import { type EvidenceSettings, type StampNotes, signedAndStamped } from './stamping.ts';

export interface Wanted {
  /** Ms since 1970 UTC. */
  readonly span: zones.Span;
  readonly zone: string;
  /** Sorted. */
  readonly include: readonly Kind[];
}

export interface MadePackage extends Pick<EvidencePackage, 'id' | 'sha256' | 'bytes'>, StampNotes {
  readonly href: string;
}

/** Space on the disk that stays free, bytes. */
const FREE_BYTES = 500_000_000;
const DISK_FULL = 'The disk of the gateway is full: no package was made.';
/** The disk is asked again after so many bytes. */
const ASK_EVERY = 16_000_000;

/** Makes the package of a job; one that is broken off leaves nothing. */
export async function makePackage(
  host: Host<EvidenceSettings>,
  packages: KeptPackages,
  sealer: DaySealer,
  job: JobRun<Wanted>,
): Promise<MadePackage> {
  const { unitId, input, signal } = job;
  if (unitId === null) throw new Error('a package is about a unit');
  const id = String(job.id);
  const present = packages.of(unitId).find((record) => record.id === id);
  // The gateway stopped between the end of the package and the end of its job.
  if (present) return madeOf(present);
  const draft = await packages.draft(unitId, id);
  try {
    await requireSpace(draft);
    if (input.include.includes('levels')) await sealer.renew(unitId, signal);
    const key = await host.signing.present();
    const query = {
      from: utcText(input.span.from),
      to: utcText(input.span.to),
      timezone: input.zone,
      include: input.include,
    };
    const { span, zone } = input;
    const parts = partsOf(
      { host, unitId, span, zone, request: viewerRequest('evidence', [unitId], host.log, { signal }), signal },
      input.include,
    );
    const predicate = { signed_at: utcText(host.clock.now()), unit_id: unitId, from: query.from, to: query.to };
    const fields = { unit_id: unitId, gateway: { version: VERSION }, key: { fingerprint: key.fingerprint }, query };
    let stamp: StampNotes = { stamped: null, not_stamped: null };
    const bytes = evidenceArchive(parts, fields, async (manifest) => {
      const { result, ...signed } = await signedAndStamped(host, key, manifest, predicate, signal);
      stamp = result;
      return signed;
    });
    const written = await write(bytes, draft, job);
    const record: EvidencePackage = {
      ...stamp,
      id,
      ...fields.query,
      unit_id: unitId,
      ...written,
      fingerprint: key.fingerprint,
      made_at: predicate.signed_at,
    };
    await packages.keep(draft, record);
    job.say(stampWords(record));
    return madeOf(record);
  } catch (error) {
    await rm(draft, { force: true });
    throw isDiskFull(error) ? new GatewayError('STORAGE_FULL', DISK_FULL, { cause: error }) : error;
  }
}

const madeOf = ({ id, unit_id, sha256, bytes, stamped, not_stamped }: EvidencePackage): MadePackage => ({
  id,
  href: `/${unit_id}/evidence/${id}`,
  sha256,
  bytes,
  stamped,
  not_stamped,
});

const stampWords = ({ stamped, not_stamped }: StampNotes): string =>
  stamped ? `Stamped at ${stamped.at} by ${stamped.authority}.` : `Not stamped: ${not_stamped}.`;

async function write(archive: Readable, draft: string, { signal, progress }: JobRun<Wanted>) {
  const hash = createHash('sha256');
  let bytes = 0;
  let asked = 0;
  const counted = async function* (pieces: AsyncIterable<Buffer>) {
    for await (const piece of pieces) {
      hash.update(piece);
      bytes += piece.length;
      progress(bytes, null, 'bytes');
      if (bytes - asked > ASK_EVERY) {
        asked = bytes;
        await requireSpace(draft);
      }
      yield piece;
    }
  };
  // Opened before: a stream that is broken off while it opens its file would make the file after it was removed.
  const file = await open(draft, 'w', 0o600);
  try {
    await pipeline(archive, counted, file.createWriteStream(), { signal });
  } finally {
    await file.close();
  }
  return { sha256: hash.digest('hex'), bytes };
}

async function requireSpace(draft: string): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(draft));
  if (bavail * bsize < FREE_BYTES)
    throw new GatewayError(
      'STORAGE_FULL',
      'Less than 500 MB are free on the disk of the gateway: no package was made.',
    );
}

/** In the order of their paths: capital letters first. */
async function* partsOf(gathering: Gathering, include: readonly Kind[]): AsyncGenerator<PackagePart> {
  yield { path: 'README.txt', content: readme(gathering.unitId, include) };
  for (const [kind, gather] of GATHERERS) if (include.includes(kind)) yield* gather(gathering);
  const page = await readFile(new URL('web/dist/verify/verify.html', ROOT)).catch(() => undefined);
  if (page) yield { path: 'verify.html', content: page };
}
