/** A gateway under a sub-path of another server: the client, its events, and what a generated client makes of the document. */
import t from 'tap';
import { Client } from '../../client/index.ts';
import { behindPrefix } from '../browser/support/prefix-proxy.ts';
import { openWorld } from '../support/world.ts';

t.test('client and events work behind a prefix', async (t) => {
  const world = await openWorld(t);
  const site = await behindPrefix(t, world.base, '/noise/site');
  const gateway = new Client({ baseUrl: `${site}api/nl43` });
  const units = await world.passing(gateway.units());
  t.strictSame(
    units.map(({ unit_id }) => unit_id),
    ['sim-1'],
  );
  t.match(await world.passing(gateway.call('/sim-1/live')), { data: { lp: /^\d/ } });
  const events = gateway.events({ units: ['sim-1'], events: ['frame'] });
  const seen = async () => {
    for await (const { event } of events) if (event === 'frame') return event;
    return 'ended';
  };
  t.equal(await world.passing(seen()), 'frame');
});

t.test('each address of the document is right behind a prefix, as generators put it together', async (t) => {
  const world = await openWorld(t);
  const site = await behindPrefix(t, world.base, '/noise/site');
  const document = `${site}api/nl43/openapi.json`;
  const { servers, paths } = (await (await world.passing(fetch(document))).json()) as {
    servers: { url: string }[];
    paths: Record<string, { servers?: { url: string }[]; get?: { parameters?: { required?: boolean; in: string }[] } }>;
  };
  const asked: string[] = [];
  for (const [path, { servers: own = servers, get }] of Object.entries(paths)) {
    const needs = get?.parameters?.some((one) => one.required && one.in === 'query') ?? true;
    // A backup is long, and a plan has no picture before somebody gives it one.
    if (needs || path.includes('{') || path.includes('backup') || path === '/_plan/picture') continue;
    // The address of the server, resolved against that of the document, without the slash at its end, and the path.
    const url = new URL(own[0]?.url ?? '', document).href.replace(/\/$/, '') + path;
    const { status } = await world.passing(fetch(url));
    t.ok(status === 200 || status === 426, `${url} ${status}`);
    asked.push(path);
  }
  t.ok(asked.includes('/_status') && asked.includes('/metrics') && asked.length > 20, asked.join(' '));
});
