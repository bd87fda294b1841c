/**
 * Checks the licence of everything that a production install brings, only from package-lock.json: no network, nothing
 * installed. Exit code 1 with the names where one is not on the list, or where something has no licence at all.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Permissive ones: nothing of ours has to be given away because of them. */
const ALLOWED = new Set([
  ...[
    '0BSD',
    'Apache-2.0',
    'BlueOak-1.0.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'CC0-1.0',
    'ISC',
    'MIT',
    'MIT-0',
    'Unlicense',
  ],
]);

interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
}

export interface Lock {
  readonly packages: Readonly<Record<string, Locked>>;
}

/** Packages of a production install, `name@version` with the licence they state. */
export function production(lock: Lock): { readonly name: string; readonly licence: string }[] {
  return Object.entries(lock.packages)
    .filter(([path, { dev }]) => path !== '' && !dev)
    .map(([path, { version, license }]) => ({
      name: `${path.replace(/^.*node_modules\//, '')}@${version}`,
      licence: license ?? 'none stated',
    }));
}

/** `A OR B` needs one that is allowed, `A AND B` both. */
export function isAllowed(licence: string): boolean {
  const plain = licence.replaceAll(/[()]/g, '');
  return plain.split(' OR ').some((choice) => choice.split(' AND ').every((one) => ALLOWED.has(one.trim())));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as Lock;
  const packages = production(lock);
  const strangers = packages.filter(({ licence }) => !isAllowed(licence));
  for (const { name, licence } of strangers) process.stderr.write(`${name}: ${licence}\n`);
  process.stdout.write(
    `${packages.length} packages in production, ${strangers.length} with a licence not on the list\n`,
  );
  process.exitCode = strangers.length > 0 ? 1 : 0;
}
