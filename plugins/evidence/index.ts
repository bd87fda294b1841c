/** Evidence: what the other side of a quarrel can check without this gateway. */
import type { Plugin } from '../../lib/index.ts';
import { keyRoute } from './key-route.ts';
import { packageRoutes } from './package-routes.ts';
import { openShelf } from './shelf.ts';

const plugin: Plugin = {
  name: 'evidence',
  about: 'Signed packages of levels, and the key that signs them',
  async register(host) {
    keyRoute(host);
    packageRoutes(host, await openShelf(await host.folder()));
  },
};
export default plugin;
