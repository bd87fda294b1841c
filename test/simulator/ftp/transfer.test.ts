import { createHash } from 'node:crypto';
import t from 'tap';
import { addSampleStores, generate } from '../../../simulator/card/index.ts';
import { DataPort } from '../../support/ftp-client.ts';
import { eventually } from '../bare.ts';
import { block, storeLabel } from '../card/label.ts';
import { AT, loggedIn, meterFtp } from './rig.ts';

const MB = 1_048_576;

t.test('50 MB arrive bit for bit', async (t) => {
  const { card, login } = await meterFtp(t);
  card.addFile('/NL-43/Sound/long.wav', { bytes: 50 * MB + 1, seed: 7 }, AT);
  const client = await login();
  await client.say('TYPE I');
  const data = await client.open('RETR /NL-43/Sound/long.wav');
  const [came, made] = [createHash('sha256'), createHash('sha256')];
  let bytes = 0;
  const ending = await data.drain((piece) => {
    bytes += piece.length;
    came.update(piece);
  });
  t.match(await client.finalReply(), [/^150 /, /^226 /]);
  t.equal(ending, 'end');
  t.equal(bytes, 50 * MB + 1);
  for (const piece of generate(50 * MB + 1, 7)) made.update(piece);
  t.equal(came.digest('hex'), made.digest('hex'));
});

t.test('a file of 2 GB is made no faster than it is read', async (t) => {
  const { card, ftp, login } = await meterFtp(t);
  card.addFile('/long.wav', { bytes: 2 ** 31 - 1, seed: 7 }, AT);
  const client = await login();
  const data = await client.open('RETR /long.wav');
  await client.read();
  const socket = await data.arrival;
  const before = process.memoryUsage().arrayBuffers;
  for (let turn = 0; turn < 2_000; turn++) await new Promise((resolve) => setImmediate(resolve));
  t.ok(process.memoryUsage().arrayBuffers - before < 32 * MB);
  socket?.destroy();
  t.match(await client.read(), /^426 /);
  t.equal(ftp.sessions, 1, 'the session goes on');
});

t.test('rows arrive as the card has them, whatever the type', async (t) => {
  const { card, login } = await meterFtp(t);
  addSampleStores(card, { hours: 1 });
  const path = '/NL-43/Auto_0019/Auto_Lp_01/NL_0001_SLM_Lp _0019_0001.rnd';
  const expected = Buffer.concat([...(card.read(path) ?? [])]);
  const client = await login();
  for (const type of ['TYPE I', 'TYPE A']) {
    await client.say(type);
    const { data, replies } = await client.fetch(`RETR ${path}`);
    t.ok(data.equals(expected), type);
    t.match(replies, [/^150 /, /^226 /]);
  }
});

t.test('a path is relative to the working folder', async (t) => {
  const { card, login } = await meterFtp(t);
  card.addFile('/a b/c  d', Buffer.from('here'), AT);
  const client = await login();
  await client.say('CWD /a b');
  t.equal((await client.fetch('RETR c  d')).data.toString(), 'here');
  t.equal((await client.fetch('RETR ../a b/c  d')).data.toString(), 'here');
});

t.test('an empty file is an empty transfer', async (t) => {
  const { card, login } = await meterFtp(t);
  card.addFile('/empty', new Uint8Array(), AT);
  const { data, replies, ending } = await (await login()).fetch('RETR /empty');
  t.equal(data.length, 0);
  t.equal(ending, 'end');
  t.match(replies, [/^150 /, /^226 /]);
});

t.test('a missing file or a folder is 550, and the session goes on', async (t) => {
  const { client } = await loggedIn(t);
  for (const path of ['/nothing', '/NL-43', '/NL-43/Screenshot/x.bmp', '']) {
    t.match((await client.fetch(`RETR ${path}`)).replies, [/^550 /], path);
  }
  t.equal((await client.fetch('RETR /NIKON001.DSC')).data.length, 512);
});

t.test('EPRT does what PORT does', async (t) => {
  const { client } = await loggedIn(t);
  const data = await DataPort.listen();
  t.match(await client.say(`EPRT |1|127.0.0.1|${data.port}|`), /^200 /);
  client.send('RETR /NIKON001.DSC\r\n');
  t.equal((await data.collect()).data.length, 512);
  t.match(await client.finalReply(), [/^150 /, /^226 /]);
});

t.test('an address that makes no sense is refused', async (t) => {
  const { client } = await loggedIn(t);
  for (const line of ['PORT', 'PORT 127,0,0,1,4', 'PORT 127,0,0,256,4,1', 'PORT a,b,c,d,e,f', 'PORT 127,0,0,1,0,0']) {
    t.match(await client.say(line), /^501 /, line);
  }
  for (const line of [
    'EPRT |1|127.0.0.1|',
    'EPRT |3|127.0.0.1|1000|',
    'EPRT |2|127.0.0.1|1000|',
    'EPRT |1|127.0.0.1|70000|',
  ]) {
    t.match(await client.say(line), /^501 /, line);
  }
});

