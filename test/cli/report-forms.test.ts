/** Templates and letterheads of reports on the command line. */
import { join } from 'node:path';
import t from 'tap';
import { squarePng } from '../support/pictures.ts';
import { openWorld } from '../support/world.ts';
import { slm } from './setup.ts';

const world = await openWorld(t);

t.test('a template is written, changed in part and removed', async (t) => {
  const set = (...more: string[]) => slm(world, ['templates', 'set', 'permit', ...more]);
  t.match(await set('--title', 'Permit'), { code: 2, err: /needs --sections/ });
  t.match(await set('--sections', 'limits,nothing'), { code: 2, err: /sections\/1/ });
  t.match(await set('--sections', 'limits,weather', '--titles', 'limits:x'), { code: 2, err: /--titles is such as/ });
  t.match(await set('--sections', 'limits,weather', '--title', 'Permit', '--titles', 'limits=Permit 12/345'), {
    code: 0,
    out: 'The template permit is created.\n',
  });
  t.match(await set('--sections', 'weather,charts,limits'), { code: 0, out: /is changed/ });
  t.match((await slm(world, 'templates --json')).json.at(-1), {
    name: 'permit',
    title: 'Permit',
    sections: ['weather', 'charts', 'limits'],
    titles: { limits: 'Permit 12/345' },
  });
  t.match(await set('--sections', 'charts'), { code: 0 }, 'the title of a section that is left out goes with it');
  t.match((await slm(world, 'templates')).out, /full +Everything[\s\S]*permit +Permit +charts +you/);
  t.match(await slm(world, 'templates remove full'), { code: 2, err: /comes with the gateway/ });
  t.match(await slm(world, 'templates remove permit'), { code: 0, out: /is removed/ });
  t.match(await slm(world, 'templates remove permit'), { err: /no template permit/ });
});

t.test('a letterhead keeps parts that are not given, and takes only pictures', async (t) => {
  const folder = t.testdir({
    'logo.png': squarePng(40),
    'page.svg': '<svg/>',
    'large.png': Buffer.alloc(1_100_000, 1),
  });
  const set = (...more: string[]) => slm(world, ['letterheads', 'set', 'office', ...more]);
  t.match(await set('Office', '--logo', join(folder, 'none.png')), { code: 2, err: /cannot be read/ });
  for (const [name, err] of [
    ['page.svg', /no PNG and no JPEG/],
    ['large.png', /a logo may have 1 MB/],
  ] as const)
    t.match(await set('Office', '--logo', join(folder, name)), { code: 2, err }, name);
  t.strictSame((await slm(world, 'letterheads --json')).json, []);
  t.match(await set('Office', 'Street 1', '--logo', join(folder, 'logo.png')), { code: 0, out: /is created/ });
  const [{ logo }] = (await slm(world, 'letterheads --json')).json;
  t.match(logo, /^[0-9a-f]{64}$/);
  t.match(await set('Noise Office'), { code: 0 });
  t.strictSame((await slm(world, 'letterheads --json')).json, [{ name: 'office', lines: ['Noise Office'], logo }]);
  t.match(await set('--logo', join(folder, 'logo.png'), '--without-logo'), { code: 2, err: /not both/ });
  t.match(await set('--without-logo'), { code: 0 });
  t.match((await slm(world, 'letterheads')).out, /office +Noise Office +none/);
  t.match(await slm(world, 'letterheads remove office'), { code: 0 });
});
