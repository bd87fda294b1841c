/** The licences of the packages that a bundle contains: most of them ask to go with their code. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAllowed } from '../.ci/licences.ts';
import { licenceInFile, production } from '../.ci/production.ts';

/**
 * `inputs` are the files of the bundle, from `root`. Throws for a package without a licence of the list. Throws also for a
 * package that production does not name: it would be missing in licences and the bill of materials.
 */
export function writeNotices(inputs: readonly string[], root: string, file: string): void {
  const folders = new Set(inputs.flatMap((input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []));
  const known = new Set(production().map(({ place }) => place));
  const strange = [...folders].filter((folder) => !known.has(folder));
  if (strange.length > 0) throw new Error(`"bundled" of package.json does not name what brings ${strange.join(', ')}`);
  const notices = [...folders].sort().map((folder) => noticeOf(join(root, folder)));
  writeFileSync(file, `This software contains the packages below.\n\n${notices.join('\n')}`);
}

function noticeOf(folder: string): string {
  const { name, version, ...stated } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly version: string;
    readonly license?: string;
  };
  const license = stated.license ?? licenceInFile(name, version);
  if (!isAllowed(license))
    throw new Error(`${name} has the licence ${license}, which is not on the list of .ci/licences.ts`);
  const found = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)(\.|$)/i.test(entry));
  const text = found && existsSync(join(folder, found)) ? readFileSync(join(folder, found), 'utf8').trim() : license;
  return `${'='.repeat(80)}\n${name} ${version} (${license})\n\n${text}\n`;
}
