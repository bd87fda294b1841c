/** A route without its callers, or with a word that is no role, cannot be registered: it would refuse nobody. */
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { suffices } from '../../lib/domain/ids.ts';
import type { Assets, Route, SocketRoute } from '../../lib/http/contract.ts';
import { RouteTable } from '../../lib/http/routes.ts';
import { route } from './serve.ts';

const WRONG: readonly (readonly [words: string, access: unknown])[] = [
  ['missing', undefined],
  ['null', null],
  ['empty', ''],
  ['in capitals', 'Admin'],
  ['with a space', 'admin '],
  ['misspelt', 'adminn'],
  ['another word for it', 'owner'],
  ['two of them', 'operator,admin'],
  ['a list', ['admin']],
  ['a number', 2],
  ['true', true],
  ['an object', { role: 'admin' }],
  ['a name that every object has', 'constructor'],
  ['a name that every list has', 'length'],
];

const socket: SocketRoute = {
  path: '/{unit_id}/wire',
  access: 'admin',
  summary: 'Lines',
  messages: [],
  errors: [],
  admit() {},
  open() {},
};
/** As a plugin in JavaScript may write it. */
const withAccess = <T extends object>(whole: T, access: unknown): T =>
  access === undefined
    ? (Object.fromEntries(Object.entries(whole).filter(([name]) => name !== 'access')) as T)
    : { ...whole, access };

const folder = fileURLToPath(new URL('../../web/docs/', import.meta.url));
const assets: Assets = { path: '/secret', folder, csp: "default-src 'none'" };

t.test('a route or a WebSocket without a valid access is refused, and the error names it', async (t) => {
  const thing = route({ method: 'PUT', path: '/{unit_id}/thing' }) as Route;
  for (const [words, access] of WRONG) {
    const table = new RouteTable();
    const ofRoute = { message: /PUT \/\{unit_id\}\/thing: access .*public, viewer, operator, admin/ };
    t.throws(() => table.add(withAccess(thing, access)), ofRoute, words);
    const ofSocket = { message: /WS \/\{unit_id\}\/wire: access .*public, viewer, operator, admin/ };
    t.throws(() => table.addSocket(withAccess(socket, access)), ofSocket, words);
    t.equal(table.routes.length + table.sockets.length, 0, 'and is not there');
  }
});

t.test('a folder of files is open to everybody: another access is refused', async (t) => {
  for (const [words, access] of [...WRONG, ['a role', 'admin'] as const, ['the least role', 'viewer'] as const]) {
    if (access === undefined) continue;
    const table = new RouteTable();
    t.throws(
      () => table.addAssets(withAccess(assets, access)),
      { message: /assets \/secret: .*open to everybody/ },
      words,
    );
    t.equal(table.asset('/secret/index.html'), undefined, 'and is not served');
  }
  const table = new RouteTable();
  table.addAssets(assets);
  table.addAssets(withAccess({ ...assets, path: '/open' }, 'public'));
  t.ok(table.asset('/secret/index.html') && table.asset('/open/index.html'));
});

t.test('each right word is taken', async (t) => {
  const table = new RouteTable();
  for (const access of ['public', 'viewer', 'operator', 'admin'] as const) {
    table.add(route({ path: `/{unit_id}/${access}`, access }) as Route);
    table.addSocket({ ...socket, path: `/{unit_id}/wire-${access}`, access });
  }
  t.equal(table.routes.length + table.sockets.length, 8);
});

t.test('with a word that is no role, nobody is let in', async (t) => {
  for (const [words, access] of WRONG)
    for (const role of ['viewer', 'operator', 'admin'] as const)
      t.equal(suffices(role, access as 'admin'), false, `${role}, ${words}`);
  for (const [words, role] of WRONG)
    if (role !== 'admin') t.equal(suffices(role as 'admin', 'viewer'), false, `a key whose role is ${words}`);
});
