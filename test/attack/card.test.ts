/** Attacks from a card: names, listings, banners, sizes and data connections that mean harm, seen through the API. */
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import t, { type Test } from 'tap';
import { type DoubleOptions, type FtpDouble, listed, startFtpDouble } from '../support/ftp-double.ts';
import { openWorld, type World } from '../support/world.ts';
import { holds, memoryMb, pour } from './support/hostile.ts';

/** A gateway with one unit, `bad`, that has this card and no commands. */
async function badCard(t: Test, options: DoubleOptions, more: object = {}) {
  const double = await startFtpDouble(t, options);
  const world = await openWorld(t, { meters: 0 });
  const config = { host: double.host, ftp_port: double.port, ftp_enabled: true, tcp_enabled: false, ...more };
  await world.put('/bad/config', config);
  return { double, world, mb: memoryMb() };
}

const list = (world: World) => world.get('/bad/ftp/files?path=/');
const done = async (double: FtpDouble) => {
  while (double.sessions.now > 0) await new Promise((resolve) => setImmediate(resolve));
};

const HOSTILE_NAMES: Readonly<Record<string, string>> = {
  traversal: '../../etc/passwd',
  'traversal, the other way': '..\\..\\boot.ini',
  absolute: '/etc/shadow',
  'a drive': 'C:\\Windows\\win.ini',
  'a bell and an escape': 'a\u0007\u001b[2J.rnd',
  'a carriage return': 'a\rDELE x',
  'a zero byte': 'a\u0000.rnd',
  SUB: 'a\u001a.rnd',
  'a mark that turns the writing': 'exe.\u202egnp.rnd',
  'an isolate': 'a\u2066b\u2069.rnd',
  'an invisible joiner': 'a\u200db.rnd',
  'a line separator': 'a\u2028b.rnd',
  'bytes that are no UTF-8': 'a\ufffdb.rnd',
  '4 kB': 'n'.repeat(4_096),
  '300 characters': 'n'.repeat(300),
};

t.test('hostile names are dropped from a listing, counted in the log, and nothing else is lost', async (t) => {
  const names = Object.values(HOSTILE_NAMES);
  const folders = { '/': [...names, 'good.rnd'].map((name) => listed(name, 10)).join('') };
  const { world } = await badCard(t, { folders });
  const { status, body } = await list(world);
  t.equal(status, 200);
  t.same(
    body.files.map((file: { name: string }) => file.name),
    ['good.rnd'],
  );
  t.match(world.log.join(''), /"dropped":1[0-9]/);
});

t.test(
  'names that are harmless here but not to a file system are data, and offered as an attachment only',
  async (t) => {
    const names = [
      'CON',
      'NUL.rnd',
      'a:b',
      '-rf',
      '$(reboot)',
      '`id`',
      "a';DROP TABLE",
      '<img src=x onerror=alert(1)>',
      '%2e%2e%2f',
    ];
    const folders = { '/': names.map((name) => listed(name, 4)).join('') };
    const files = Object.fromEntries(names.map((name) => [`/${name}`, 'data']));
    const { world } = await badCard(t, { folders, files });
    for (const name of names) {
      const answer = await world.ask('POST', '/bad/ftp/download', { json: { remote_path: `/${name}` } });
      t.match(answer, { status: 200, body: 'data' }, name);
      t.equal(answer.headers.get('content-type'), 'application/octet-stream');
      t.match(answer.headers.get('content-disposition'), /^attachment; filename=/);
      t.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    }
  },
);

t.test('no path of a caller becomes a second command, in any spelling', async (t) => {
  const { world, double } = await badCard(t, { folders: { '/': '' } });
  for (const path of [
    '/a\r\nDELE b',
    '/a\nDELE b',
    '/a\u0000',
    '/a\u001a',
    '/../x',
    '/a/..\\..',
    '/\u2028DELE',
    'x',
    '',
  ]) {
    const answer = await world.ask('POST', '/bad/ftp/download', { json: { remote_path: path } });
    t.match(answer, { status: 422, body: { code: 'INVALID' } }, encodeURIComponent(path));
  }
  t.same(double.commands, [], 'the meter was not even connected to');
});

