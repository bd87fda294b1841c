/**
 * Serves the dashboard, and at `/docs` the API pages, which `build/web.ts` makes from `web`. They call only the public API,
 * with the key of their user.
 */
import { readFileSync } from 'node:fs';
import { messageOf, type Plugin, ROOT } from '../../lib/index.ts';
import { addPlan } from './plan-routes.ts';
import { DASHBOARD_SETTINGS, type DashboardSettings, MAP, shownMap, tileHostOf } from './tiles.ts';

const FOLDER = new URL('web/dist/', ROOT);
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
      // The build writes the table of pages (`web/pages.ts`) into it.
      const pages: readonly string[] = JSON.parse(readFileSync(new URL('paths.json', FOLDER), 'utf8'));
      host.assets({ path: '/', folder: new URL('dashboard/', FOLDER), csp, pages });
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
