/** The source of the tiles of a map: a server of the settings, or none. */
import { named, orNull, type Schema } from '../../lib/index.ts';

/** Below `plugin_settings.dashboard`. */
export interface DashboardSettings {
  readonly tiles_url: string;
  readonly tiles_attribution: string;
  readonly tiles_max_zoom: number;
}

/** No character that could end a source of a Content-Security-Policy. */
const TILES =
  '^(https?://(?=.*\\{z\\})(?=.*\\{x\\})(?=.*\\{y\\})[A-Za-z0-9.-]+(:[0-9]{1,5})?/[A-Za-z0-9._~/{}?&=%@+-]+)?$';

export const DASHBOARD_SETTINGS: Schema = {
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

/** The map in answers. */
export const MAP: Schema = orNull(
  named('MapTiles', {
    url: { type: 'string', description: 'With {z}, {x} and {y}.' },
    attribution: { type: 'string' },
    max_zoom: { type: 'integer' },
  }),
);

/** For the dashboard; null: no map. */
export const shownMap = ({ tiles_url, tiles_attribution, tiles_max_zoom }: DashboardSettings) =>
  tiles_url === '' ? null : { url: tiles_url, attribution: tiles_attribution, max_zoom: tiles_max_zoom };

/** The only outside address from which the page may load pictures, as a source of a Content-Security-Policy; undefined: none. */
export const tileHostOf = ({ tiles_url }: DashboardSettings): string | undefined =>
  tiles_url === '' ? undefined : new URL(tiles_url.replaceAll(/[{}]/g, '')).origin;