t.test('without a PORT of its own a transfer has no data connection', async (t) => {
  const { client } = await loggedIn(t);
  t.match(await client.say('LIST /'), /^425 /);
  await client.fetch('LIST /');
  t.match(await client.say('LIST /'), /^425 /, 'each PORT serves once');
});

t.test('a client that does not listen gets 425', async (t) => {
  const { client } = await loggedIn(t);
  const data = await DataPort.listen();
  const line = data.port4;
  data.close();
  await data.arrival;
  await client.say(line);
  client.send('LIST /\r\n');
  t.match(await client.finalReply(), [/^150 /, /^425 /]);
});

t.test('a client that leaves while the meter tries to connect is forgotten', async (t) => {
  const { client, clock, ftp } = await loggedIn(t, { dataConnectionNever: true });
  const data = await client.open('LIST /');
  await client.read();
  await client.close();
  data.close();
  await eventually(() => ftp.sessions === 0 && clock.pending === 0);
});

t.test('a listing can be cut as well', async (t) => {
  const { client } = await loggedIn(t, { cutAfterBytes: 70, cutEnding: 'claims-complete', breaks: 'listings' });
  t.equal((await client.fetch('LIST /')).data.length, 70, 'in the middle of a line');
  t.equal((await client.fetch('RETR /NIKON001.DSC')).data.length, 512);
});

t.test('ABOR ends a transfer', async (t) => {
  const { card, login } = await meterFtp(t, { stallAfterBytes: 10 });
  card.addFile('/a', { bytes: 300_000, seed: 1 }, AT);
  const client = await login();
  const data = await client.open('RETR /a');
  await client.read();
  let bytes = 0;
  const over = data.drain((piece) => {
    bytes += piece.length;
  });
  await eventually(() => bytes === 10);
  t.match(await client.say('ABOR'), /^426 /);
  t.match(await client.read(), /^226 /);
  await over;
  t.equal(bytes, 10);
});

t.test('commands that come during a transfer are answered after it, in order', async (t) => {
  const { client } = await loggedIn(t);
  const data = await client.open('RETR /NIKON001.DSC\r\nPWD\r\nPASV');
  t.equal((await data.collect()).data.length, 512);
  t.match(await client.finalReply(), [/^150 /, /^226 /]);
  t.match(await client.read(), /^257 /);
  t.match(await client.read(), /^502 /);
});

t.test('a store that is being written can be read, whole rows of it', async (t) => {
  const { card, login } = await meterFtp(t);
  const store = card.openAuto(storeLabel());
  const client = await login();
  const path = '/NL-43/Auto_0019/Auto_Lp_01/NL_0001_SLM_Lp _0019_0001.rnd';
  for (let second = 0; second < 3; second++) {
    store.lp(block(second * 1_000, 1_000), AT + second * 1_000);
    const { data } = await client.fetch(`RETR ${path}`);
    t.equal(data.toString().split('\r\n').length, 2 + second + 1 + 1);
  }
});

t.test('a card pulled out in the middle of a file breaks the transfer', async (t) => {
  const { card, login } = await meterFtp(t);
  card.addFile('/long.wav', { bytes: 200 * MB, seed: 7 }, AT);
  const client = await login();
  const data = await client.open('RETR /long.wav');
  let bytes = 0;
  await data.drain((piece) => {
    bytes += piece.length;
    card.eject();
  });
  t.ok(bytes < 200 * MB);
  t.match(await client.finalReply(), [/^150 /, /^426 /]);
});

t.test('REST lets a download go on where it broke off, where the meter knows it', async (t) => {
  const { card, behaviour, login } = await meterFtp(t);
  card.addFile('/long.bin', { bytes: 200_000, seed: 7 }, AT);
  const client = await login();
  t.equal(await client.say('REST 150000'), '502 Not Implemented', 'unknown by default');
  behaviour.restart = true;
  t.equal(await client.say('REST half'), '501 Syntax Error');
  t.match(await client.say('REST 150000'), /^350 /);
  const whole = Buffer.concat([...generate(200_000, 7)]);
  const second = await client.open('RETR /long.bin');
  t.same((await second.collect()).data, whole.subarray(150_000));
  t.match(await client.finalReply(), [/^150 /, /^226 /]);
  const again = await client.open('RETR /long.bin');
  t.equal((await again.collect()).data.length, 200_000, 'it holds for one file');
});

t.test('a slow card brings so many bytes a second', async (t) => {
  const { card, behaviour, clock, login } = await meterFtp(t);
  card.addFile('/long.bin', { bytes: 655_360, seed: 7 }, AT);
  behaviour.bytesPerSecond = 65_536;
  const client = await login();
  const began = clock.elapsed();
  const data = await client.open('RETR /long.bin');
  const { data: bytes } = await clock.until(data.collect());
  t.equal(bytes.length, 655_360);
  t.ok(clock.elapsed() - began >= 10_000, `${clock.elapsed() - began} ms`);
});
