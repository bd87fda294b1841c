/** Answers that cost memory and time take turns: which routes these are, and what a caller meets who asks for too many at once. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

/** Routes that look at a span of the records, and routes that send a folder of files. */
const LONG = [
  'GET /_alerts/days',
  'GET /_alerts/events',
  'GET /_history/days',
  'GET /_permits/{name}/verdict',
  'GET /_reports/preview',
  'GET /_stations/{id}/observations',
  'GET /_verdicts',
  'GET /{unit_id}/assessment',
  'GET /{unit_id}/calibrations/proposals',
  'GET /{unit_id}/distribution',
  'GET /{unit_id}/events',
  'GET /{unit_id}/files/archive',
  'GET /{unit_id}/ftp/archive',
  'GET /{unit_id}/history',
  'GET /{unit_id}/history/extent',
  'GET /{unit_id}/indices',
  'GET /{unit_id}/log',
  'GET /{unit_id}/loudest_hour',
  'GET /{unit_id}/moving',
  'GET /{unit_id}/notes/proposals',
  'GET /{unit_id}/report',
  'GET /{unit_id}/seals/{day}/rows',
  'GET /{unit_id}/verdicts',
  'POST /_alerts/rules/preview',
  'POST /{unit_id}/notes/proposals/accept',
  'PUT /_reports/letterheads/{name}',
];

interface Answer {
  readonly $ref?: string;
  readonly description?: string;
}

interface Document {
  readonly paths: Record<string, Record<string, { readonly responses?: Readonly<Record<string, Answer>> }>>;
  readonly components: { readonly responses: Readonly<Record<string, Answer>> };
}

t.test('the document marks the answers that may be refused because of too many requests at once', async (t) => {
  const world = await openWorld(t, { meters: 0 });
  const { paths, components } = (await world.get('/openapi.json')).body as Document;
  const long = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { responses = {} }]) => {
      const { $ref = '', ...own } = responses['503'] ?? {};
      const { description = '' } = components.responses[$ref.split('/').at(-1) ?? ''] ?? own;
      const isLong = /(^|[^_])BUSY: /.test(description);
      return isLong ? [`${method.toUpperCase()} ${path.replace(/^\/api\/nl43/, '')}`] : [];
    }),
  );
  t.strictSame(long.sort(), LONG);
});

t.test(
  'of 100 previews of a month at once 31 are answered in turn and the others refused, and the gateway answers meanwhile',
  async (t) => {
    const world = await openWorld(t, { meters: 0 });
    await world.put('/roof/config', { host: '192.0.2.1', tcp_enabled: false });
    const rule = { kind: 'level', name: 'Loud', units: ['roof'], quantity: 'leq', window: '15m', limit_db: 60 };
    const body = JSON.stringify({ rule, from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' });
    // Not by the world, which lets time pass: nobody gives up waiting here.
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body };
    const asked = Array.from({ length: 100 }, () => fetch(`${world.base}/_alerts/rules/preview`, init));
    t.equal((await fetch(new URL('/livez', world.base))).status, 200);
    const answers = await Promise.all(asked);
    const statuses = answers.map(({ status }) => status);
    const counted = (status: number) => statuses.filter((each) => each === status).length;
    // Eleven months fit into the 370 days of a caller, and twenty requests may wait.
    t.ok(counted(200) >= 31, statuses.join());
    t.equal(counted(200) + counted(503), 100, statuses.join());
    t.ok(counted(503) > 0);
    for (const answer of answers)
      if (answer.status === 503)
        t.match(await answer.json(), { code: 'BUSY' }, answer.headers.get('retry-after') ?? '');
  },
);