t.test('a listing without an end is given up at its limit', async (t) => {
  function* endless() {
    const chunk = Buffer.from(listed('x.rnd', 1).repeat(1_000));
    for (;;) yield chunk;
  }
  const { world, double, mb } = await badCard(t, {
    answers: { LIST: (s) => s.send(Readable.from(endless())).catch(() => {}) },
  });
  t.match(await list(world), { status: 502, body: { code: 'FTP_FAILED', detail: /longer than/ } });
  await done(double);
  await holds(t, world, mb);
});

t.test('a banner or reply without an end is given up at its limit', async (t) => {
  let endless = '';
  const greet = (socket: Socket) => pour(socket, endless.repeat(Math.ceil(16_384 / endless.length)));
  const { world, double, mb } = await badCard(t, { greet });
  for (endless of ['220-more\r\n', '2', '\r\n', '120 wait\r\n']) {
    const answer = await list(world);
    t.match(answer, { status: 502, body: { code: 'FTP_FAILED' } }, JSON.stringify(endless));
    await done(double);
  }
  await holds(t, world, mb);
});

t.test('a file that never ends is delivered as it was listed, and read no more than a megabyte further', async (t) => {
  function* endless() {
    const chunk = Buffer.alloc(65_536, 120);
    for (;;) yield chunk;
  }
  const { world, double, mb } = await badCard(t, {
    folders: { '/': listed('a.rnd', 1_000) },
    files: { '/a.rnd': () => Readable.from(endless()) },
  });
  const { status, headers } = await world.ask('POST', '/bad/ftp/download', { json: { remote_path: '/a.rnd' } });
  t.match({ status, length: headers.get('content-length') }, { status: 200, length: '1000' });
  await done(double);
  t.match(world.log.join(''), /a file grew while it was read/);
  await holds(t, world, mb);
});

t.test('a size that is a lie never makes a short file look whole', async (t) => {
  for (const size of [999_999_999_999_999, 11]) {
    const { world, mb } = await badCard(t, {
      folders: { '/': listed('a.rnd', size) },
      files: { '/a.rnd': '1234567890' },
    });
    const download = world.ask('POST', '/bad/ftp/download', { json: { remote_path: '/a.rnd' } });
    await t.rejects(download, `listed with ${size} bytes, sent 10`);
    await holds(t, world, mb);
  }
});

t.test('a passive answer that names somebody else is not followed', async (t) => {
  let game = '';
  const answers: DoubleOptions['answers'] = {
    PASV: (session) => session.reply(`227 Entering Passive Mode (${game})`),
    EPSV: (session) => session.reply('502 no'),
  };
  const { world } = await badCard(t, { answers }, { ftp_mode: 'passive' });
  for (game of ['169,254,169,254,0,80', '10,0,0,1,0,22', '8,8,8,8,1,1', '0,0,0,0,0,25', '256,1,1,1,1,1', 'a,b', ''])
    t.match(await list(world), { status: 502, body: { code: /^FTP_/ } }, game);
});

t.test('a third party on the data port is turned away, logged once, and harms no transfer', async (t) => {
  const { world } = await badCard(t, {
    answers: {
      async LIST(session) {
        for (let i = 0; i < 30; i += 1) {
          const stranger = await session.data('127.0.0.9');
          stranger.write(listed('from-a-stranger', 1));
          await new Promise((resolve) => stranger.once('close', resolve));
        }
        await session.send(listed('good.rnd', 1));
      },
    },
  });
  const { status, body } = await list(world);
  t.equal(status, 200);
  t.same(
    body.files.map((file: { name: string }) => file.name),
    ['good.rnd'],
  );
  t.equal(world.log.filter((line) => line.includes('from another address')).length, 1, 'a flood of them is one line');
});

t.test('a card that says nothing at each of its steps costs its time and no more', async (t) => {
  const answers: Record<string, () => void> = {};
  const { world, double } = await badCard(t, { answers });
  for (const verb of ['USER', 'PASS', 'TYPE', 'CWD', 'PORT', 'LIST']) {
    answers[verb] = () => {};
    const answer = await list(world);
    t.match(answer, { status: /50[24]/, body: { code: /DEVICE_TIMEOUT|FTP_DATA_CONNECTION/ } }, verb);
    await done(double);
    delete answers[verb];
  }
});
