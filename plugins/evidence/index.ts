/** Evidence: what the other side of a quarrel can check without this gateway. */
import type { Plugin } from '../../lib/index.ts';
import { keyRoute } from './key-route.ts';
import { packageRoutes } from './package-routes.ts';
import { checkStampSettings, EVIDENCE_SETTINGS, type EvidenceSettings } from './settings.ts';
import { openShelf } from './shelf.ts';

const plugin: Plugin<EvidenceSettings> = {
  name: 'evidence',
  about: 'Signed packages of levels, and the key that signs them',
  settings: EVIDENCE_SETTINGS,
  async register(host) {
    checkStampSettings(host.settings);
    keyRoute(host);
    packageRoutes(host, await openShelf(await host.folder()));
  },
};
export default plugin;
