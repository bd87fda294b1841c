import t from 'tap';
import { happened, rig, typing } from './rig.ts';

const data = (reply: string) => reply.split('\r\n')[1] ?? '';

t.test('a power cycle keeps settings and loses what was measured', async (t) => {
  const { client, clock, meter } = await rig(t);
  const before = await client();
  for (const line of [
    'Store Name,0042',
    'Sleep Mode,On',
    'Time Weighting (Main),S',
    'Percentile 1,1',
    'Measure,Start',
  ]) {
    await before.ask(line);
  }
  await clock.advance(5_000);
  await before.ask('Measure,Stop');
  t.match(data(await before.ask('DLC?')), /^ {2}-\.-, \d\d\.\d/);
  await meter.powerCycle();
  t.equal(await before.ended, 'reset');

  const after = await client();
  t.equal(data(await after.ask('Store Name?')), '0042');
  t.equal(data(await after.ask('Sleep Mode?')), 'On');
  t.equal(data(await after.ask('Time Weighting (Main)?')), 'S');
  t.equal(data(await after.ask('Percentile 1?')), '1');
  t.match(data(await after.ask('DLC?')), /^( {2}-\.-,){14}0,0,/);
  t.match(data(await after.ask('DOD?')), /^ \d\d\.\d,( {2}-\.-,){13}0,0,/, 'only Lp has a number');
  t.equal(await after.ask('Manual Store,Start'), 'R+0004\r\n$');
});

t.test('a measurement ends with the power', async (t) => {
  const { client, clock, meter } = await rig(t);
  meter.set('Store Mode', 'Auto');
  await (await client()).ask('Measure,Start');
  await clock.advance(2_000);
  await meter.powerCycle();
  const typist = await client();
  t.equal(data(await typist.ask('Measure?')), 'Stop');
  t.equal(data(await typist.ask('Overwrite?')), 'Exist', 'what was on the card stays there');
});

t.test('for a while nobody is there; the clock of the meter runs on', async (t) => {
  const { clock, meter, client } = await rig(t);
  meter.set('Clock', '2025/12/24 02:00:00');
  const back = meter.powerCycle(20_000);
  await clock.advance(10_000);
  await t.rejects(client(), { code: 'ECONNREFUSED' });
  await clock.until(back);
  t.equal(data(await (await client()).ask('Clock?')), '2025/12/24 02:00:20');
});

t.test('a cut during a cut starts the wait again', async (t) => {
  const { clock, meter, client } = await rig(t);
  const first = meter.powerCycle(10_000);
  await clock.advance(8_000);
  const second = meter.powerCycle(10_000);
  await clock.advance(8_000);
  await t.rejects(client(), { code: 'ECONNREFUSED' });
  await clock.advance(2_000);
  await Promise.all([first, second]);
  t.equal(data(await (await client()).ask('Pause?')), 'Off');
});

t.test('a meter with Sleep Mode on falls asleep when it is left alone: silent, not refusing', async (t) => {
  const { client, clock, meter, typist } = await typing(t, { sleep_after_ms: 60_000 });
  await typist.ask('Sleep Mode,On');
  await clock.advance(59_000);
  t.equal(data(await typist.ask('Sleep Mode?')), 'On', 'a command keeps it awake');
  await clock.advance(60_000);
  typist.type('Clock?\r\n');
  await client();
  await happened(meter, 'held');
  await clock.advance(60_000);
  t.equal(typist.heard, '');
  meter.set('Sleep Mode', 'Off');
  typist.type('Pause?\r\n');
  t.equal(await typist.take('$'), 'R+0000\r\nOff\r\n$', 'a key wakes it');
});

t.test('a measuring meter stays awake, and dozes off after the end', async (t) => {
  const { clock, meter, typist } = await typing(t, { sleep_after_ms: 60_000 });
  await typist.ask('Sleep Mode,On');
  await typist.ask('Measurement Time Preset Manual,5m');
  await typist.ask('Measure,Start');
  await clock.advance(5 * 60_000 + 59_000);
  const states = () => meter.log.events.flatMap((event) => (event.kind === 'power' ? [event.text] : []));
  t.same(states(), []);
  await clock.advance(1_000);
  t.same(states(), ['asleep']);
});

t.test('FTP follows its flag, sleep and power', async (t) => {
  const { client, clock, meter } = await rig(t, { ftp_start_delay_ms: 1_500, sleep_after_ms: 60_000 });
  const events = () => meter.log.events.flatMap((event) => (event.kind === 'ftp' ? [event.text] : []));
  const typist = await client();
  t.equal(await typist.ask('FTP,On'), 'R+0000\r\n$');
  t.equal(data(await typist.ask('FTP?')), 'On', 'the flag at once');
  await clock.advance(1_499);
  t.same(events(), []);
  await clock.advance(1);
  await happened(meter, 'ftp');
  t.same(events(), ['listening']);
  await typist.ask('FTP,On');
  await typist.ask('FTP,Off');
  await happened(meter, 'ftp', 2);
  t.same(events(), ['listening', 'off']);
});
