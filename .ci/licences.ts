/**
 * Checks the licence of everything that runs in production. Exit code 1 with the names where one is not on the list, or where
 * something has no licence at all.
 */
import { fileURLToPath } from 'node:url';
import { production } from './production.ts';

/** Permissive ones: nothing of ours has to be given away because of them. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  // Of fonts: their licence goes with them, and they are not sold alone.
  'OFL-1.1',
  'Unlicense',
]);

/** `A OR B` needs one that is allowed, `A AND B` both. */
export function isAllowed(licence: string): boolean {
  const plain = licence.replaceAll(/[()]/g, '');
  return plain.split(' OR ').some((choice) => choice.split(' AND ').every((one) => ALLOWED.has(one.trim())));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const packages = production();
  const strangers = packages.filter(({ licence }) => !isAllowed(licence));
  for (const { name, version, licence } of strangers) process.stderr.write(`${name}@${version}: ${licence}\n`);
  process.stdout.write(
    `${packages.length} packages in production, ${strangers.length} with a licence not on the list\n`,
  );
  process.exitCode = strangers.length > 0 ? 1 : 0;
}
