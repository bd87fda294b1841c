import t, { type Test } from 'tap';
import { createCard } from '../../simulator/card/index.ts';
import { type FtpBehaviour, ftpBehaviour, startFtp } from '../../simulator/ftp/index.ts';
import { bytesOf, cards, config, forever } from './setup.ts';

const NAME = 'NL_0001_SLM_Lp _0019_0001.rnd';

async function meter(t: Test, changes: Partial<FtpBehaviour> = {}) {
  const side = cards();
  const card = createCard({ model: 'NL-43', totalMb: 1_024, seed: 7, startedAt: side.clock.now() });
  const server = await startFtp({
    host: '127.0.0.1',
    port: 0,
    card,
    clock: side.clock,
    behaviour: ftpBehaviour({ startDelayMs: 0, ...changes }),
  });
  await server.on();
  t.teardown(() => server.stop());
  return { ...side, card, server, unit: side.of(config({ host: '127.0.0.1', port: server.port })) };
}

t.test('the card of a meter is listed from the root down, spaces and foreign files included', async (t) => {
  const { unit, card, clock } = await meter(t, { dotEntries: true });
  card.addFile(`/NL-43/Auto_0019/Auto_Lp_01/${NAME}`, Buffer.from('row\r\n'), clock.now());
  const root = await unit.list('/', forever);
  t.ok(root.some(({ path, isDir }) => path === '/NL-43' && isDir));
  t.ok(root.some(({ name, isDir }) => name.startsWith('NIKON') && !isDir));
  t.same(await unit.list('/DCIM', forever), []);
  t.match(await unit.list('/NL-43/Auto_0019/Auto_Lp_01', forever), [
    { name: NAME, size: 5, modifiedAt: '2025-12-24T02:00:00' },
  ]);
  const file = await unit.download(`/NL-43/Auto_0019/Auto_Lp_01/${NAME}`, forever);
  t.equal(String(await bytesOf(file.stream)), 'row\r\n');
  await t.rejects(unit.list('/NL-44', forever), { code: 'FILE_NOT_FOUND' });
  await t.rejects(unit.download('/NL-43/none.rnd', forever), { code: 'FILE_NOT_FOUND' });
});

t.test('hostile names in a listing are left out and the rest is shown', async (t) => {
  const hostileNames = ['../../etc/passwd', '/etc/shadow', 'a\x1b[31mb', 'a\u0007'];
  const { unit, lines } = await meter(t, { hostileNames });
  const entries = await unit.list('/', forever);
  t.ok(entries.length > 0);
  t.ok(entries.every(({ name }) => /^[\w.-]+$/.test(name)));
  t.match(lines.join(''), /"dropped":4/);
});
