import { createServer } from 'node:net';
import { Readable } from 'node:stream';
import t from 'tap';
import { type DoubleOptions, type DoubleSession, listed, startFtpDouble } from '../support/ftp-double.ts';
import { bytesOf, cardOf, cards, config, forever, TIMEOUT_MS, turns, until } from './setup.ts';

const silence = () => {};
const CHUNK = Buffer.alloc(64 * 1024, 'x');

t.test('every refusal has its own error, and the detail says what to check', async (t) => {
  const cases: [string, DoubleOptions, { code: string; message?: RegExp }][] = [
    [
      'wrong login',
      { answers: { PASS: (s) => s.reply('530 Login Fail') } },
      { code: 'FTP_LOGIN_FAILED', message: /check ftp_username and ftp_password/ },
    ],
    [
      'a login that wants an account',
      { answers: { PASS: (s) => s.reply('332 Need account') } },
      { code: 'FTP_LOGIN_FAILED' },
    ],
    [
      'another service, whose greeting is not for callers',
      { banner: '554 mail.example has no business with you' },
      { code: 'FTP_FAILED', message: /^The FTP server of the meter refused \(554\)\.$/ },
    ],
    ['one client only', { banner: '421 Too many users' }, { code: 'FTP_FAILED', message: /one client only/ }],
    ['LIST refused with 550', { answers: { LIST: (s) => s.reply('550 No such') } }, { code: 'FILE_NOT_FOUND' }],
    [
      'LIST refused otherwise',
      { answers: { LIST: (s) => s.reply('451 Card error') } },
      { code: 'FTP_FAILED', message: /451 Card error/ },
    ],
    [
      'PORT refused',
      { answers: { PORT: (s) => s.reply('501 Bad address') } },
      { code: 'FTP_DATA_CONNECTION', message: /announced FTP address/ },
    ],
    [
      'the meter cannot connect back',
      { answers: { LIST: (s) => s.reply('425 No route') } },
      { code: 'FTP_DATA_CONNECTION', message: /firewall/ },
    ],
    [
      'an answer that is no answer',
      { answers: { CWD: (s) => s.reply('550 \u001b[2J\u202e<b>x</b>') } },
      { code: 'FILE_NOT_FOUND', message: /\(550 \[2J <b>x<\/b>\)/ },
    ],
    ['closed in the middle', { answers: { CWD: (s) => void s.control.destroy() } }, { code: 'FTP_FAILED' }],
    [
      'reset in the middle',
      { answers: { CWD: (s) => void s.control.resetAndDestroy() } },
      { code: 'DEVICE_UNREACHABLE', message: /lost/ },
    ],
  ];
  for (const [name, options, expected] of cases) {
    const double = await startFtpDouble(t, options);
    await t.rejects(cardOf(double).list('/', forever), expected, name);
    await until(() => double.sessions.now === 0);
  }
});

t.test('no detail and no log line shows a login', async (t) => {
  const { of, lines } = cards();
  for (const answers of [
    { PASS: (s) => s.reply('530 not s3cret-word') },
    { CWD: (s) => s.reply('550 no') },
  ] as DoubleOptions['answers'][]) {
    const double = await startFtpDouble(t, answers ? { answers } : {});
    const error = await of(config(double, { ftpUsername: 'anna-b', ftpPassword: 's3cret-word' }))
      .list('/', forever)
      .catch((reason: Error) => reason);
    t.notMatch(String(error), /anna-b|s3cret-word/);
  }
  const double = await startFtpDouble(t);
  const broken = config(double, { ftpUsername: 'anna-b\r\nDELE x', ftpPassword: 's3cret-word' });
  const error = await of(broken)
    .list('/', forever)
    .catch((reason: Error) => reason);
  t.match(error, { code: 'FTP_LOGIN_FAILED' });
  t.notMatch(String(error) + lines.join(''), /anna-b|s3cret-word/);
});

t.test('a port that refuses asks whether FTP is switched on', async (t) => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  await new Promise((resolve) => server.close(resolve));
  await t.rejects(cardOf({ host: '127.0.0.1', port }).list('/', forever), {
    code: 'DEVICE_UNREACHABLE',
    message: /If FTP is off, switch it on: POST \/roof\/ftp\/enable\.$/,
  });
});

t.test('silence at any stage ends in DEVICE_TIMEOUT that names stage and time, and nothing stays open', async (t) => {
  const stages: [DoubleOptions, RegExp][] = [
    [{ banner: null }, /no connection/],
    [{ answers: { USER: silence } }, /answer to the login/],
    [{ answers: { PASS: silence } }, /answer to the login/],
    [{ answers: { TYPE: silence } }, /answer to TYPE/],
    [{ answers: { CWD: silence } }, /answer to CWD/],
    [{ answers: { PORT: silence } }, /answer to PORT/],
  ];
  for (const [options, said] of stages) {
    const double = await startFtpDouble(t, options);
    const { of, clock } = cards();
    const listing = of(config(double)).list('/', forever);
    const failed = t.rejects(listing, { code: 'DEVICE_TIMEOUT', message: said }, String(said));
    await until(() => double.sessions.all > 0);
    await clock.until(failed);
    t.ok(clock.elapsed() >= TIMEOUT_MS);
    await until(() => double.sessions.now === 0);
    t.equal(clock.pending, 0, 'no timer is left');
  }
});

