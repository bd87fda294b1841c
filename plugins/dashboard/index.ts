/**
 * Serves the dashboard, and at `/docs` the API pages, which `build/web.ts` makes from `web`. They call only the public API,
 * with the key of their user.
 */
import { readFileSync } from 'node:fs';
import { ROOT, sourceOf } from '../../lib/built-in.ts';
import { messageOf, named, orNull, type Plugin, type Schema } from '../../lib/index.ts';
import { addPlan } from './plan-routes.ts';

interface DashboardSettings {
  readonly tiles_url: string;
  readonly tiles_attribution: string;
  readonly tiles_max_zoom: number;
}

/** No character that could end a source of a Content-Security-Policy. */
const TILES =
  '^(https?://(?=.*\\{z\\})(?=.*\\{x\\})(?=.*\\{y\\})[A-Za-z0-9.-]+(:[0-9]{1,5})?/[A-Za-z0-9._~/{}?&=%@+-]+)?$';

const DASHBOARD_SETTINGS: Schema = {
  type: 'object',
  additionalProperties: false,
  default: {},
  properties: {
    tiles_url: {
      type: 'string',
      maxLength: 500,
      pattern: TILES,
      default: '',
      title: 'Address of the tiles of the map behind the plan',
      description:
        'With {z}, {x} and {y} (Web Mercator, 256 pixels): https://tiles.example.org/{z}/{x}/{y}.png. Empty: no map, and browsers load nothing from outside.',
    },
    tiles_attribution: {
      type: 'string',
      maxLength: 200,
      default: '© OpenStreetMap contributors',
      title: 'Whose map it is',
      description: 'Shown below the map, as the licence of most maps wants it.',
    },
    tiles_max_zoom: { type: 'integer', minimum: 1, maximum: 22, default: 19, title: 'Largest zoom of the tiles' },
  },
};

const MAP: Schema = orNull(
  named('MapTiles', {
    url: { type: 'string', description: 'With {z}, {x} and {y}.' },
    attribution: { type: 'string' },
    max_zoom: { type: 'integer' },
  }),
);

/** For the dashboard; null: no map. */
const shownMap = ({ tiles_url, tiles_attribution, tiles_max_zoom }: DashboardSettings) =>
  tiles_url === '' ? null : { url: tiles_url, attribution: tiles_attribution, max_zoom: tiles_max_zoom };

/** The only outside address from which the page may load pictures, as a source of a Content-Security-Policy; undefined: none. */
const tileHostOf = ({ tiles_url }: DashboardSettings): string | undefined =>
  tiles_url === '' ? undefined : new URL(tiles_url.replaceAll(/[{}]/g, '')).origin;

const FOLDER = new URL('web/dist/', ROOT);
/** `folder`: of a page, whose styles are allowed. */
const cspOf = (folder: string, tiles?: string) => {
  const page = readFileSync(new URL(`${folder}index.html`, FOLDER), 'utf8');
  const [, styles = ''] = /<style>(.*?)<\/style>/s.exec(page) ?? [];
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${sourceOf(styles)}`,
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
};

const plugin: Plugin<DashboardSettings> = {
  name: 'dashboard',
  about: 'The dashboard: its pages, the plan of the site, the map',
  settings: DASHBOARD_SETTINGS,
  async register(host) {
    await addPlan(host);
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
      const csp = cspOf('dashboard/', tileHostOf(host.settings));
      host.assets({ path: '/', folder: new URL('dashboard/', FOLDER), csp, pages });
      host.assets({ path: '/docs', folder: new URL('docs/', FOLDER), csp: cspOf('docs/') });
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
