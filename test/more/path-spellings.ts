/** Every route in every spelling that an address can have: none opens what the plain spelling refuses. */
import { Agent, request } from 'node:http';
import t from 'tap';
import { openKeyedGateway } from '../support/keyed-gateway.ts';

const encoded = (text: string): string =>
  [...text].map((letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
const lastPart = (path: string, change: (part: string) => string): string => {
  const at = path.lastIndexOf('/') + 1;
  return path.slice(0, at) + change(path.slice(at));
};

/** Of an absolute path. */
const SPELLINGS: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => `${path}/`,
  (path) => `${path}//`,
  (path) => `/${path}`,
  (path) => path.replaceAll('/', '//'),
  (path) => `${path}/.`,
  (path) => `/.${path}`,
  (path) => `/x/..${path}`,
  (path) => `/x/%2e%2e${path}`,
  (path) => `/healthz/..${path}`,
  (path) => `/livez/..%2f..${path}`,
  (path) => path.replaceAll('/', '%2f'),
  (path) => path.replaceAll('/', '%2F').replace('%2F', '/'),
  (path) => path.replaceAll('/', '\\'),
  (path) => path.toUpperCase(),
  (path) => lastPart(path, (part) => part.toUpperCase()),
  (path) => lastPart(path, encoded),
  (path) => lastPart(path, (part) => encoded(part).replaceAll('%', '%25')),
  (path) => `${path};x=1`,
  (path) => `${path}%00`,
  (path) => `${path}%20`,
  (path) => `${path}%0a`,
  (path) => `${path}.json`,
  (path) => `${path}?access=public`,
  (path) => `${path}%3f`,
  (path) => `${path}#x`,
  (path) => `http://other.example${path}`,
];
/** The page itself is for everybody, under any address. */
const PAGE = /^text\/(html|css|javascript)|^image\//;

t.test('no spelling of a path opens what the plain one refuses', async (t) => {
  const keyed = await openKeyedGateway(t, { request_rate: 0 });
  const viewer = await keyed.key({ name: 'viewer', role: 'viewer' });
  const base = new URL(keyed.gateway.baseUrl);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());
  const ask = (method: string, path: string, headers: Readonly<Record<string, string>>) =>
    new Promise<{ status: number; type: string }>((resolve) => {
      const asked = request({ host: base.hostname, port: base.port, method, path, headers, agent }, (answer) => {
        answer.resume();
        answer.once('close', () =>
          resolve({ status: answer.statusCode ?? 0, type: String(answer.headers['content-type'] ?? '') }),
        );
      });
      asked.once('error', () => resolve({ status: 0, type: '' }));
      asked.end();
    });
  const { body } = await keyed.ask('GET', '/openapi.json');
  const [wrong, counted]: [string[], { sum: number }] = [[], { sum: 0 }];
  for (const [path, item] of Object.entries<Record<string, { 'x-access'?: string }>>(body.paths)) {
    const root = item.servers === undefined ? base.pathname.replace(/\/$/, '') : '';
    const plain = `${root}${path.replaceAll(/\{unit_id\}/g, 'roof').replaceAll(/\{\w+\}/g, '1')}`;
    for (const method of ['get', 'put', 'post', 'delete']) {
      const access = item[method]?.['x-access'];
      if (access === undefined || access === 'public') continue;
      const callers: [string, Record<string, string>][] = [['nobody', {}]];
      if (access !== 'viewer') callers.push(['viewer', viewer.headers]);
      // A caller who asks without a key for long is no guesser. But time must go on.
      await keyed.clock.advance(1_000);
      for (const spelled of new Set(SPELLINGS.map((spell) => spell(plain)))) {
        for (const [caller, headers] of callers) {
          const { status, type } = await ask(method.toUpperCase(), spelled, headers);
          counted.sum += 1;
          const isOpen = status >= 200 && status < 300 && !(method === 'get' && PAGE.test(type));
          // The plain one is there, and asks who it is, or for a WebSocket.
          const isStrange = spelled === plain && caller === 'nobody' && ![401, 426].includes(status);
          if (isOpen || isStrange || status >= 500) wrong.push(`${method} ${spelled} by ${caller}: ${status} ${type}`);
        }
      }
    }
  }
  t.ok(counted.sum > 5_000, `${counted.sum} requests`);
  t.strictSame(wrong, []);
});
