/**
 * The packages on the disk: `UNIT/ID.zip`, and beside each one `ID.json` that says what it is. A package without its JSON is not there: it is
 * written under another name first, and the JSON last.
 */
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EvidencePackage } from '../../client/schemas.ts';
import { isUnitId, syncFolder } from '../../lib/built-in.ts';

/** Packages of a unit; beyond this the oldest goes. */
export const MOST_PACKAGES = 50;
/** Bytes of all packages; beyond this the oldest go. */
export const MOST_PACKED_BYTES = 50_000_000_000;

const DRAFT = '.draft';
/** Earlier versions asked for no stamp, and noted nothing. */
const UNSTAMPED = { stamped: null, not_stamped: null };

/** Reads what is there and removes what a process that was killed left behind. */
export async function openPackages(folder: string): Promise<KeptPackages> {
  const packages = new KeptPackages(folder);
  await packages.load();
  return packages;
}

export class KeptPackages {
  readonly #folder: string;
  /** The oldest first. */
  #records: readonly EvidencePackage[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Those of a unit, the newest first. */
  of(unitId: string): readonly EvidencePackage[] {
    return this.#records.filter(({ unit_id }) => unit_id === unitId).reverse();
  }

  async load(): Promise<void> {
    const found: EvidencePackage[] = [];
    for (const unitId of (await readdir(this.#folder)).filter(isUnitId)) {
      const names = await readdir(this.#at(unitId));
      for (const name of names) {
        const id = /^([1-9]\d{0,14})\.(?:zip|json)$/.exec(name)?.[1];
        const isWhole = id !== undefined && names.includes(`${id}.zip`) && names.includes(`${id}.json`);
        if (!isWhole) await rm(join(this.#at(unitId), name), { force: true, recursive: true });
        else if (name.endsWith('.json'))
          found.push({ ...UNSTAMPED, ...JSON.parse(await readFile(join(this.#at(unitId), name), 'utf8')) });
      }
    }
    this.#records = found.sort((one, other) => Number(one.id) - Number(other.id));
  }

  /** The bytes, both ends included. */
  read = ({ unit_id, id }: EvidencePackage, range?: { readonly start: number; readonly end: number }) =>
    createReadStream(join(this.#at(unit_id), `${id}.zip`), { ...range, highWaterMark: 262_144 });

  /** Where a package is written before it is whole. */
  async draft(unitId: string, id: string): Promise<string> {
    await mkdir(this.#at(unitId), { recursive: true, mode: 0o700 });
    return join(this.#at(unitId), `${id}.zip${DRAFT}`);
  }

  async keep(draft: string, record: EvidencePackage): Promise<void> {
    const folder = this.#at(record.unit_id);
    await synced(draft);
    await rename(draft, join(folder, `${record.id}.zip`));
    const about = join(folder, `${record.id}.json`);
    await writeFile(`${about}${DRAFT}`, JSON.stringify(record), { mode: 0o600 });
    await synced(`${about}${DRAFT}`);
    await rename(`${about}${DRAFT}`, about);
    await syncFolder(folder);
    this.#records = [...this.#records.filter(({ id }) => id !== record.id), record];
    for (const old of this.#surplus(record)) await this.remove(old);
  }

  /** The list first: what is not there is not shown. */
  async remove({ unit_id, id }: EvidencePackage): Promise<void> {
    this.#records = this.#records.filter((record) => record.id !== id);
    await rm(join(this.#at(unit_id), `${id}.json`), { force: true });
    await rm(join(this.#at(unit_id), `${id}.zip`), { force: true });
  }

  #at = (unitId: string) => join(this.#folder, unitId);

  /** The fresh one always stays. */
  #surplus(fresh: EvidencePackage): readonly EvidencePackage[] {
    const ofUnit = this.of(fresh.unit_id).slice(MOST_PACKAGES);
    let bytes = this.#records.reduce((sum, record) => sum + record.bytes, 0);
    const tooMuch = this.#records.filter((record) => {
      const goes = bytes > MOST_PACKED_BYTES && record.id !== fresh.id;
      if (goes) bytes -= record.bytes;
      return goes;
    });
    return [...new Set([...ofUnit, ...tooMuch])];
  }
}

async function synced(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
