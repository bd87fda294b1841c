/** The picture of the plan: what may be one, who may change it, where meters stand on it, and what stays after a restart. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { type Answered, ASKED_MAX, JPEG, PNG, pngOf, sendPicture } from '../support/pictures.ts';
import { openWorld, type World } from '../support/world.ts';

const put = (world: World, bytes: Buffer, headers: Record<string, string> = {}): Promise<Answered> =>
  world.passing(sendPicture(world.base, bytes, headers));
const files = (world: World) => readdirSync(join(world.dataDir, 'data', 'plugins', 'dashboard'));

t.test('a picture becomes the plan, and meters are on it', async (t) => {
  const world = await openWorld(t, { meters: 2 });
  t.strictSame((await world.get('/_plan')).body.data, { picture: null, marks: [] });
  t.match(await world.get('/_plan/picture'), { status: 404, body: { code: 'PLAN_NOT_FOUND' } });
  t.match(await world.put('/sim-1/plan', { x: 0, y: 1 }), { status: 404, body: { code: 'PLAN_NOT_FOUND' } });

  const made = await put(world, PNG);
  t.match(made, { status: 200, body: { message: 'The plan is a picture of 1 x 1 pixels.' } });
  t.match(made.body.data, { media_type: 'image/png', bytes: PNG.length, width: 1, height: 1 });
  const got = await fetch(`${world.base}/_plan/picture`);
  t.equal(got.headers.get('content-type'), 'image/png');
  t.equal(got.headers.get('x-content-type-options'), 'nosniff', 'its bytes decide nothing in a browser');
  t.match(got.headers.get('content-security-policy'), /default-src 'none'/);
  t.ok(Buffer.from(await got.arrayBuffer()).equals(PNG), 'as it was sent');

  t.match(await world.put('/sim-1/plan', { x: 0, y: 1 }), {
    status: 200,
    body: { data: { unit_id: 'sim-1', x: 0, y: 1 } },
  });
  await world.put('/sim-2/plan', { x: 0.5, y: 0.25 });
  for (const [body, path] of [
    [{ x: 1.001, y: 0 }, '/x'],
    [{ x: 0, y: -0.001 }, '/y'],
    [{ x: 0 }, '/y'],
    [{ x: '0', y: 0 }, '/x'],
    [{ x: 0, y: 0, z: 0 }, '/z'],
  ] as const)
    t.match(await world.put('/sim-1/plan', body), { status: 422, body: { errors: [{ path }] } }, JSON.stringify(body));

  await put(world, JPEG);
  t.match((await world.get('/_plan')).body.data, {
    picture: { media_type: 'image/jpeg', width: 3, height: 2 },
    marks: [
      { unit_id: 'sim-1', x: 0, y: 1 },
      { unit_id: 'sim-2', x: 0.5, y: 0.25 },
    ],
  });
  t.equal(files(world).length, 1, 'the first picture is not kept');

  await world.restart(1_000);
  const { data } = (await world.get('/_plan')).body;
  t.match(data, { picture: { media_type: 'image/jpeg' }, marks: { length: 2 } }, 'a restart changes nothing');
  await world.delete('/sim-2/plan');
  t.match(await world.delete('/sim-2/plan'), { status: 404, body: { code: 'PLAN_NOT_FOUND' } });
  await world.delete('/sim-1/config');
  t.strictSame((await world.get('/_plan')).body.data.marks, [], 'a meter that is gone stands nowhere');
  await world.configure('sim-1', world.meter);
  t.strictSame((await world.get('/_plan')).body.data.marks, [], 'nor does another one with its name');

  t.equal((await world.delete('/_plan/picture')).status, 200);
  t.strictSame((await world.get('/_plan')).body.data, { picture: null, marks: [] });
  t.strictSame(files(world), []);
  t.match(await world.delete('/_plan/picture'), { status: 404, body: { code: 'PLAN_NOT_FOUND' } });

  const { records } = (await world.get('/_audit?limit=100')).body;
  for (const path of ['/_plan/picture', '/{unit_id}/plan']) {
    const methods = records.filter((record: { route?: string }) => record.route?.endsWith(path));
    const seen = new Set(methods.map(({ method }: { method: string }) => method));
    t.strictSame([...seen].sort(), ['DELETE', 'PUT'], `${path} is in the audit log`);
  }
});

t.test('a file that is no whole picture is refused in words, and the plan stays', async (t) => {
  const world = await openWorld(t);
  await put(world, PNG);
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  for (const [what, bytes, said] of [
    ['nothing', Buffer.alloc(0), 'is empty'],
    ['a drawing with a script', Buffer.from(svg), 'SVG and PDF are not taken'],
    ['a page', Buffer.from('<!doctype html><script>alert(1)</script>'), 'no PNG and no JPEG'],
    ['the beginning of a PNG', PNG.subarray(0, 8), 'broken'],
    ['a PNG without its end', PNG.subarray(0, PNG.length - 4), 'broken'],
    ['the beginning of a JPEG', JPEG.subarray(0, 4), 'broken'],
    ['a JPEG without its end', JPEG.subarray(0, JPEG.length - 1), 'broken'],
    ['two bytes', JPEG.subarray(0, 2), 'no PNG and no JPEG'],
    ['a PNG without pixels', pngOf(0, 10), 'no pixels'],
    ['a PNG that would fill the memory of a browser', pngOf(50_001, 1_000), 'at most 50 million'],
  ] as const) {
    const { status, body } = await put(world, bytes);
    t.equal(status, 422, what);
    t.match(body.detail, said, what);
  }
  t.equal((await put(world, pngOf(50_000, 1_000))).status, 200, 'exactly as many pixels as allowed');
  const large = Buffer.concat([PNG, Buffer.alloc(ASKED_MAX - PNG.length)]);
  t.equal((await put(world, large)).status, 200, 'exactly as many bytes as allowed');
  t.match(await put(world, Buffer.concat([large, Buffer.alloc(1)])), { status: 413, body: { code: 'BODY_TOO_LARGE' } });
  t.match(await put(world, PNG, { 'Content-Type': 'image/svg+xml' }), { status: 415 });
  t.match((await world.get('/_plan')).body.data.picture, { bytes: ASKED_MAX }, 'the last good one is the plan');
  t.equal(files(world).length, 1);
});
