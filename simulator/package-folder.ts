/** The folder with `config`, and beside the simulator the gateway: the sources and the build have both, at different depths. */
import { existsSync } from 'node:fs';

/** URL with `/` at its end. */
export const PACKAGE: URL = folderAbove(new URL('./', import.meta.url));

const isClone = existsSync(new URL('simulator/cli.ts', PACKAGE));
/** How a person calls the simulator and the gateway: in a clone of the sources, or with the package installed. */
export const SIMULATE_COMMAND: string = isClone ? 'npm run simulate --' : 'slm-simulator';
export const GATEWAY_COMMAND: string = isClone ? 'npm start --' : 'slm-gateway';

function folderAbove(folder: URL): URL {
  if (existsSync(new URL('package.json', folder))) return folder;
  const above = new URL('../', folder);
  if (above.href === folder.href) throw new Error('package.json of the simulator is not there');
  return folderAbove(above);
}
