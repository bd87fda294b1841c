/**
 * Serves the dashboard, and at `/docs` the API pages: what `build/web.ts` makes of `web`. They call only the public API, with
 * the key of their user.
 */
import { messageOf, type Plugin, ROOT } from '../lib/index.ts';

const FOLDER = new URL('web/dist/', ROOT);
/** As `web/app/address.ts` reads them. */
const PAGES = [
  '/m/{unit_id}',
  '/m/{unit_id}/history',
  '/m/{unit_id}/days',
  '/m/{unit_id}/files',
  '/m/{unit_id}/campaign',
  '/m/{unit_id}/log',
  '/overview',
  '/compare',
  '/wall',
  '/alerts',
  '/settings',
];
const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const plugin: Plugin = {
  name: 'dashboard',
  register(host) {
    try {
      host.assets({ path: '/', folder: new URL('dashboard/', FOLDER), csp: CSP, pages: PAGES });
      host.assets({ path: '/docs', folder: new URL('docs/', FOLDER), csp: CSP });
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
