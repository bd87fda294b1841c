/** client/python on a gateway with a simulated meter. Skipped where there is no Python. */
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { WebSocketServer } from 'ws';
import { HAS_PYTHON, needsPython } from '../support/python.ts';
import { serveHttp } from '../support/serve-http.ts';
import { openWorld, type World } from '../support/world.ts';

const STEPS = fileURLToPath(new URL('python/steps.py', import.meta.url));
const EXAMPLE = fileURLToPath(new URL('../../client/python/plot_day.py', import.meta.url));
const FOLDER = fileURLToPath(new URL('../../client/python', import.meta.url));
const DAY = Date.UTC(2026, 10, 21) / 1_000;
const mypy = spawnSync('mypy', ['--version']).status === 0;
const setuptools = spawnSync('python3', ['-c', 'import setuptools, wheel, pip']).status === 0;

let world: World;
t.before(async () => {
  if (!HAS_PYTHON) return;
  world = await openWorld(t);
  const weighting = { frequency: 'A', time: 'F' } as const;
  // Two hours: an even 50 dB, then an even 60 dB.
  const second = (at: number, leq: number) => ({
    at,
    steps: 10,
    leq,
    lmax: leq,
    lmin: leq,
    lpeak: leq,
    lp: Array(10).fill(leq),
  });
  const seconds = Array.from({ length: 7_200 }, (_, index) => second(DAY + index, index < 3_600 ? 50 : 60));
  world.gateway.history.append({ unitId: 'sim-1', source: 'stream', weighting, seconds: seconds.slice(0, 3_600) });
  await world.gateway.history.flush();
  world.gateway.history.append({ unitId: 'sim-1', source: 'stream', weighting, seconds: seconds.slice(3_600) });
  await world.gateway.history.flush();
});

const run = (file: string, args: readonly string[], folder: string) =>
  world.passing(
    new Promise<{ code: number; out: string; err: string }>((resolve) => {
      const env = { PATH: process.env.PATH, SLM_URL: world.base, PYTHONDONTWRITEBYTECODE: '1' };
      const child = execFile('python3', [file, ...args], { cwd: folder, env }, (_error, out, err) =>
        resolve({ code: child.exitCode ?? -1, out, err }),
      );
    }),
  );

/** Output of a step. */
const step = async (name: string, folder: string, base = world.base) => {
  const { out, err } = await run(STEPS, [name, base, folder], folder);
  if (out === '') throw new Error(err);
  return JSON.parse(out);
};

t.test('a unit is changed, started, read, stopped', needsPython, async (t) => {
  t.match(await step('measuring', t.testdir({})), {
    units: ['sim-1'],
    name: 'Roof',
    started: /started/,
    lp: /^\d+\.\d$/,
    set: /1s/,
    interval: '1s',
    stopped: /stopped/,
    results: ['leq', 'lmax', 'lmin', 'lpeak'],
    status: 'Stop',
  });
});

t.test('its types are whole, and those of the example', { skip: mypy ? false : 'no mypy' }, async (t) => {
  const words = ['--config-file', 'pyproject.toml', '--cache-dir', join(t.testdir({}), 'cache')];
  const { status, stdout } = spawnSync('mypy', words, { cwd: FOLDER, encoding: 'utf8' });
  t.equal(status, 0, stdout);
});

t.test('it is a package that pip installs, with its types', { skip: setuptools ? false : 'no pip' }, async (t) => {
  const folder = t.testdir({});
  // pip builds in the folder of the sources.
  cpSync(FOLDER, join(folder, 'source'), { recursive: true });
  const words = [
    '-m',
    'pip',
    'install',
    '--no-deps',
    '--no-index',
    '--no-build-isolation',
    '--target',
    'here',
    './source',
  ];
  const { status, stderr } = spawnSync('python3', words, { cwd: folder, encoding: 'utf8' });
  t.equal(status, 0, stderr);
  for (const name of ['__init__.py', 'py.typed']) t.ok(existsSync(join(folder, 'here/slm_gateway', name)), name);
  const text = readFileSync(join(FOLDER, 'pyproject.toml'), 'utf8');
  t.match(text, `version = "${JSON.parse(readFileSync(join(FOLDER, '../../package.json'), 'utf8')).version}"`);
});

