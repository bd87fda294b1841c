/**
 * The packages that run in production, from package.json and package-lock.json alone: no network, nothing installed. npm
 * installs few of them as dependencies. Most are in the bundles of `dist`, and `bundled` of package.json names them.
 */
import { readFileSync } from 'node:fs';

/** A package as the lock file has it. */
interface Locked {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  /** `sha512-` and the checksum in base64. */
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface Lock {
  readonly packages: Readonly<Record<string, Locked>>;
}

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** Packages that npm installs with this package. */
  readonly dependencies: Readonly<Record<string, string>>;
  /** Names of development dependencies whose code is in `dist`. */
  readonly bundled: readonly string[];
}

export interface Package {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly licence: string;
  readonly integrity: string | undefined;
  /** Where npm puts it: `node_modules/koa`. */
  readonly place: string;
  /** Places of those that it needs. */
  readonly needs: readonly string[];
}

const read = (path: string) => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'));
export const manifest: Manifest = read('package.json');
export const lock: Lock = read('package-lock.json');

/** Packages whose package.json states no licence, by name and version: somebody has read their LICENSE file. */
const READ_BY_US: Readonly<Record<string, string>> = { 'png-js@2.0.0': 'MIT' };

/** Of a package that states none itself. */
export const licenceInFile = (name: string, version: string): string =>
  READ_BY_US[`${name}@${version}`] ?? 'none stated';

/** The packages that the manifest names, and all that they need, by name. Throws when the lock file lacks one. */
export function production(
  { packages }: Lock = lock,
  { dependencies, bundled }: Pick<Manifest, 'dependencies' | 'bundled'> = manifest,
): readonly Package[] {
  const found = new Map<string, Package>();
  const take = (name: string, from: string, optional: boolean): string[] => {
    const place = placeOf(name, from, packages);
    const one = packages[place ?? ''];
    if (place === undefined || !one) {
      if (optional) return [];
      throw new Error(`package-lock.json has no ${name}`);
    }
    if (found.has(place)) return [place];
    const { version = '', integrity } = one;
    const licence = one.license ?? licenceInFile(name, version);
    const needs: string[] = [];
    found.set(place, { name: one.name ?? name, version, licence, integrity, place, needs });
    for (const needed of Object.keys(one.dependencies ?? {})) needs.push(...take(needed, place, false));
    for (const needed of Object.keys(one.optionalDependencies ?? {})) needs.push(...take(needed, place, true));
    return [place];
  };
  for (const name of [...Object.keys(dependencies), ...bundled]) take(name, '', false);
  return [...found.values()].toSorted((a, b) => (a.place < b.place ? -1 : 1));
}

/** As Node looks for it: in the folder of the package that needs it, and then further out. */
function placeOf(name: string, from: string, packages: Lock['packages']): string | undefined {
  for (let folder = from; folder !== ''; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const place = `${folder}/node_modules/${name}`;
    if (packages[place]) return place;
  }
  const place = `node_modules/${name}`;
  return packages[place] ? place : undefined;
}