t.test('a meter that never opens the data connection: FTP_DATA_CONNECTION, with what to check', async (t) => {
  for (const LIST of [silence, (s: { reply(text: string): void }) => s.reply('150 Opening')]) {
    const double = await startFtpDouble(t, { answers: { LIST } });
    const { of, clock } = cards();
    const failed = t.rejects(of(config(double)).list('/', forever), {
      code: 'FTP_DATA_CONNECTION',
      message: /within 5 s.*connect back to 127\.0\.0\.1:\d+.*firewall, NAT/,
    });
    await clock.until(failed);
    t.equal(clock.pending, 0);
  }
});

t.test('a data connection that is reset at once fails at once, and says so', async (t) => {
  for (const wait of [0, 5]) {
    const LIST = async (session: DoubleSession) => {
      session.reply('150 Opening');
      const data = await session.data();
      await turns(wait);
      data.resetAndDestroy();
    };
    const double = await startFtpDouble(t, { answers: { LIST } });
    const { of, clock } = cards();
    const failed = t.rejects(of(config(double)).list('/', forever), {
      code: 'FTP_DATA_CONNECTION',
      message: /(reset as soon as it was open|broke before its first byte \(read ECONNRESET\))/,
    });
    await failed;
    t.equal(clock.elapsed(), 0, 'without waiting');
  }
});

t.test('only the address of the control connection may open the data connection', async (t) => {
  let turnedAway = false;
  const double = await startFtpDouble(t, {
    answers: {
      async LIST(session) {
        session.reply('150 Opening');
        const stranger = await session.data('127.0.0.9');
        stranger.write(listed('from-a-stranger', 1));
        await new Promise((resolve) => stranger.once('close', resolve));
        turnedAway = true;
        const own = await session.data();
        own.end(listed('from-the-meter', 1));
        session.reply('226 Done');
      },
    },
  });
  const { of, lines } = cards({ announcedAddress: '127.0.0.1' });
  t.match(await of(config(double)).list('/', forever), [{ name: 'from-the-meter' }]);
  t.ok(turnedAway);
  t.match(lines.join(''), /"address":"127\.0\.0\.9"/);
});

t.test('a control reply that comes in two chunks, or byte by byte, is not lost', async (t) => {
  for (const parts of [
    ['22', '6 Transfer complete\r\n'],
    [...'226 Transfer complete\r\n'],
    ['226-wait\r\n226', '-more\r\n226 Done', '\r\n'],
  ]) {
    const double = await startFtpDouble(t, {
      answers: {
        async LIST(session) {
          session.control.setNoDelay(true);
          session.reply('150 Opening');
          const data = await session.data();
          data.end(listed('a', 1));
          for (const part of parts) {
            await session.raw(part);
            await turns(20);
          }
        },
      },
    });
    t.equal((await cardOf(double).list('/', forever)).length, 1, JSON.stringify(parts));
  }
});

t.test('a control reply without an end is given up', async (t) => {
  const double = await startFtpDouble(t, { banner: '2'.repeat(200_000) });
  await t.rejects(cardOf(double).list('/', forever), { code: 'FTP_FAILED' });
});

t.test('a transfer that breaks midway breaks the stream: never a short file with a proper end', async (t) => {
  const half = (
    verdict: string | null,
    end: 'fin' | 'reset',
    control: 'stays' | 'closes' = 'stays',
  ): DoubleOptions => ({
    folders: { '/': listed('file', 200_000) },
    answers: {
      async RETR(session) {
        session.reply('150 Opening');
        const data = await session.data();
        data.write(CHUNK);
        await turns(20);
        if (end === 'fin') data.end();
        else data.resetAndDestroy();
        if (verdict) session.reply(verdict);
        if (control === 'closes') session.control.end();
      },
    },
  });
  const cases: [string, DoubleOptions, RegExp][] = [
    ['reset, then 426', half('426 Aborted', 'reset'), /./],
    ['closed as if complete, but 426', half('426 Connection closed; transfer aborted', 'fin'), /426/],
    ['closed as if complete, but 451', half('451 Card error', 'fin'), /451/],
    ['called complete with bytes missing', half('226 Transfer complete', 'fin'), /65536 of 200000 bytes/],
    ['no verdict, control connection closed', half(null, 'fin', 'closes'), /broke off/],
  ];
  for (const [name, options, said] of cases) {
    const double = await startFtpDouble(t, options);
    const download = await cardOf(double).download('/file', forever);
    await t.rejects(bytesOf(download.stream), { name: 'GatewayError', code: 'FTP_FAILED', message: said }, name);
  }
});

