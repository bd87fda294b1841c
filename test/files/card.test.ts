import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { Readable } from 'node:stream';
import t from 'tap';
import { listed, startFtpDouble } from '../support/ftp-double.ts';
import { bytesOf, cardOf, cards, config, forever, TIMEOUT_MS, until } from './setup.ts';

t.test('a folder is listed in the order of the meter, with full paths', async (t) => {
  const double = await startFtpDouble(t, {
    folders: {
      '/NL-43': `${listed('.', 0, { folder: true })}${listed('..', 0, { folder: true })}${listed('Screenshot', 0, { folder: true, date: 'Dec 23 19:39' })}${listed('NL_0001_SLM_Lp _0019_0001.rnd', 1482)}`,
    },
  });
  const entries = await cardOf(double).list('/NL-43/', forever);
  t.same(entries, [
    {
      name: 'Screenshot',
      path: '/NL-43/Screenshot',
      size: 0,
      modified: 'Dec 23 2025',
      modifiedAt: '2025-12-23T19:39:00',
      isDir: true,
    },
    {
      name: 'NL_0001_SLM_Lp _0019_0001.rnd',
      path: '/NL-43/NL_0001_SLM_Lp _0019_0001.rnd',
      size: 1482,
      modified: 'Dec 24 2025',
      modifiedAt: '2025-12-24T02:13:00',
      isDir: false,
    },
  ]);
  t.same(
    double.commands.map((line) => line.replace(/^PORT 127,0,0,1,\d+,\d+$/, 'PORT of ours')),
    ['USER USER', 'PASS 0000', 'TYPE I', 'CWD /NL-43', 'PORT of ours', 'LIST', 'QUIT'],
    'no command that the meter was not seen to understand, and the factory login',
  );
});

t.test('the login of the config is used where there is one', async (t) => {
  const double = await startFtpDouble(t);
  await cardOf(double, { ftpUsername: 'anna', ftpPassword: 'se cret' }).list('/', forever);
  t.match(double.commands, ['USER anna', 'PASS se cret']);
});

t.test('an empty folder is an empty list, a missing one is FILE_NOT_FOUND', async (t) => {
  const double = await startFtpDouble(t, { folders: { '/DCIM': '' } });
  const card = cardOf(double);
  t.same(await card.list('/DCIM', forever), []);
  await t.rejects(card.list('/DCIX', forever), {
    code: 'FILE_NOT_FOUND',
    message: /^The path \/DCIX is not on the card/,
  });
});

t.test('a file comes bit for bit, with its size from the listing', async (t) => {
  const content = randomBytes(300_000);
  const name = 'NL_0001_SLM_Lp _0019_0001.rnd';
  const double = await startFtpDouble(t, {
    folders: { '/NL-43/Auto': listed(name, content.length) },
    files: { [`/NL-43/Auto/${name}`]: content },
  });
  const download = await cardOf(double).download(`/NL-43/Auto/${name}`, forever);
  t.match(download, { name, size: 300_000 });
  t.ok(content.equals(await bytesOf(download.stream)));
});

t.test('an empty file and one that the listing does not show are delivered, size unknown', async (t) => {
  const double = await startFtpDouble(t, {
    folders: { '/': listed('empty', 0) },
    files: { '/empty': '', '/hidden': 'here' },
  });
  const card = cardOf(double);
  const empty = await card.download('/empty', forever);
  t.equal(empty.size, undefined);
  t.equal((await bytesOf(empty.stream)).length, 0);
  const hidden = await card.download('/hidden', forever);
  t.equal(hidden.size, undefined);
  t.equal(String(await bytesOf(hidden.stream)), 'here');
});

t.test('a file that grew since is delivered as it was listed; listed with 0 bytes, whole', async (t) => {
  const double = await startFtpDouble(t, {
    folders: { '/': `${listed('growing', 6)}${listed('open', 0)}` },
    files: { '/growing': 'abcdefGHI', '/open': 'whole' },
  });
  const card = cardOf(double);
  const growing = await card.download('/growing', forever);
  t.equal(growing.size, 6);
  t.equal(String(await bytesOf(growing.stream)), 'abcdef');
  t.equal(String(await bytesOf((await card.download('/open', forever)).stream)), 'whole');
});

t.test('a missing file, a missing folder, a folder and the root are FILE_NOT_FOUND', async (t) => {
  const double = await startFtpDouble(t, { folders: { '/': listed('Auto', 0, { folder: true }) } });
  const card = cardOf(double);
  for (const path of ['/nothing', '/no/where', '/Auto', '/'])
    await t.rejects(card.download(path, forever), { code: 'FILE_NOT_FOUND' }, path);
});

t.test('with FTP off in the config nothing is sent, and the detail says how to switch it on', async (t) => {
  const double = await startFtpDouble(t);
  const card = cardOf(double, { ftpEnabled: false });
  await t.rejects(card.list('/', forever), { code: 'FTP_DISABLED', message: /ftp_enabled.*ftp\/enable/ });
  await t.rejects(card.download('/x', forever), { code: 'FTP_DISABLED' });
  t.equal(double.sessions.all, 0);
});

