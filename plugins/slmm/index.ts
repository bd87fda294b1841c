/**
 * Replaces SLMM, a gateway for the same meters. Its database can be taken over. With the setting `slmm` its API is
 * answered in its own format. docs/slmm.md lists differences.
 */
import type { Plugin } from '../../lib/index.ts';
import { alertRoutes } from './alert-routes.ts';
import { SLMM_MIGRATIONS, SLMM_RULES, TAKEN } from './alert-rule.ts';
import { CONFIG_ROUTES } from './config-routes.ts';
import { CONTROL_ROUTES, CYCLE_ROUTES } from './control-routes.ts';
import { DATA_ROUTES } from './data-routes.ts';
import { FILE_ROUTES } from './file-routes.ts';
import { addImport } from './import/index.ts';
import { addRoute, gatewayOf, type SlmmSettings } from './route.ts';
import { addSockets } from './sockets.ts';
import { systemRoutes } from './system-routes.ts';

const plugin: Plugin<SlmmSettings> = {
  name: 'slmm',
  about: 'Taking over the database of SLMM',
  settings: {
    type: 'object',
    properties: {
      enabled: { type: 'boolean', title: 'The setting slmm', default: false },
      base_path: { type: 'string', title: 'The setting slmm_base_path', default: '/slmm/api/nl43' },
      streams: { type: 'integer', title: 'Most WebSockets of SLMM at once', minimum: 1, maximum: 10_000, default: 200 },
    },
  },
  async register(host) {
    const tables = await host.tables([SLMM_RULES, TAKEN], SLMM_MIGRATIONS);
    await addImport(host, tables);
    if (!host.settings.enabled) return;
    const gateway = gatewayOf(host);
    const routes = [CONFIG_ROUTES, DATA_ROUTES, CONTROL_ROUTES, FILE_ROUTES, CYCLE_ROUTES];
    for (const route of [...routes.flat(), ...alertRoutes(tables), ...systemRoutes(tables)]) addRoute(gateway, route);
    addSockets(gateway);
  },
};
export default plugin;
