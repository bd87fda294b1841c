import t from 'tap';
import { eventually } from '../bare.ts';
import { loggedIn, meterFtp } from './rig.ts';

t.test('the user of the meter gets in, any other login fails, and may try again', async (t) => {
  const { connect } = await meterFtp(t);
  const client = await connect();
  t.equal(await client.read(), '220 Connection Ready');
  for (const [user, password] of [
    ['USER', '1234'],
    ['anonymous', 'me@here'],
    ['user', '0000'],
  ]) {
    t.match(await client.say(`USER ${user}`), /^331 /);
    t.equal(await client.say(`PASS ${password}`), '530 Login Fail');
  }
  t.match(await client.say('USER USER'), /^331 /);
  t.match(await client.say('PASS 0000'), /^230 /);
});

t.test('without a login nothing is shown', async (t) => {
  const { connect } = await meterFtp(t);
  const client = await connect();
  await client.read();
  for (const line of ['LIST', 'RETR NIKON001.DSC', 'CWD /', 'PWD', 'PORT 127,0,0,1,4,1', 'PASV']) {
    t.match(await client.say(line), /^530 /, line);
  }
});

t.test('passive mode, and what nobody was seen to use, is not implemented', async (t) => {
  const { client } = await loggedIn(t);
  for (const line of ['MLSD', 'MLST', 'NLST', 'SIZE /NIKON001.DSC', 'MDTM /NIKON001.DSC', 'FEAT', 'OPTS UTF8 ON']) {
    t.equal(await client.say(line), '502 Not Implemented', line);
  }
  for (const line of ['PASV', 'EPSV', 'EPSV ALL', 'AUTH TLS', 'STAT /', 'REST 10', 'HELP', 'ALLO 1', 'nonsense', '']) {
    t.equal(await client.say(line), '502 Not Implemented', line);
  }
});

t.test('a client cannot write', async (t) => {
  const { card, client } = await loggedIn(t);
  for (const line of [
    'DELE /NIKON001.DSC',
    'STOR /x',
    'APPE /x',
    'STOU',
    'MKD /x',
    'RMD /DCIM',
    'RNFR /DCIM',
    'RNTO /x',
  ]) {
    t.match(await client.say(line), /^550 /, line);
  }
  t.same(
    card.list('/')?.map((entry) => entry.name),
    ['NL-43', 'DCIM', 'NIKON001.DSC'],
  );
});

t.test('folders are walked like anywhere', async (t) => {
  const { client } = await loggedIn(t);
  t.match(await client.say('PWD'), /^257 "\/"/);
  t.match(await client.say('CWD NL-43'), /^250 /);
  t.match(await client.say('CWD Screenshot'), /^250 /);
  t.match(await client.say('PWD'), /^257 "\/NL-43\/Screenshot"/);
  t.match(await client.say('CDUP'), /^250 /);
  t.match(await client.say('CWD /NIKON001.DSC'), /^550 /);
  t.match(await client.say('CWD nowhere'), /^550 /);
  t.match(await client.say('CWD ../../..'), /^250 /);
  t.match(await client.say('PWD'), /^257 "\/"/);
});

t.test('binary and text are both taken', async (t) => {
  const { client } = await loggedIn(t);
  t.match(await client.say('TYPE I'), /^200 /);
  t.match(await client.say('TYPE A'), /^200 /);
  t.match(await client.say('TYPE X'), /^501 /);
});

t.test('QUIT is answered and ends the connection', async (t) => {
  const { client, ftp } = await loggedIn(t);
  t.match(await client.say('QUIT'), /^221 /);
  t.equal(await client.read(), '', 'over');
  await eventually(() => ftp.sessions === 0);
});

t.test('a command may come in pieces, and several in one', async (t) => {
  const { client } = await loggedIn(t);
  for (const piece of ['N', 'OO', 'P\r', '\nPWD\r\nPASV\r\n']) {
    client.send(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  t.match(await client.read(), /^200 /);
  t.match(await client.read(), /^257 /);
  t.match(await client.read(), /^502 /);
});

t.test('a line without an end is not held for ever', async (t) => {
  const { client } = await loggedIn(t);
  client.send('x'.repeat(10_000));
  t.equal(await client.read(), '', 'over');
});

t.test('a second session gets 421 while the first goes on', async (t) => {
  const { ftp, connect, login } = await meterFtp(t);
  const first = await login();
  const second = await connect();
  t.match(await second.read(), /^421 /);
  t.equal(await second.read(), '', 'over, and no banner');
  t.match(await first.say('NOOP'), /^200 /);
  await first.close();
  await eventually(() => ftp.sessions === 0);
  const third = await login();
  t.match(await third.say('NOOP'), /^200 /);
});

t.test('or it is held, without a word, until the first is over', async (t) => {
  const { log, connect, login } = await meterFtp(t, { surplus: 'held' });
  const first = await login();
  const [second, leaver, third] = [await connect(), await connect(), await connect()];
  await eventually(() => log.filter((text) => text === 'connection held').length === 3);
  second.send('NOOP\r\n');
  t.match(await first.say('NOOP'), /^200 /);
  t.equal(second.unread, '');
  await leaver.close();
  await first.close();
  t.equal(await second.read(), '220 Connection Ready');
  t.match(await second.read(), /^200 /);
  t.equal(third.unread, '');
  await second.close();
  t.equal(await third.read(), '220 Connection Ready');
});

t.test('as many sessions as the behaviour says', async (t) => {
  const { ftp, login, connect } = await meterFtp(t, { sessions: 2 });
  await login();
  await login();
  t.equal(ftp.sessions, 2);
  t.match(await (await connect()).read(), /^421 /);
});

t.test('the log tells what went on and keeps the password', async (t) => {
  const { client, log } = await loggedIn(t);
  await client.say('PASV');
  t.ok(log.includes('> PASV'));
  t.ok(log.includes('< 502 Not Implemented'));
  t.notOk(log.some((text) => text.includes('0000')));
});

t.test('it leaves no handler of signals behind', async (t) => {
  const count = () => ['SIGTERM', 'SIGINT', 'SIGQUIT'].map((signal) => process.listenerCount(signal));
  const before = count();
  await meterFtp(t);
  t.same(count(), before);
});