t.test('paths that are not absolute, climb or carry control characters are INVALID and reach no meter', async (t) => {
  const double = await startFtpDouble(t);
  const card = cardOf(double);
  const bad = [
    '',
    'NL-43',
    './x',
    '/../x',
    '/a/..',
    '/a\\..\\b',
    '/a\r\nDELE b',
    '/a\0',
    '/a\u0085',
    '/a\u2028b',
    `/${'x'.repeat(1024)}`,
    '/\ud800',
  ];
  for (const path of bad) {
    await t.rejects(
      card.list(path, forever),
      { code: 'INVALID', errors: [{ path: '/path' }] },
      encodeURI(path.toWellFormed()),
    );
    await t.rejects(card.download(path, forever), { code: 'INVALID', errors: [{ path: '/remote_path' }] });
  }
  t.equal(double.sessions.all, 0);
  t.same(await card.list('//./', forever), [], 'what only looks odd is taken');
});

t.test('over IPv6 the meter gets EPRT', async (t) => {
  const double = await startFtpDouble(t, { host: '::1', folders: { '/': listed('a', 1) } });
  t.equal((await cardOf(double).list('/', forever)).length, 1);
  t.match(double.commands.join('\n'), /^EPRT \|2\|::1\|\d+\|$/m);
});

t.test('the announced address and the range of ports are the ones in the settings', async (t) => {
  const double = await startFtpDouble(t, { folders: { '/': listed('a', 1) } });
  const free = await freePort();
  const portRange = { first: free, last: free };
  const { of } = cards({ announcedAddress: '127.0.0.2', portRange });
  for (let i = 0; i < 3; i += 1) t.equal((await of(config(double)).list('/', forever)).length, 1);
  const ports = double.commands.flatMap((line) => {
    const [, high, low] = /^PORT 127,0,0,2,(\d+),(\d+)$/.exec(line) ?? [];
    return high === undefined ? [] : [Number(high) * 256 + Number(low)];
  });
  t.equal(ports.length, 3);
  t.ok(ports.every((port) => port === free));

  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(free, () => resolve()));
  t.teardown(() => taken.close());
  await t.rejects(of(config(double)).list('/', forever), {
    code: 'FTP_DATA_CONNECTION',
    message: /All ports of the range/,
  });
});

t.test('passive mode is there for other networks', async (t) => {
  const server = createServer((socket) => socket.end(listed('a', 1)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const double = await startFtpDouble(t, {
    answers: {
      PASV: (session) => session.reply(`227 Entering Passive Mode (127,0,0,1,${port >> 8},${port & 255})`),
      LIST(session) {
        session.reply('150 Here it comes');
        session.reply('226 Done');
      },
    },
  });
  t.equal((await cardOf(double, { ftpMode: 'passive' }).list('/', forever)).length, 1);
  const strict = await startFtpDouble(t);
  await t.rejects(cardOf(strict, { ftpMode: 'passive' }).list('/', forever), {
    code: 'FTP_DATA_CONNECTION',
    message: /needs ftp_mode active/,
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, () => resolve()));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

t.test('a file that grows faster than it is read is delivered as it was listed, and the session ends', async (t) => {
  const endless = () => Readable.from(chunks());
  function* chunks() {
    for (let part = 0; part < 300; part += 1) yield Buffer.alloc(65_536, 'x');
  }
  const folders = { '/': `${listed('short', 5)}${listed('long', 100_000)}` };
  const double = await startFtpDouble(t, { folders, files: { '/short': endless, '/long': endless } });
  const { of } = cards();
  const card = of(config(double));
  for (const [path, size] of [
    ['/short', 5],
    ['/long', 100_000],
  ] as const) {
    const download = await card.download(path, forever);
    t.equal(download.size, size);
    t.equal((await bytesOf(download.stream)).length, size, path);
    await until(() => double.sessions.now === 0);
  }
});

t.test('each address of a name is tried, in its share of the time', async (t) => {
  const double = await startFtpDouble(t, { folders: { '/': listed('a', 1) } });
  const asked: string[] = [];
  const addresses = async (host: string) => {
    asked.push(host);
    return ['127.0.0.9', '127.0.0.8', '127.0.0.1'];
  };
  const { of } = cards({ addresses });
  const card = of(config({ host: 'meter.example', port: double.port }));
  t.match(await card.list('/', forever), [{ name: 'a' }]);
  t.same(asked, ['meter.example']);
  const none = of(config({ host: 'meter.example', port: 1 }));
  await t.rejects(none.list('/', forever), { code: 'DEVICE_UNREACHABLE', message: /ECONNREFUSED/ });
});

t.test('an address that says nothing costs its share of the time, and the next one serves', async (t) => {
  const silent = await startFtpDouble(t, { host: '127.0.0.3', banner: null });
  const good = await startFtpDouble(t, { port: silent.port, folders: { '/': listed('a', 1) } });
  const { of, clock } = cards({ addresses: async () => ['127.0.0.3', '127.0.0.1'] });
  const listing = of(config({ host: 'meter.example', port: good.port })).list('/', forever);
  await until(() => silent.sessions.all === 1);
  await clock.advance(TIMEOUT_MS / 2);
  t.match(await listing, [{ name: 'a' }]);
  t.equal(silent.sessions.now, 0, 'and the silent one is left alone');
});
