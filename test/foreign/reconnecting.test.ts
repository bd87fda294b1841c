/**
 * A client that reconnects for every command. In the field log 41 connections that began 0.7 to 4.5 s after a close were
 * served; a public tool made 500 of them on a LAN without a pause.
 */
import t from 'tap';
import { Bytes } from './clients/bytes.ts';
import { askOnce } from './clients/reconnecting.ts';
import { count, openMeter, PROFILES, served } from './meters.ts';

for (const name of PROFILES) {
  t.test(`1,000 closes with a connect right after are all served: ${name}`, async (t) => {
    const { clock, meter } = await openMeter(t, name);
    let refused = 0;
    for (let time = 0; time < 1_000; time++) {
      const bytes = await Bytes.open(meter.tcpPort);
      await clock.until(served(meter), { stepMs: 200 });
      refused += count(meter, 'refused');
      meter.log.clear();
      if (time % 2 === 0) bytes.close();
      else await bytes.end();
    }
    t.match(await clock.until(askOnce(meter.tcpPort, 'Type?')), ['R+0000', 'NL-43']);
    t.equal(refused + count(meter, 'refused'), 0);
  });

  t.test(`a command on a new connection, right after the reply on the last connection: ${name}`, async (t) => {
    const { clock, meter } = await openMeter(t, name);
    for (let time = 0; time < 100; time++) {
      const lines = await clock.until(askOnce(meter.tcpPort, 'Type?'), { stepMs: 50, limitMs: 5_000 });
      if (lines.join() !== 'R+0000,NL-43') return t.fail(`connection ${time + 1}: ${lines}`);
    }
    t.equal(count(meter, 'connect'), 100);
  });

  t.test(`a connection for each command works with a second between commands: ${name}`, async (t) => {
    const { clock, meter } = await openMeter(t, name);
    for (let time = 0; time < 20; time++) {
      const [result, data] = await clock.until(askOnce(meter.tcpPort, 'DOD?'));
      t.equal(result, 'R+0000');
      t.equal(data?.split(',').length, 64);
      await clock.advance(1_000);
    }
  });
}

t.test('a connect without any pause, time after time, works on a LAN', async (t) => {
  const { clock, meter } = await openMeter(t, 'lan');
  for (let time = 0; time < 200; time++) {
    t.equal((await clock.until(askOnce(meter.tcpPort, 'Clock?'), { stepMs: 5 }))[0], 'R+0000');
  }
});

t.test('clients that connect and leave at once, one upon the other, do not take the place of the last', async (t) => {
  const { clock, meter } = await openMeter(t, 'default');
  for (let time = 0; time < 50; time++) (await Bytes.open(meter.tcpPort)).close();
  t.match(await clock.until(askOnce(meter.tcpPort, 'Type?')), ['R+0000', 'NL-43']);
});

t.test('the long hold after a close is there for who wants it', async (t) => {
  const { clock, meter } = await openMeter(t, 'lan');
  meter.faults.on('late-slot', { ms: 4_500 });
  await clock.until(askOnce(meter.tcpPort, 'Type?'));
  await clock.advance(4_000);
  const early = await Bytes.open(meter.tcpPort);
  early.write('Type?\r\n');
  await clock.advance(400);
  t.equal(early.text, '');
  await clock.advance(200);
  t.match(await clock.until(askOnce(meter.tcpPort, 'Type?')), ['R+0000', 'NL-43']);
  t.equal(early.text, '', 'what hung hangs on');
  early.close();
});
