/**
 * Checks a package of evidence: is every byte as it was signed, by whom, when, and what differs. The same code runs in `slm verify` and in the page
 * that every package holds. `client/python/verify.py` says the same in another language.
 */
import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex } from '@noble/hashes/utils';
import { CHECKS_SUFFIX, ENVELOPE, MANIFEST, type Manifest, manifestIn, PUBLIC_KEY, TIMESTAMP } from './manifest.ts';
import { MerkleTree, PLAIN_HASHES } from './merkle.ts';
import type { PackageDifference, Report } from './report.ts';
import { checkSeals, levelsAt, SEALS, type SealedLevels } from './seals.ts';
import { checkEnvelope, type EnvelopeResult } from './signature.ts';
import { type StampFindings, withoutStamp, withStamp } from './stamp.ts';
import { checksIn, TableChecks, tableDifferences } from './tables.ts';
import { type ByteSource, contentOf, DamagedEntry, readDirectory, type ZipRecord } from './zip.ts';

interface VerifyOptions {
  /** The key that the reader knows to be the gateway's: `sha256:…`. Another key is a difference. */
  readonly fingerprint?: string | undefined;
  /** The certificates of authorities that the reader knows, PEM. A stamp of another one, and none at all, is a difference. */
  readonly authorities?: string | undefined;
  /** Called after each file: how many of how many. */
  readonly onProgress?: (done: number, all: number) => void;
}

const MOST_WHOLE = 64 * 1024 * 1024;
const NOBODY = { by: null, at: null, valid: false } as const;

const noPackage = (what: string): Report => ({
  outcome: 'not a package',
  unit_id: null,
  from: null,
  to: null,
  signed: NOBODY,
  stamped: null,
  not_stamped: null,
  files: 0,
  seals: [],
  differences: [{ file: null, what }],
  unchecked: [],
});

/** Never rejects because of what is in the package; it does where the source cannot be read, and with a RangeError where `authorities` are no certificates. */
export async function verifyPackage(source: ByteSource, options: VerifyOptions = {}): Promise<Report> {
  const directory = await readDirectory(source);
  if (!directory) return noPackage(await noZip(source));
  const faults = directory.faults.map(({ path, what }) => ({ file: path ?? null, what }));
  const names = directory.entries.map(({ path }) => path);
  if (!names.includes(MANIFEST) && !names.includes(ENVELOPE) && faults.length === 0)
    return noPackage(`it is a ZIP without ${MANIFEST}`);
  return new Verifying(source, directory.entries, faults, options).all();
}

async function noZip(source: ByteSource): Promise<string> {
  if (source.size === 0) return 'the file is empty';
  const isBegin = (await source.read(0, 4)).join() === '80,75,3,4';
  return isBegin ? 'it begins as a ZIP and has no end: it was cut off, or its end is damaged' : 'it is no ZIP';
}

class Verifying {
  private readonly entries: ReadonlyMap<string, ZipRecord>;
  private readonly days = new Map<string, SealedLevels['kinds'][number][]>();
  private readonly unchecked: string[] = [];
  private readonly source: ByteSource;
  private readonly differences: PackageDifference[];
  private readonly options: VerifyOptions;

  constructor(
    source: ByteSource,
    entries: readonly ZipRecord[],
    faults: readonly PackageDifference[],
    options: VerifyOptions,
  ) {
    this.source = source;
    this.entries = new Map(entries.map((entry) => [entry.path, entry]));
    this.differences = [...faults];
    this.options = options;
  }

  async all(): Promise<Report> {
    const signed = await this.signature();
    const manifest = await this.manifest(signed);
    const { stamped, not_stamped } = await this.stamp(signed);
    const files = manifest ? await this.files(manifest) : 0;
    const seals = manifest ? await this.seals(manifest) : [];
    if (signed?.valid === null)
      this.unchecked.push(
        'the signature: this program cannot check Ed25519; another browser, slm verify or openssl can',
      );
    const { by, at, valid } = signed ?? NOBODY;
    const { unit_id = null, query } = manifest ?? {};
    const { differences, unchecked } = this;
    const whole = unchecked.length > 0 ? 'unchecked' : 'whole';
    return {
      outcome: differences.length > 0 ? 'differs' : whole,
      unit_id,
      from: query?.from ?? null,
      to: query?.to ?? null,
      signed: { by, at, valid },
      stamped,
      not_stamped,
      files,
      seals,
      differences,
      unchecked,
    };
  }

  private differs(file: string | null, what: string): void {
    this.differences.push({ file, what });
  }

  private async signature(): Promise<EnvelopeResult | undefined> {
    const envelope = await this.whole(ENVELOPE);
    const key = await this.whole(PUBLIC_KEY);
    if (!envelope || !key) return undefined;
    const result = await checkEnvelope(envelope, key);
    this.differences.push(...result.differences);
    const { fingerprint } = this.options;
    if (fingerprint !== undefined && result.by !== fingerprint)
      this.differs(PUBLIC_KEY, `it is another key: ${result.by ?? 'none'}, not ${fingerprint}`);
    return result;
  }

  private async manifest(signed: EnvelopeResult | undefined): Promise<Manifest | undefined> {
    const bytes = await this.whole(MANIFEST);
    if (!bytes) return undefined;
    if (bytesToHex(sha256(bytes)) !== signed?.manifest) this.differs(MANIFEST, 'it is not the signed manifest');
    const manifest = manifestIn(bytes);
    if (!manifest) {
      this.differs(MANIFEST, 'it is no manifest of the format slm-evidence/1');
      return undefined;
    }
    const { unit_id, key, query } = manifest;
    if (signed && key.fingerprint !== signed.by)
      this.differs(MANIFEST, `it is of the key ${key.fingerprint}, not of the key in the package`);
    const { predicate } = signed ?? {};
    if (predicate && (predicate.unit_id !== unit_id || predicate.from !== query.from || predicate.to !== query.to))
      this.differs(MANIFEST, 'the signed statement is of another unit or another time');
    return manifest;
  }