t.test('errors carry code, status and the places of wrong input', needsPython, async (t) => {
  t.match(await step('errors', t.testdir({})), {
    unknown: { code: 'UNIT_NOT_FOUND', status: 404, text: /nobody.*UNIT_NOT_FOUND/ },
    wrong: { code: 'INVALID', status: 422, errors: [{ path: '/weighting' }] },
    nobody: { code: 'NO_GATEWAY', status: 0 },
    naive: /has no zone/,
  });
});

t.test('history comes as rows with times, indices by day', needsPython, async (t) => {
  const { rows, lnight } = await step('history', t.testdir({}));
  t.match(rows, [
    { start: '2026-11-21T00:00:00+00:00', leq: 50, l10: 50, quality: 'measured' },
    { start: '2026-11-21T01:00:00+00:00', leq: 60, l10: 60, coverage: 1 },
  ]);
  t.equal(lnight, 57.4, 'the energy mean of both hours');
});

t.test('a list is read over all its pages', needsPython, async (t) => {
  t.same(await step('pages', t.testdir({})), { all: true, events: [] });
});

t.test('a download goes on where it broke off, and starts again for another file', needsPython, async (t) => {
  await world.ftpOn();
  t.match(await step('download', t.testdir({})), {
    size: true,
    resumed: [20, true],
    anew: [0, true],
    left: [],
    missing: { code: 'FILE_NOT_FOUND', status: 404 },
  });
});

t.test(
  'a download that ends too early is an error, and never a short file under its own name',
  needsPython,
  async (t) => {
    const base = await serveHttp(t, (request, response) => {
      const page = request.url?.includes('/page/') ?? false;
      const type = page ? 'text/html' : 'application/octet-stream';
      response.writeHead(200, { 'Content-Type': type, 'Content-Length': page ? 6 : 100, ETag: '"1"' });
      // The connection ends as after a whole answer: only the length shows that bytes are missing.
      if (page) response.end('<html>');
      else response.write('x'.repeat(50), () => request.socket.end());
    });
    t.match(await step('broken', t.testdir({}), base), {
      download: { code: 'TRANSFER_BROKEN', text: /after 50 of 100 bytes/ },
      answer: { code: 'NO_GATEWAY', status: 0 },
      page: { code: 'NOT_A_GATEWAY', status: 200 },
      left: ['half.rnd.etag', 'half.rnd.part'],
    });
  },
);

t.test('streams need a package, and say which', needsPython, async (t) => {
  const { error } = await step('without_websockets', t.testdir({}));
  // It is there on some computers; then the step ends with the first event.
  t.match(error ?? 'pip install websockets', /pip install websockets/);
});

t.test('frames come one after the other', needsPython, async (t) => {
  const { frames } = await step('stream', t.testdir({}));
  t.equal(frames.length, 3);
  t.match(frames[0], { time: /^\d{4}-/, missed: 0, lp: Number });
});

t.test('the first message about a thousand meters is not too long', needsPython, async (t) => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  t.teardown(() => server.close());
  const unit = { unit_id: 'roof', place: 'x'.repeat(1_200) };
  server.on('connection', (socket) => socket.send(JSON.stringify({ event: 'hello', data: Array(1_000).fill(unit) })));
  const { port } = server.address() as AddressInfo;
  t.same(await step('large_fleet', t.testdir({}), `http://127.0.0.1:${port}`), { units: 1_000 });
});

t.test('the example draws a day, without any package as an SVG', needsPython, async (t) => {
  const folder = t.testdir({});
  const { code, out, err } = await run(EXAMPLE, ['sim-1', '2026-11-21', '--png'], folder);
  t.match({ code, out, err }, { code: 0, out: /drawn: sim-1-2026-11-21\.(svg|png)/ });
  const chart = join(folder, 'sim-1-2026-11-21.svg');
  if (existsSync(chart)) t.match(readFileSync(chart, 'utf8'), /<svg.*60 dB.*leq.*<\/svg>/s);
  const long = '2026-10-25';
  t.match(await run(EXAMPLE, ['sim-1', long, 'Europe/Berlin'], folder), { code: 0 });
  // 100 quarters of an hour: it is three o'clock after four hours. x is 48 + 896 * 16 / 100, 14 to the left.
  const labels = /177\.4" y="408">03 h<.*930\.0" y="408">24 h</s;
  if (existsSync(chart)) t.match(readFileSync(chart.replace('2026-11-21', long), 'utf8'), labels);
  t.match(await run(EXAMPLE, ['nobody', '2026-11-21'], folder), { code: 1, err: /UNIT_NOT_FOUND/ });
});
