import t from 'tap';
import { FtpClient } from '../../support/ftp-client.ts';
import { eventually } from '../bare.ts';
import { faultRig, ftpOn } from './rig.ts';

const refused = { code: 'ECONNREFUSED' };
const AT = Date.UTC(2025, 11, 24, 2);
const FILE = '/big.bin';
const SIZE = 100_000;

async function ftpRig(t: Tap) {
  const { clock, meter } = await faultRig(t);
  await ftpOn(meter);
  meter.card.addFile(FILE, { bytes: SIZE, seed: 3 }, AT);
  /** The place of a client that has just left comes free a moment later; until then it is 421. */
  const login = async (): Promise<FtpClient> => {
    for (;;) {
      const client = await FtpClient.login(meter.ftpPort).catch((error: Error) => {
        if (!error.message.startsWith('421 ')) throw error;
      });
      if (client) {
        t.teardown(() => client.close());
        return client;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { clock, meter, login };
}

type Tap = Parameters<typeof faultRig>[0];

/** Replies to an undisturbed client. */
async function healthy(t: Tap, login: () => Promise<FtpClient>): Promise<void> {
  const client = await login();
  const { data, replies } = await client.fetch(`RETR ${FILE}`);
  t.equal(data.length, SIZE);
  t.match(replies, [/^150 /, /^226 /]);
  t.match((await client.fetch('LIST /')).data.toString(), / 100000 .*big\.bin\r\n$/);
  await client.close();
}

t.test('a login is refused', async (t) => {
  const { login, meter } = await ftpRig(t);
  const id = meter.faults.on('ftp-login-refused');
  await t.rejects(login(), { message: '530 Login Fail' });
  meter.faults.off(id);
  await healthy(t, login);
});

t.test('the FTP server starts late after FTP,On', async (t) => {
  const { clock, login, meter } = await ftpRig(t);
  const id = meter.faults.on('ftp-delayed-start', { ms: 8_000 });
  meter.set('FTP', 'Off');
  await clock.advance(0);
  meter.set('FTP', 'On');
  await clock.advance(7_999);
  await t.rejects(FtpClient.connect(meter.ftpPort), refused);
  await clock.advance(1);
  await eventually(() =>
    meter.log.events.some((event) => event.kind === 'ftp' && event.text === 'listening' && event.at >= 8_000),
  );
  await healthy(t, login);
  meter.faults.off(id);
});

t.test('the data connection never comes', async (t) => {
  const { clock, login, meter } = await ftpRig(t);
  const id = meter.faults.on('ftp-no-data-connection');
  const client = await login();
  const data = await client.open('LIST /');
  t.match(await client.read(), /^150 /);
  await clock.advance(129_999);
  t.equal(client.unread, '');
  await clock.advance(1);
  t.match(await client.read(), /^425 /);
  t.equal(data.socket, null);
  data.close();
  meter.faults.off(id);
  await client.close();
  await healthy(t, login);
});

t.test('a file is cut in the middle, in each of three ways', async (t) => {
  for (const [ending, reply, close] of [
    ['aborted', /^426 /, 'reset'],
    ['claims-complete', /^226 /, 'end'],
    ['vanishes', /^$/, 'reset'],
  ] as const) {
    const { login, meter } = await ftpRig(t);
    const id = meter.faults.on('ftp-cut', { after_bytes: 5_000, ending });
    const client = await login();
    const got = await client.fetch(`RETR ${FILE}`);
    t.equal(got.data.length, 5_000, ending);
    t.match(got.replies.at(-1), reply);
    t.equal(got.ending, close);
    await client.close();
    meter.faults.off(id);
    await healthy(t, login);
  }
});

t.test('a file stalls', async (t) => {
  const { clock, login, meter } = await ftpRig(t);
  const id = meter.faults.on('ftp-stall', { after_bytes: 5_000 });
  const client = await login();
  const data = await client.open(`RETR ${FILE}`);
  t.match(await client.read(), /^150 /);
  let bytes = 0;
  const drained = data.drain((piece) => {
    bytes += piece.length;
  });
  await eventually(() => bytes === 5_000);
  await clock.advance(600_000);
  t.equal(bytes, 5_000);
  t.equal(client.unread, '');
  data.close();
  await drained;
  await client.close();
  meter.faults.off(id);
  await healthy(t, login);
});

t.test('listings tell a wrong size', async (t) => {
  const { login, meter } = await ftpRig(t);
  const id = meter.faults.on('ftp-wrong-size', { off_by: -1_000 });
  const client = await login();
  const listing = (await client.fetch('LIST /')).data.toString();
  t.match(listing, / 99000 .*big\.bin\r\n/);
  t.match(listing, / 0 Dec 24 02:00 DCIM/, 'those of folders are right');
  t.equal((await client.fetch(`RETR ${FILE}`)).data.length, SIZE);
  await client.close();
  meter.faults.off(id);
  await healthy(t, login);
});

t.test('a file grows between listing and reading, and from reading to reading', async (t) => {
  const { login, meter } = await ftpRig(t);
  meter.faults.on('ftp-growing', { bytes: 10 });
  const client = await login();
  t.match((await client.fetch('LIST /')).data.toString(), / 100000 /);
  t.equal((await client.fetch(`RETR ${FILE}`)).data.length, SIZE + 10);
  t.equal((await client.fetch(`RETR ${FILE}`)).data.length, SIZE + 20);
  t.match((await client.fetch('LIST /')).data.toString(), / 100020 /);
});

t.test('hostile names, byte for byte', async (t) => {
  const { login, meter } = await ftpRig(t);
  const id = meter.faults.on('ftp-hostile-names');
  const client = await login();
  const listing = (await client.fetch('LIST /')).data.toString('latin1');
  for (const name of [
    ' ../../etc/passwd\r\n',
    ' two\r\n-rw-',
    ' null\0byte\r\n',
    ' caf\xe9\r\n',
    ` ${'x'.repeat(300)}\r\n`,
  ]) {
    t.ok(listing.includes(name), JSON.stringify(name));
  }
  meter.faults.off(id);
  meter.faults.on('ftp-hostile-names', { names: ['only this'] });
  t.match((await client.fetch('LIST /DCIM')).data.toString('latin1'), /^-rw.* only this\r\n$/);
  meter.faults.clear();
  await client.close();
  await healthy(t, login);
});

t.test('a listing without an end', async (t) => {
  const { login, meter } = await ftpRig(t);
  const id = meter.faults.on('ftp-endless-listing');
  const client = await login();
  const data = await client.open('LIST /');
  let bytes = 0;
  const drained = data.drain((piece) => {
    bytes += piece.length;
  });
  await eventually(() => bytes > 1_000_000);
  data.close();
  await drained;
  await client.close();
  meter.faults.off(id);
  await healthy(t, login);
});

t.test('two at a time: a wrong size and a cut; one switched off leaves the other', async (t) => {
  const { login, meter } = await ftpRig(t);
  const wrong = meter.faults.on('ftp-wrong-size', { off_by: 1 });
  meter.faults.on('ftp-cut', { after_bytes: 10 });
  const client = await login();
  t.match((await client.fetch('LIST /')).data.toString(), / 100001 /);
  t.equal((await client.fetch(`RETR ${FILE}`)).data.length, 10);
  meter.faults.off(wrong);
  t.match((await client.fetch('LIST /')).data.toString(), / 100000 /);
  t.equal((await client.fetch(`RETR ${FILE}`)).data.length, 10);
});

t.test('an FTP fault from one time to another', async (t) => {
  const { clock, login, meter } = await ftpRig(t);
  meter.faults.on('ftp-login-refused', {}, { fromMs: 1_000, untilMs: 2_000 });
  await (await login()).close();
  await clock.advance(1_000);
  await t.rejects(login(), { message: '530 Login Fail' });
  await clock.advance(1_000);
  await healthy(t, login);
});
