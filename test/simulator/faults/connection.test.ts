import t from 'tap';
import { FtpClient } from '../../support/ftp-client.ts';
import { eventually } from '../bare.ts';
import { counters, faultRig, ftpOn, HEALTHY, Line, lineRig, texts } from './rig.ts';

const refused = { code: 'ECONNREFUSED' };

t.test('a reset in the middle of a reply', async (t) => {
  const { client, line, meter } = await lineRig(t);
  meter.faults.on('reset-mid-reply', {}, { commands: [2] });
  t.equal(await client.ask('Type?'), HEALTHY);
  t.equal(await client.ask('Type?', 100), HEALTHY.slice(0, HEALTHY.length / 2));
  await eventually(() => client.ended === 'reset');
  t.equal(await (await line()).ask('Type?'), HEALTHY);
});

t.test('a reset at byte n of a stream', async (t) => {
  const { client, meter } = await lineRig(t);
  meter.faults.on('reset-mid-reply', { at_byte: 1_000 });
  await client.ask('DRD?');
  await client.pass(2_000);
  await eventually(() => client.ended === 'reset');
  t.equal(client.segments.map(({ text }) => text).join('').length, 1_000);
});

t.test('half-close: the meter ends its side after the reply, and still takes commands', async (t) => {
  const { client, meter } = await lineRig(t);
  meter.faults.on('half-close', {}, { times: 1 });
  t.equal(await client.ask('Type?'), HEALTHY);
  await eventually(() => client.ended === 'half');
  await client.type('Measure,Start\r\n');
  await eventually(() => meter.read('Measure') === 'Start');
  t.equal(client.ended, 'half', 'not a word, not a reset');
});

t.test('half-close: the meter ends its side in the middle of a reply', async (t) => {
  const { client, meter } = await lineRig(t);
  meter.faults.on('half-close', { at_byte: null });
  t.equal(await client.ask('Type?'), HEALTHY.slice(0, HEALTHY.length / 2));
  await eventually(() => client.ended === 'half');
});

t.test('NAT forgets an idle connection: writes vanish, no reset; a new connection works', async (t) => {
  const { client, clock, line, meter } = await lineRig(t);
  meter.faults.on('nat-forgets', { idle_ms: 45_000 });
  await clock.advance(45_000);
  t.equal(await client.ask('Type?'), HEALTHY, 'just in time');
  await clock.advance(45_001);
  t.equal(await client.ask('Measure,Start', 60_000), '');
  t.equal(await client.ask('Type?', 60_000), '', 'for good');
  t.equal(client.ended, 'open');
  t.equal(meter.read('Measure'), 'Stop', 'the meter never saw it');
  await client.leave();
  t.equal(await (await line()).ask('Type?'), HEALTHY);
});

t.test('a stream keeps its flow alive; forgotten at once, it dies in the middle', async (t) => {
  const { client, meter } = await lineRig(t, { soundStepMs: 100 });
  meter.faults.on('nat-forgets', { idle_ms: 30_000 });
  await client.ask('DRD?', 40_000);
  t.match(await client.pass(100), /^401,|^\d+,/);
  meter.faults.on('nat-forgets', { idle_ms: 0 });
  t.equal(await client.pass(5_000), '');
  t.equal(client.ended, 'open');
});

t.test('unserved: connections are accepted and never answered', async (t) => {
  const { line, meter } = await faultRig(t);
  meter.faults.on('unserved', {}, { times: 1 });
  const client = await line();
  client.send('Type?\r\n');
  t.equal(meter.log.events.at(-1)?.kind, 'held');
  t.equal(await client.pass(60_000), '');
  t.equal(client.ended, 'open');
  t.equal(await (await line()).ask('Type?'), HEALTHY, 'the next one is served');
});

t.test('reset: a connection is reset as soon as it is there', async (t) => {
  const { line, meter } = await faultRig(t);
  meter.faults.on('reset-on-connect', {}, { times: 1 });
  const client = await line();
  await eventually(() => client.ended === 'reset');
  t.equal(await (await line()).ask('Type?'), HEALTHY);
});

t.test('refused: a RST to every SYN while it is on, FTP goes on', async (t) => {
  const { clock, line, meter } = await faultRig(t);
  await ftpOn(meter);
  const client = await line();
  const id = meter.faults.on('refused', { connections: 'stay' });
  await clock.advance(0);
  await t.rejects(Line.open(meter, clock), refused);
  t.equal(await client.ask('Type?'), HEALTHY, 'an open connection may stay');
  const ftp = await FtpClient.login(meter.ftpPort);
  await ftp.close();
  meter.faults.off(id);
  await client.leave();
  await clock.advance(0);
  t.equal(await (await line()).ask('Type?'), HEALTHY);
});