t.test('size unknown: a broken transfer breaks the stream all the same', async (t) => {
  const double = await startFtpDouble(t, {
    answers: {
      async RETR(session) {
        session.reply('150 Opening');
        const data = await session.data();
        data.end(CHUNK);
        session.reply('426 Aborted');
      },
    },
  });
  const outcome = cardOf(double)
    .download('/file', forever)
    .then(({ stream }) => bytesOf(stream));
  await t.rejects(outcome, { code: 'FTP_FAILED', message: /426/ });
});

t.test('a meter that falls silent in mid-file, or never confirms, is a timeout', async (t) => {
  for (const [end, said] of [
    [false, /sent nothing for 5 s/],
    [true, /did not confirm the transfer within 5 s/],
  ] as const) {
    const double = await startFtpDouble(t, {
      answers: {
        async RETR(session) {
          session.reply('150 Opening');
          const data = await session.data();
          data.write(CHUNK);
          if (end) data.end();
        },
      },
    });
    const { of, clock } = cards();
    const download = await of(config(double)).download('/file', forever);
    const broken = t.rejects(bytesOf(download.stream), { code: 'DEVICE_TIMEOUT', message: said });
    await clock.until(broken);
    await until(() => double.sessions.now === 0);
    t.equal(clock.pending, 0);
  }
});

t.test('a reader that takes nothing gives the meter back in the end', async (t) => {
  const double = await startFtpDouble(t, { files: { '/file': () => Readable.from(endless()) } });
  const { of, clock } = cards({ readerMs: 60_000 });
  const card = of(config(double));
  const download = await card.download('/file', forever);
  await until(() => download.stream.readableLength >= download.stream.readableHighWaterMark);
  await clock.until(
    until(() => download.stream.destroyed),
    { stepMs: 1_000 },
  );
  t.match(download.stream.errored?.message, 'nobody took the data for 60 s');
  t.same(await card.list('/', forever), [], 'the next one gets its turn');
});

t.test('a client that hangs up ends the session at once, before and during the stream', async (t) => {
  const double = await startFtpDouble(t, {
    files: { '/file': () => Readable.from(endless()) },
    answers: { CWD: silence },
  });
  const early = new AbortController();
  const waiting = cardOf(double).download('/file', { signal: early.signal });
  await until(() => double.commands.includes('CWD /'));
  early.abort(new Error('the client left'));
  await t.rejects(waiting, { message: 'the client left' });
  await until(() => double.sessions.now === 0);

  for (const hangUp of ['signal', 'stream']) {
    const other = await startFtpDouble(t, { files: { '/file': () => Readable.from(endless()) } });
    const late = new AbortController();
    const { of, clock } = cards();
    const { stream } = await of(config(other)).download('/file', { signal: late.signal });
    if (hangUp === 'signal') late.abort(new Error('the client left'));
    else stream.destroy();
    await until(() => other.sessions.now === 0);
    await until(() => stream.destroyed && clock.pending === 0);
    t.strictSame([other.sessions.now, stream.destroyed, clock.pending], [0, true, 0], `by ${hangUp}`);
  }
});

t.test('a call that was aborted before it began opens nothing', async (t) => {
  const double = await startFtpDouble(t);
  const gone = AbortSignal.abort(new Error('too late'));
  await t.rejects(cardOf(double).list('/', { signal: gone }), { message: 'too late' });
  t.equal(double.sessions.all, 0);
});

t.test('a listing without an end is given up, and so is a listing that is too slow', async (t) => {
  const huge = await startFtpDouble(t, { answers: { LIST: (s) => s.send(Readable.from(endless())).catch(() => {}) } });
  await t.rejects(cardOf(huge).list('/', forever), {
    code: 'FTP_FAILED',
    message: /longer than 4194304 bytes/,
  });

  const { of, clock } = cards();
  const trickle = await startFtpDouble(t, {
    answers: {
      async LIST(session) {
        const data = await session.data();
        while (!data.destroyed) {
          data.write('-');
          await clock.advance(TIMEOUT_MS - 1);
          await turns(20);
        }
      },
    },
  });
  await t.rejects(of(config(trickle)).list('/', forever), { code: 'DEVICE_TIMEOUT', message: /longer than 30 s/ });
});

function* endless(): Generator<Buffer> {
  for (;;) yield CHUNK;
}

t.test('when the FTP server repeats the password, neither the error nor the trace has it', async (t) => {
  const said = `550 hunter2 and ${Buffer.from('USER:hunter2').toString('base64')} say no`;
  const double = await startFtpDouble(t, { answers: { CWD: (s) => s.reply(said) } });
  const traced: string[] = [];
  const taps = { of: () => (line: { readonly text: string }) => void traced.push(line.text) };
  const own = config(double, { ftpUsername: 'USER', ftpPassword: 'hunter2' });
  const error = await cards({ taps })
    .of(own)
    .list('/', forever)
    .catch((reason: unknown) => reason);
  t.match(error, { code: 'FILE_NOT_FOUND', message: /\(550 \*\*\* and \*\*\* say no\)/ });
  t.ok(
    traced.some((line) => line === '550 *** and *** say no'),
    traced.join(),
  );
  await until(() => double.sessions.now === 0);
});
