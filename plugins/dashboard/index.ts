/**
 * Serves the dashboard, and at `/docs` the API pages, which `build/web.ts` makes from `web`. They call only the public API,
 * with the key of their user.
 */
import { messageOf, type Plugin, ROOT } from '../../lib/index.ts';
import { addPlan } from './plan-routes.ts';
import { DASHBOARD_SETTINGS, type DashboardSettings, MAP, shownMap, tileHostOf } from './tiles.ts';

const FOLDER = new URL('web/dist/', ROOT);
/** As `web/app/address.ts` reads them. */
const PAGES = [
  '/m/{unit_id}',
  '/m/{unit_id}/history',
  '/m/{unit_id}/days',
  '/m/{unit_id}/assessment',
  '/m/{unit_id}/evidence',
  '/m/{unit_id}/files',
  '/m/{unit_id}/campaign',
  '/m/{unit_id}/log',
  '/overview',
  '/compare',
  '/wall',
  '/alerts',
  '/reports',
  '/settings',
];
const cspWith = (tiles: string | undefined) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    ["img-src 'self' data:", ...(tiles === undefined ? [] : [tiles])].join(' '),
    // A recording that the page has fetched with its key.
    'media-src blob:',
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const plugin: Plugin<DashboardSettings> = {
  name: 'dashboard',
  about: 'The dashboard: its pages, the plan of the site, the map',
  settings: DASHBOARD_SETTINGS,
  async register(host) {
    await addPlan(host);
    const csp = cspWith(tileHostOf(host.settings));
    host.route({
      method: 'GET',
      path: '/_map',
      operation: 'getMap',
      access: 'viewer',
      filtersUnits: true,
      summary: 'Show where the tiles of the map behind the plan come from',
      description: 'null: the settings name no server of tiles, and the plan is a plain grid.',
      answer: { data: MAP },
      errors: [],
      handle: () => ({ data: shownMap(host.settings) }),
    });
    try {
      host.assets({ path: '/', folder: new URL('dashboard/', FOLDER), csp, pages: PAGES });
      host.assets({ path: '/docs', folder: new URL('docs/', FOLDER), csp: cspWith(undefined) });
    } catch (error) {
      // The API works without it.
      host.log.warn(
        { reason: messageOf(error) },
        'there is no dashboard: npm run build, npm start or npm run simulate makes it',
      );
    }
  },
};
export default plugin;
