/** Against the FTP server of the simulated meter: another implementation, strict where the meter is. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t, { type Test } from 'tap';
import { createCard } from '../../simulator/card/index.ts';
import { type FtpBehaviour, ftpBehaviour, startFtp } from '../../simulator/ftp/index.ts';
import { startFtpDouble } from '../support/ftp-double.ts';
import { bytesOf, cards, config, forever, turns, until } from './setup.ts';

const MB = 1_048_576;
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

t.test('50 MB come bit for bit, without being held', async (t) => {
  const { unit, card, clock } = await meter(t);
  card.addFile('/big.wav', { bytes: 50 * MB, seed: 3 }, clock.now());
  const expected = createHash('sha256');
  for (const chunk of card.read('/big.wav') ?? []) expected.update(chunk);

  // Used memory, without objects that wait for the garbage collector.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const used = () => process.memoryUsage().heapUsed + process.memoryUsage().external;
  const held = () => {
    // Buffers go with the second time.
    collect();
    collect();
    return used();
  };
  const before = held();
  const { stream, size } = await unit.download('/big.wav', forever);
  const seen = createHash('sha256');
  let most = 0;
  let bytes = 0;
  let looked = 0;
  for await (const chunk of stream) {
    seen.update(chunk);
    bytes += chunk.length;
    if (Math.floor(bytes / (5 * MB)) > looked) {
      looked = Math.floor(bytes / (5 * MB));
      // Collecting takes long: what is small with its garbage is small.
      const rough = used() - before;
      most = Math.max(most, rough < 10 * MB ? rough : held() - before);
    }
  }
  t.equal(size, 50 * MB);
  t.equal(bytes, 50 * MB);
  t.equal(seen.digest('hex'), expected.digest('hex'));
  t.ok(most < 10 * MB, `at most ${Math.round(most / MB)} MB more than before`);
});

t.test('a reader that stops taking stops the meter: what waits is in the sockets, not here', async (t) => {
  let made = 0;
  function* endless(): Generator<Buffer> {
    for (;;) {
      made += 64 * 1024;
      yield Buffer.alloc(64 * 1024);
    }
  }
  const double = await startFtpDouble(t, { files: { '/file': () => Readable.from(endless()) } });
  const { stream } = await cards().of(config(double)).download('/file', forever);
  let last = -1;
  while (made !== last) {
    last = made;
    await turns(200);
  }
  t.ok(made < 30 * MB, `${made / MB} MB were made before it stood still`);
  t.ok(stream.readableLength < MB);
  stream.destroy();
  await until(() => double.sessions.now === 0);
});

t.test('hostile names in a listing are left out and the rest is shown', async (t) => {
  const hostileNames = ['../../etc/passwd', '/etc/shadow', 'a\x1b[31mb', 'a\u0007'];
  const { unit, lines } = await meter(t, { hostileNames });
  const entries = await unit.list('/', forever);
  t.ok(entries.length > 0);
  t.ok(entries.every(({ name }) => /^[\w.-]+$/.test(name)));
  t.match(lines.join(''), /"dropped":4/);
});
