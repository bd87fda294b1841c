/** Files for browsers, below the root of the server. */
import { mkdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { send } from '../support/raw.ts';
import { BASE, route, serve } from './serve.ts';

const CSP = "default-src 'none'; script-src 'self'";
const SCRIPT = 'console.log(1);'.repeat(300);

async function folderOf(t: Test): Promise<string> {
  const folder = t.testdir({
    web: {
      'index.html': '<!doctype html>',
      'app-3Q4KZ7PA.js': SCRIPT,
      'logo.png': 'png',
      '.env': 'secret',
      help: { 'index.html': '<!doctype html>help' },
    },
    'secret.txt': 'secret',
  });
  await mkdir(join(folder, 'web', 'empty'));
  await symlink(join(folder, 'secret.txt'), join(folder, 'web', 'link.txt'));
  return join(folder, 'web');
}

t.test('a folder is served below the root, with a policy, types and an ETag', async (t) => {
  const folder = await folderOf(t);
  const { ask } = await serve(t, { assets: [{ path: '/', folder, csp: CSP }] });
  const page = await ask('GET', '/');
  t.equal(page.body, '<!doctype html>');
  t.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
  t.equal(page.headers.get('content-security-policy'), CSP);
  t.equal(page.headers.get('cache-control'), 'public, no-cache');
  t.equal(page.headers.get('x-content-type-options'), 'nosniff');
  t.equal((await ask('GET', '/help')).body, '<!doctype html>help');
  const script = await ask('GET', '/app-3Q4KZ7PA.js', { headers: { 'Accept-Encoding': 'br' } });
  t.equal(script.body, SCRIPT);
  t.equal(script.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  t.equal(script.headers.get('content-encoding'), 'br');
  const etag = script.headers.get('etag') ?? '';
  t.equal((await ask('GET', '/app-3Q4KZ7PA.js', { headers: { 'If-None-Match': etag } })).status, 304);
  t.strictSame([(await ask('HEAD', '/')).status, (await ask('HEAD', '/')).body], [200, '']);
});

t.test('a file that could not be read once is read when it is asked for again', async (t) => {
  const folder = await folderOf(t);
  const { ask } = await serve(t, { assets: [{ path: '/', folder, csp: CSP }] });
  await rename(join(folder, 'logo.png'), join(folder, 'away'));
  t.equal((await ask('GET', '/logo.png')).status, 500);
  await rename(join(folder, 'away'), join(folder, 'logo.png'));
  t.match(await ask('GET', '/logo.png'), { status: 200, body: 'png' });
});

t.test('an address within a page gets the page, with the way to the root and the base path in it', async (t) => {
  const folder = t.testdir({ 'index.html': '<base href="{{root}}"><meta content="{{api}}">', 'app.js': '{{root}}' });
  const pages = ['/m/{unit_id}', '/m/{unit_id}/history', '/settings'];
  const { ask } = await serve(t, { assets: [{ path: '/', folder, csp: CSP, pages }] });
  const bodyOf = async (path: string) => (await ask('GET', path)).body;
  t.equal(await bodyOf('/'), '<base href="./"><meta content="api/nl43">');
  t.equal(await bodyOf('/settings'), '<base href="./"><meta content="api/nl43">');
  t.equal(await bodyOf('/m/roof'), '<base href="../"><meta content="api/nl43">');
  t.equal(await bodyOf('/m/roof/history'), '<base href="../../"><meta content="api/nl43">');
  t.equal(await bodyOf('/app.js'), '{{root}}', 'nothing else is changed');
  const { headers } = await ask('GET', '/m/roof');
  t.equal(headers.get('content-security-policy'), CSP);
  t.not(headers.get('etag'), (await ask('GET', '/')).headers.get('etag'));
  for (const path of ['/m', '/m/', '/m/roof/', '/m/roof/other', `${BASE}/m/roof`]) {
    t.equal((await ask('GET', path)).status, 404, path);
  }
});

t.test('only the listed files can be fetched', async (t) => {
  const folder = await folderOf(t);
  const { ask, http } = await serve(t, { assets: [{ path: '/', folder, csp: CSP }] });
  for (const path of [
    '/.env',
    '/link.txt',
    '/empty',
    '/nothing.js',
    '/help/../secret.txt',
    '/%2e%2e/secret.txt',
    '/web',
  ]) {
    t.equal((await ask('GET', path)).status, 404, path);
  }
  const line = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
  for (const path of [
    '/../secret.txt',
    '/..%2fsecret.txt',
    '//secret.txt',
    '/help/../../secret.txt',
    '/\\..\\secret.txt',
  ]) {
    t.equal((await send(http.port, line(path))).status, 404, path);
  }
  t.equal((await ask('POST', '/')).status, 404, 'and only read');
});

t.test('a folder below a path of its own leaves the API alone', async (t) => {
  const folder = await folderOf(t);
  const { ask } = await serve(t, { routes: [route({})], assets: [{ path: '/docs', folder, csp: CSP }] });
  t.equal((await ask('GET', '/docs')).body, '<!doctype html>');
  t.equal((await ask('GET', '/')).status, 404);
  t.equal((await ask('GET', `${BASE}/roof/thing`)).status, 200);
  t.equal((await ask('GET', '/health')).body.status, 'ok');
});

t.test('two folders with the same path, and a folder that is not there, are refused at once', async (t) => {
  const folder = await folderOf(t);
  const one = { path: '/', folder, csp: CSP };
  await t.rejects(serve(t, { assets: [one, one] }), { message: /defined already/ });
  await t.rejects(serve(t, { assets: [{ ...one, folder: join(folder, 'nowhere') }] }), { code: 'ENOENT' });
});
