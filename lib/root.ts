/**
 * The folder of this package: where `package.json`, `config` and `plugins` are. The sources and the build in `dist` both
 * have them, at different depths.
 */
import { existsSync } from 'node:fs';

/** URL of the folder, with `/` at its end. */
export const ROOT: URL = rootAbove(new URL('./', import.meta.url));

function rootAbove(folder: URL): URL {
  if (existsSync(new URL('package.json', folder))) return folder;
  const above = new URL('../', folder);
  if (above.href === folder.href) throw new Error('package.json of the gateway is not there');
  return rootAbove(above);
}

/** How a person calls the command for API keys: in a clone of the sources, or with the package installed. */
export const KEYS_COMMAND: string = existsSync(new URL('lib/app/main.ts', ROOT))
  ? 'npm run keys --'
  : 'slm-gateway keys';