  private async stamp(signed: EnvelopeResult | undefined): Promise<StampFindings> {
    const { authorities } = this.options;
    const findings = this.entries.has(TIMESTAMP)
      ? await withStamp(await this.whole(TIMESTAMP), signed, authorities)
      : withoutStamp(signed, authorities);
    this.differences.push(...findings.differences);
    this.unchecked.push(...findings.unchecked);
    return findings;
  }

  private async files(manifest: Manifest): Promise<number> {
    const added = this.compareNames(manifest);
    let done = 0;
    for (const { path, bytes, sha256: expected } of manifest.files) {
      const entry = this.entries.get(path);
      done += 1;
      this.options.onProgress?.(done, manifest.files.length);
      if (!entry) continue;
      const actual = await this.hashOf(entry);
      if (actual === undefined || (actual === expected && entry.size === bytes)) continue;
      this.differences.push(...(await this.named(entry, manifest)));
    }
    for (const entry of added) await this.nameAdded(entry, manifest);
    return manifest.files.filter(({ path }) => this.entries.has(path)).length;
  }

  /** What is missing, what is in another order; resolves with what was added. */
  private compareNames({ files, query }: Manifest): readonly ZipRecord[] {
    const listed = [...files.map(({ path }) => path), MANIFEST, ENVELOPE, PUBLIC_KEY, TIMESTAMP];
    const actual = [...this.entries.keys()];
    for (const path of listed) if (path !== TIMESTAMP && !this.entries.has(path)) this.differs(path, 'it is missing');
    const common = actual.filter((path) => listed.includes(path));
    const order = listed.filter((path) => this.entries.has(path));
    const misplaced = common.find((path, n) => path !== order[n]);
    if (misplaced !== undefined) this.differs(misplaced, 'it is not at its place in the order of the files');
    const time = Math.floor(Date.parse(query.to) / 1_000);
    for (const entry of this.entries.values())
      if (entry.time !== time) this.differs(entry.path, 'its time in the ZIP is not the end of the span');
    return actual.filter((path) => !listed.includes(path)).flatMap((path) => this.entries.get(path) ?? []);
  }

  private async nameAdded(entry: ZipRecord, { files }: Manifest): Promise<void> {
    const hash = await this.hashOf(entry);
    const before = files.find((file) => file.sha256 === hash && !this.entries.has(file.path));
    this.differs(
      entry.path,
      before ? `it was ${before.path} when it was signed` : 'it was not there when it was signed',
    );
  }

  /** Of the content in hex; undefined where it cannot be unpacked, which is named. Rows of levels are counted on the way. */
  private async hashOf(entry: ZipRecord): Promise<string | undefined> {
    const levels = levelsAt(entry.path);
    const tree = new MerkleTree(PLAIN_HASHES);
    const rows = levels && new TableChecks((line) => tree.add(line));
    const hash = sha256.create();
    try {
      for await (const piece of contentOf(this.source, entry)) {
        hash.update(piece);
        rows?.add(piece);
      }
    } catch (error) {
      if (!(error instanceof DamagedEntry || error instanceof RangeError)) throw error;
      this.differs(entry.path, error.message);
      return undefined;
    }
    rows?.end();
    if (levels) {
      const kinds = this.days.get(levels.day) ?? [];
      this.days.set(levels.day, [...kinds, { kind: levels.kind, root: bytesToHex(tree.root()), rows: tree.count }]);
    }
    return bytesToHex(hash.digest());
  }

  /** Row and field where the file has its checks, and these are as they were signed. */
  private async named(entry: ZipRecord, manifest: Manifest): Promise<readonly PackageDifference[]> {
    const unnamed = [{ file: entry.path, what: 'it is not as it was signed' }];
    const path = entry.path + CHECKS_SUFFIX;
    const listed = manifest.files.find((file) => file.path === path);
    const bytes = listed && (await this.whole(path));
    const checks = bytes && bytesToHex(sha256(bytes)) === listed.sha256 ? checksIn(bytes) : undefined;
    if (!checks) return unnamed;
    const actual = new TableChecks();
    for await (const piece of contentOf(this.source, entry)) actual.add(piece);
    return tableDifferences(entry.path, checks, actual.end());
  }

  private async seals({ files, query }: Manifest): Promise<Report['seals']> {
    const days = [...this.days].map(([day, kinds]) => ({ day, kinds }));
    if (!files.some(({ path }) => path === SEALS))
      return days.map(({ day }) => ({ day, version: null, result: 'none' as const }));
    const bytes = await this.whole(SEALS);
    if (!bytes) return [];
    const [results, differences] = checkSeals(new TextDecoder().decode(bytes), days, query);
    this.differences.push(...differences);
    return results;
  }

  /** Undefined where it is missing or damaged, which is named once. */
  private async whole(path: string): Promise<Uint8Array | undefined> {
    const entry = this.entries.get(path);
    if (!entry) return undefined;
    if (entry.size > MOST_WHOLE) {
      this.differs(path, `it is longer than ${MOST_WHOLE} bytes`);
      return undefined;
    }
    const bytes = new Uint8Array(entry.size);
    let at = 0;
    try {
      for await (const piece of contentOf(this.source, entry)) {
        bytes.set(piece, at);
        at += piece.length;
      }
      return bytes;
    } catch (error) {
      if (!(error instanceof DamagedEntry)) throw error;
      if (!this.differences.some(({ file, what }) => file === path && what === error.message))
        this.differs(path, error.message);
      return undefined;
    }
  }
}
