/** Wrong input of the acoustician's desk: the answer says how to mend it, and nothing is kept in part. */
import t from 'tap';
import { CHANNEL_PATTERN, PLAIN_TEXT } from '../../lib/built-in.ts';
import { UNIT_ID } from '../../lib/index.ts';
import { openWorld } from '../support/world.ts';

/** The texts of these are in `lib/http/checks.ts`. */
const KNOWN = new Set<string>([PLAIN_TEXT, UNIT_ID, CHANNEL_PATTERN]);

interface Operation {
  readonly parameters?: readonly { readonly description?: string; readonly schema?: unknown }[];
  readonly requestBody?: unknown;
}

t.test('each message says what is allowed', async (t) => {
  const world = await openWorld(t);
  const report = { name: 'Week', units: ['sim-1'] };
  const limit = { index: 'leq', window: '15m', from: '25:00', to: '20:00', days: ['mon'], limit_db: 70 };
  const permit = { units: ['sim-1'], limits: [limit] };
  const base64 = (bytes: number) => Buffer.alloc(bytes, 1).toString('base64');
  const note = { kind: 'note', text: 'a\u202eb' };
  const calendars = async () => (await world.get('/_calendars')).body.data;
  const shipped = await calendars();
  const days = (date: string) => ({ days: [{ date, name: 'A holiday' }] });
  for (const [method, path, json, at, words] of [
    ['PUT', '/_calendars/x', days('2026-02-30'), '/days/0/date', /is no day of the calendar; write it as 2026-12-25/],
    ['PUT', '/_calendars/x', days('25.12.2026'), '/days/0/date', /write it as 2026-12-25/],
    ['POST', '/sim-1/notes', note, '/text', /without control characters and marks that turn/],
    ['POST', '/_reports', { ...report, remarks: 'a\u0007' }, '/remarks', /without control characters/],
    ['PUT', '/_permits/a%20b', {}, '/name', /up to 64 letters, digits/],
    ['PUT', '/_permits/a', permit, '/limits/0/from', /a time of day such as 07:00/],
    ['PUT', '/_stations/The%20mast', {}, '/id', /small letters, digits, - and _/],
    ['PUT', '/_reports/letterheads/a%20b', {}, '/name', /letters, digits, \. - and _/],
    ['PUT', '/_reports/templates/a%20b', { title: 'T', sections: ['limits'] }, '/name', /letters, digits, \. - and _/],
    ['PUT', '/_reports/letterheads/x', { logo: base64(1_000_001) }, '/logo', /1000001 bytes; at most 1000000 are/],
    ['PUT', '/_reports/letterheads/x', { logo: base64(2_000_000) }, '/logo', /2000000 bytes; at most 1000000 are/],
    ['PUT', '/_reports/letterheads/x', { logo: base64(1_000_000) }, '/logo', /is no PNG and no JPEG/],
  ] as const) {
    const { status, body } = await world.ask(method, path, { json });
    t.match({ status, errors: body.errors }, { status: 422, errors: [{ path: at, message: words }] }, `${path} ${at}`);
  }
  const events = await world.get('/sim-1/events?from=2025-12-01T00:00:00Z&to=2025-12-02T00:00:00Z');
  t.match(events.body.errors, [{ path: '/threshold', message: 'is needed, or over_background' }]);
  const both = await world.get(
    '/sim-1/events?from=2025-12-01T00:00:00Z&to=2025-12-02T00:00:00Z&threshold=60&over_background=10',
  );
  t.match(both.body.errors, [
    { path: '/threshold', message: 'cannot be given together with over_background: leave one of them out' },
  ]);
  t.strictSame(await calendars(), shipped);
  for (const list of ['/sim-1/notes', '/_reports', '/_stations', '/_reports/letterheads'])
    t.strictSame((await world.get(list)).body.data, [], list);
  t.equal((await world.get('/_reports/templates')).body.data.length, 4);
});

t.test('no input is refused with a pattern that programs read', async (t) => {
  const world = await openWorld(t);
  const document = (await world.get('/openapi.json')).body;
  /** The patterns of a schema that has no words for a person. */
  const withoutWords = (part: unknown, path: string): string[] => {
    if (typeof part !== 'object' || part === null) return [];
    const { $ref, pattern, description } = part as Readonly<Record<string, unknown>>;
    if (typeof $ref === 'string') {
      const names = $ref.slice(2).split('/');
      return withoutWords(
        names.reduce((found, name) => found[name], document),
        path,
      );
    }
    const own = typeof pattern === 'string' && !description && !KNOWN.has(pattern) ? [`${path}: ${pattern}`] : [];
    return [...own, ...Object.entries(part).flatMap(([name, inner]) => withoutWords(inner, `${path}/${name}`))];
  };
  for (const [path, operations] of Object.entries<Readonly<Record<string, Operation>>>(document.paths))
    for (const [method, { parameters = [], requestBody }] of Object.entries(operations)) {
      const named = parameters.filter(({ description }) => !description).map(({ schema }) => schema);
      t.strictSame(withoutWords([...named, requestBody], `${method} ${path}`), []);
    }
});