t.test('refused: connections are refused for a while', async (t) => {
  const { clock, line, meter } = await faultRig(t);
  meter.faults.on('refused', {}, { fromMs: 1_000, untilMs: 5_000 });
  await clock.advance(999);
  const client = await line();
  await clock.advance(1);
  await eventually(() => client.ended === 'reset');
  await t.rejects(Line.open(meter, clock), refused);
  await clock.advance(3_999);
  await t.rejects(Line.open(meter, clock), refused);
  await clock.advance(1);
  t.equal(await (await line()).ask('Type?'), HEALTHY);
});

t.test('the wedge: refused while FTP answers and the measurement runs, until the power is cut', async (t) => {
  const { clock, line, meter } = await faultRig(t);
  await ftpOn(meter);
  meter.set('Measurement Time Preset Manual', '24h');
  meter.set('Measure', 'Start');
  const client = await line();
  meter.faults.on('wedge');
  await eventually(() => client.ended === 'reset');
  await clock.advance(86_400_000 / 24);
  await t.rejects(Line.open(meter, clock), refused);
  t.equal(meter.read('Measure'), 'Start');
  const ftp = await FtpClient.login(meter.ftpPort);
  await ftp.close();
  await meter.powerCycle();
  t.same(meter.faults.active, [], 'the power cycle cured it');
  t.equal(await (await line()).ask('Type?'), HEALTHY);
});

t.test('a wedge after n connections, and again after a power cycle', async (t) => {
  const { clock, line, meter } = await faultRig(t);
  meter.faults.on('wedge', { after_connects: 3 });
  for (let round = 0; round < 2; round++) {
    for (let connection = 1; connection <= 3; connection++) {
      const client = await line();
      t.equal(await client.ask('Type?'), HEALTHY, `connection ${connection}`);
      await client.leave();
    }
    await clock.advance(0);
    await t.rejects(Line.open(meter, clock), refused);
    await meter.powerCycle();
  }
});

t.test('a wedge with a command, for those that keep one connection', async (t) => {
  const { client, clock, meter } = await lineRig(t);
  meter.faults.on('wedge', { connections: 'silence' }, { matching: 'Measure,Stop' });
  t.equal(await client.ask('Measure,Start'), 'R+0000\r\n$');
  t.equal(await client.ask('Measure,Stop', 60_000), '');
  t.equal(client.ended, 'open');
  await t.rejects(Line.open(meter, clock), refused);
});

t.test('asleep: connections hang, open ones fall silent, FTP says no word, until it is woken', async (t) => {
  const { clock, line, meter } = await faultRig(t);
  await ftpOn(meter);
  const client = await line();
  const id = meter.faults.on('asleep');
  t.equal(await client.ask('Measure,Start', 600_000), '');
  const second = await line();
  t.equal(await second.pass(60_000), '');
  t.equal(second.ended, 'open');
  const ftp = await FtpClient.connect(meter.ftpPort);
  await clock.advance(60_000);
  t.equal(ftp.unread, '');
  await ftp.close();
  t.equal(meter.read('Measure'), 'Stop');
  meter.faults.off(id);
  await client.leave();
  t.equal(await (await line()).ask('Type?'), HEALTHY);
  const awake = await FtpClient.login(meter.ftpPort);
  await awake.close();
});

t.test('a sleeping meter wakes with the power', async (t) => {
  const { line, meter } = await faultRig(t);
  meter.faults.on('asleep');
  await meter.powerCycle();
  t.equal(await (await line()).ask('Type?'), HEALTHY);
});

t.test('a reboot with a command: reset in its middle, no service while it boots, values lost', async (t) => {
  const { client, clock, line, meter } = await lineRig(t);
  await client.ask('Measure,Start', 5_000);
  meter.faults.on('reboot', { boot_ms: 20_000 }, { matching: 'DOD?' });
  await client.type('DOD?\r\n');
  await eventually(() => client.ended === 'reset');
  await clock.advance(19_999);
  await t.rejects(Line.open(meter, clock), refused);
  await clock.advance(1);
  const next = await line();
  t.equal(await next.ask('Measure?'), 'R+0000\r\nStop\r\n$');
  t.match(await next.ask('DOD?'), /^R\+0000\r\n *[\d.]+, {2}-\.-,/, 'only Lp has a number');
  t.same(texts(meter, 'power').slice(-2), ['off', 'on']);
  t.same(meter.faults.active, [], 'once');
});

t.test('a stream ends with the reboot', async (t) => {
  const { client, clock, meter } = await lineRig(t);
  await client.ask('DRD?', 500);
  const pending = clock.pending;
  meter.faults.on('reboot', { boot_ms: 0 });
  await eventually(() => client.ended === 'reset');
  t.ok(counters(client.segments.map(({ text }) => text).join('')).length >= 5);
  t.ok(clock.pending < pending);
});
