/** Evidence, which the other side of a quarrel can check without this gateway: signed packages, and the seals of local days. */
import type { Plugin } from '../../lib/index.ts';
import { openPackages } from './packages.ts';
import { keyRoute, packageRoutes } from './routes.ts';
import { sealRoutes } from './seals/routes.ts';
import { DAY_SEALS, DaySealer, sealMigrations } from './seals/sealer.ts';
import { checkStampSettings, EVIDENCE_SETTINGS, type EvidenceSettings } from './stamping.ts';

const plugin: Plugin<EvidenceSettings> = {
  name: 'evidence',
  about: 'Signed packages of levels, the key that signs them, and the seals of days',
  settings: EVIDENCE_SETTINGS,
  async register(host) {
    checkStampSettings(host.settings);
    keyRoute(host);
    const tables = await host.tables([DAY_SEALS], sealMigrations);
    const sealer = new DaySealer(host, tables);
    packageRoutes(host, await openPackages(await host.folder()), sealer);
    sealRoutes(host, tables);
    const leaving = new AbortController();
    const running = sealer.run(leaving.signal);
    host.onStop(async () => {
      leaving.abort();
      await running;
    });
  },
};
export default plugin;
