/** The functions of the client work with a whole gateway. */
import t from 'tap';
import { Client, GatewayProblem, type LiveEvent } from '../../client/index.ts';
import { slm } from '../cli/setup.ts';
import { serveHttp } from '../support/serve-http.ts';
import { openWorld } from '../support/world.ts';

t.test('the client asks, changes, and tells errors by their code', async (t) => {
  const world = await openWorld(t);
  const client = new Client({ baseUrl: world.gateway.baseUrl });
  t.match(await client.about(), { caller: { name: 'anybody', role: 'admin', units: null } });
  t.match(await client.units(), [{ unit_id: 'sim-1' }]);
  t.match(await client.configure('sim-1', { name: 'Roof' }), { data: { name: 'Roof' } });
  t.match(await client.units({ q: 'roof' }), [{ name: 'Roof' }]);
  const entries = [{ cron: '0 6 * * 1-5', action: 'start_cycle' } as const];
  t.match(await client.setSchedule('sim-1', { zone: 'Europe/Berlin', entries }), { data: { entries } });
  t.match(await client.schedule('sim-1'), { zone: 'Europe/Berlin', next: [{ action: 'start_cycle' }] });
  await t.rejects(client.config('nobody'), { name: 'GatewayProblem', code: 'UNIT_NOT_FOUND', status: 404 });
  const refused = await client.configure('sim-1', { tcp_port: 0 }).catch((error: unknown) => error);
  t.ok(refused instanceof GatewayProblem && refused.errors[0]?.path === '/tcp_port');
  const nowhere = new Client({ baseUrl: 'http://127.0.0.1:1/api/nl43' });
  await t.rejects(nowhere.about(), { code: 'NO_GATEWAY', status: 0 });
});

t.test('an address without a path gets the usual one, unless another one is given', async (t) => {
  const asked: (string | undefined)[] = [];
  const baseUrl = await serveHttp(t, ({ url }, response) => {
    asked.push(url);
    response.end('{"data":{}}');
  });
  for (const options of [{ baseUrl }, { baseUrl: `${baseUrl}/` }, { baseUrl: `${baseUrl}/slm/` }])
    await new Client(options).about();
  await new Client({ baseUrl, basePath: '' }).about();
  t.strictSame(asked, ['/api/nl43/_about', '/api/nl43/_about', '/slm/_about', '/_about']);
});

t.test('live events begin with how everything stands, and end with the loop', async (t) => {
  const world = await openWorld(t);
  const client = new Client({ baseUrl: world.gateway.baseUrl });
  const heard: LiveEvent[] = [];
  const states: string[] = [];
  for await (const event of client.events({ connection: (state) => states.push(state) })) {
    heard.push(event);
    if (event.event === 'hello') await client.configure('sim-1', { place: 'North side' });
    if (event.event === 'config') break;
  }
  t.match(heard[0], { event: 'hello', data: [{ unit_id: 'sim-1', place: null }] });
  t.match(heard.at(-1), { event: 'config', unit_id: 'sim-1', data: { unit: { place: 'North side' } } });
  t.strictSame(states, ['open']);
});

t.test('an answer of another program, or half an answer, is a GatewayProblem', async (t) => {
  const baseUrl = await serveHttp(t, ({ url }, response) => {
    response.writeHead(200, { 'Content-Length': 50, Connection: 'close' });
    response.end(url === '/_about' ? `<html>${' '.repeat(44)}` : '{"status":');
  });
  const client = new Client({ baseUrl, basePath: '' });
  await t.rejects(client.about(), { name: 'GatewayProblem', code: 'NO_PROBLEM_FORMAT', status: 200 });
  await t.rejects(client.config('roof'), { name: 'GatewayProblem', code: 'NO_GATEWAY', status: 0 });
  t.match(await slm(undefined, ['units', '--url', `${baseUrl}/api`]), { code: 3, err: /broke off/ });
});

t.test('all pages of a list follow each other to the last one', async (t) => {
  const baseUrl = await serveHttp(t, ({ url = '' }, response) => {
    const { searchParams } = new URL(url, 'http://127.0.0.1');
    const [id, next] = searchParams.get('cursor') === '7' ? ['2', null] : ['1', '7'];
    response.end(JSON.stringify({ data: [{ id, unit: searchParams.get('unit') }], next }));
  });
  const events = await new Client({ baseUrl }).all('/_alerts/events', { unit: 'roof' });
  t.strictSame(events, [
    { id: '1', unit: 'roof' },
    { id: '2', unit: 'roof' },
  ]);
});

t.test('levels in a table say that their times are UTC, and a missing frame is not rounded away', async (t) => {
  const row = ['2026-11-21T00:00:00Z', 54.31, 0.9996];
  const data = { columns: ['start', 'leq', 'coverage'], rows: [row], notes: [] };
  const baseUrl = await serveHttp(t, (_request, response) => void response.end(JSON.stringify({ data })));
  t.match(await slm(undefined, ['history', 'roof', '--from', '2h', '--url', `${baseUrl}/api`]), {
    code: 0,
    out: /^START UTC +LEQ +COVERAGE\n2026-11-21 00:00:00 +54\.3 +99\.9 %\n$/,
  });
});

t.test('a list that is longer than the output says so', async (t) => {
  const baseUrl = await serveHttp(t, (_request, response) => void response.end('{"data":[],"next":"5"}'));
  for (const command of ['alerts', 'jobs']) {
    const shown = await slm(undefined, [command, '--json', '--url', `${baseUrl}/api`]);
    t.match(shown, { code: 0, json: [], err: /^Only the newest 1000 are shown; there are more\.\n$/ }, command);
  }
});

t.test('texts of a meter or another user never move the cursor of the terminal', async (t) => {
  const said = { message: 'Stopped.\u001b]0;x\u0007', warning: 'It said "\u009b2J".' };
  const baseUrl = await serveHttp(t, (_request, response) => void response.end(JSON.stringify(said)));
  const { out } = await slm(undefined, ['stop', 'roof', '--url', `${baseUrl}/api`]);
  t.equal(out, 'Stopped.?]0;x?\nWarning: It said "?2J".\n');
});

t.test('when levels break off while they are printed, the error says so', async (t) => {
  const baseUrl = await serveHttp(t, (request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/csv' });
    response.write('start,leq\n', () => request.socket.destroy());
  });
  const printed = await slm(undefined, ['history', 'roof', '--csv', '--url', `${baseUrl}/api`]);
  t.match(printed, { code: 3, out: 'start,leq\n', err: /^slm: The answer of the gateway broke off/ });
});

t.test('a signal ends what a server leaves without an answer', async (t) => {
  for (const run of [
    async (baseUrl: string, signal: AbortSignal) => {
      for await (const _ of new Client({ baseUrl, key: 'of anybody' }).events({ signal })) t.fail('there is no event');
    },
    (baseUrl: string, signal: AbortSignal) =>
      t.rejects(new Client({ baseUrl, signal }).units(), { name: 'AbortError' }),
    async (baseUrl: string, signal: AbortSignal) =>
      t.match(await slm(undefined, ['stop', 'roof', '--url', `${baseUrl}/api`], { signal }), { code: 130, err: '' }),
  ]) {
    const leaving = new AbortController();
    await run(await serveHttp(t, () => leaving.abort()), leaving.signal);
  }
});

t.test('a signal ends the loop', async (t) => {
  const world = await openWorld(t);
  const leaving = new AbortController();
  let events = 0;
  for await (const _event of new Client({ baseUrl: world.gateway.baseUrl }).events({ signal: leaving.signal })) {
    events += 1;
    leaving.abort();
  }
  t.equal(events, 1);
});
