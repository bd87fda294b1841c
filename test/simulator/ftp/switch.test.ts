import t from 'tap';
import { createCard } from '../../../simulator/card/index.ts';
import { VirtualClock } from '../../../simulator/clock.ts';
import { ftpBehaviour, startFtp } from '../../../simulator/ftp/index.ts';
import { FtpClient } from '../../support/ftp-client.ts';
import { eventually } from '../bare.ts';
import { AT, meterFtp } from './rig.ts';

const refused = { code: 'ECONNREFUSED' };

t.test('off, the port refuses; on again, it is the same port', async (t) => {
  const { ftp, login } = await meterFtp(t);
  const { port } = ftp;
  for (let round = 0; round < 3; round++) {
    await ftp.off();
    t.equal(ftp.listening, false);
    await t.rejects(FtpClient.connect(port), refused);
    await ftp.on();
    t.equal(ftp.port, port);
    const client = await login();
    t.match(await client.say('NOOP'), /^200 /);
  }
});

t.test('a new server is off', async (t) => {
  const card = createCard({ model: 'NL-43', totalMb: 10, seed: 1, startedAt: AT });
  const ftp = await startFtp({
    host: '127.0.0.1',
    port: 0,
    card,
    clock: new VirtualClock(),
    behaviour: ftpBehaviour(),
  });
  t.teardown(() => ftp.stop());
  t.equal(ftp.listening, false);
  await t.rejects(FtpClient.connect(ftp.port), refused);
});

t.test('switched off, it ends its sessions, also in the middle of a file', async (t) => {
  const { card, ftp, login } = await meterFtp(t);
  card.addFile('/big', { bytes: 2 ** 30, seed: 1 }, AT);
  const client = await login();
  const data = await client.open('RETR /big');
  t.match(await client.read(), /^150 /);
  const socket = await data.arrival;
  t.ok(socket);
  const gone = data.collect();
  await ftp.off();
  t.equal(await client.read(), '', 'over');
  t.equal(ftp.sessions, 0);
  t.ok((await gone).data.length < 2 ** 30);
  await t.rejects(FtpClient.connect(ftp.port), refused);
});

t.test('it accepts after the start delay and not before', async (t) => {
  const { clock, behaviour, ftp, connect } = await meterFtp(t);
  await ftp.off();
  behaviour.startDelayMs = 1_500;
  const on = ftp.on();
  await clock.advance(1_499);
  t.equal(ftp.listening, false);
  await t.rejects(FtpClient.connect(ftp.port), refused);
  await clock.advance(1);
  await on;
  t.equal(await (await connect()).read(), '220 Connection Ready');
});

t.test('off in the start delay means off', async (t) => {
  const { clock, behaviour, ftp } = await meterFtp(t);
  await ftp.off();
  behaviour.startDelayMs = 1_500;
  const on = ftp.on();
  await clock.advance(1_000);
  await ftp.off();
  await on;
  t.equal(clock.pending, 0);
  await clock.advance(10_000);
  t.equal(ftp.listening, false);
  await t.rejects(FtpClient.connect(ftp.port), refused);
});

t.test('on twice is on, off twice is off, and the last word holds', async (t) => {
  const { ftp, login } = await meterFtp(t);
  await Promise.all([ftp.on(), ftp.on()]);
  await Promise.all([ftp.off(), ftp.on(), ftp.off(), ftp.on()]);
  t.equal(ftp.listening, true);
  await login();
  await Promise.all([ftp.on(), ftp.off(), ftp.on(), ftp.off()]);
  t.equal(ftp.listening, false);
  await ftp.off();
});

t.test('a taken port is an error for the person who switches on, and may be free the next time', async (t) => {
  const { ftp, card, clock } = await meterFtp(t);
  const behaviour = ftpBehaviour({ startDelayMs: 0 });
  const other = await startFtp({ host: '127.0.0.1', port: ftp.port, card, clock, behaviour });
  t.teardown(() => other.stop());
  await t.rejects(other.on(), { code: 'EADDRINUSE' });
  t.equal(other.listening, false);
  await ftp.off();
  await other.on();
  t.equal(other.listening, true);
});

t.test('stopped, it stays off', async (t) => {
  const { ftp } = await meterFtp(t);
  await ftp.stop();
  await ftp.stop();
  await t.rejects(ftp.on(), { message: 'the FTP server was stopped' });
});

t.test('a client that waits for a place is let go with the rest', async (t) => {
  const { ftp, log, connect, login } = await meterFtp(t, { surplus: 'held' });
  await login();
  const held = await connect();
  await eventually(() => log.includes('connection held'));
  await ftp.off();
  t.equal(await held.read(), '');
  await ftp.on();
  t.equal(ftp.sessions, 0);
  await login();
});
