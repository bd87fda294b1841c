/** The setting of the map: what is taken, and what is refused before it can reach a page or its policy. */
import t from 'tap';
import { settingsOf } from '../../lib/plugin/settings.ts';
import dashboard from '../../plugins/dashboard/index.ts';

t.test('an address of tiles is taken if it has all its gaps, and refused with the error', (t) => {
  for (const tiles_url of [
    '',
    'https://tiles.example.org/{z}/{x}/{y}.png',
    'http://192.0.2.7:8080/styles/plain/{z}/{x}/{y}@2x.png?key=A-b_9',
  ])
    t.match(settingsOf(dashboard, { tiles_url }), { tiles_url, tiles_max_zoom: 19 });
  for (const tiles_url of [
    'https://tiles.example.org/{z}/{x}.png',
    'ftp://tiles.example.org/{z}/{x}/{y}.png',
    'javascript:alert(1)//{z}/{x}/{y}',
    "https://tiles.example.org; script-src 'unsafe-inline'/{z}/{x}/{y}.png",
    'https://tiles.example.org /{z}/{x}/{y}.png',
    'https://user:word@tiles.example.org/{z}/{x}/{y}.png',
    'https://*.example.org/{z}/{x}/{y}.png',
    'https:///{z}/{x}/{y}.png',
    '//tiles.example.org/{z}/{x}/{y}.png',
  ])
    t.throws(() => settingsOf(dashboard, { tiles_url }), /plugin_settings\.dashboard: .*tiles_url/, tiles_url);
  t.end();
});
