/** Measurements by the meter's own clock, a start that waits, a store that takes its time. */
import t, { type Test } from 'tap';
import type { MeterOptions, SimulatedMeter } from '../../simulator/index.ts';
import type { Profile } from '../../simulator/profile.ts';
import { type Client, happened, rig, typing } from './rig.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const data = (reply: string) => reply.split('\r\n')[1] ?? '';
const state = async (typist: Client) => data(await typist.ask('Measure?'));

const course = (meter: SimulatedMeter) =>
  meter.log.events.flatMap((event) =>
    event.kind === 'state' || event.kind === 'power' ? [`${event.at / MINUTE} ${event.text}`] : [],
  );

const cardOf = ({ card }: SimulatedMeter) => card;
const stores = (meter: SimulatedMeter) =>
  (cardOf(meter).list('/NL-43') ?? []).map(({ name }) => name).filter((name) => name.startsWith('Auto_'));

/** It is 02:00 on the meter; every half hour from 03:00 before 04:30 ten minutes are measured. */
const PLAN = [
  'Store Name,0100',
  'Lp Store Interval,1s',
  'Leq Calculation Interval Preset,5m',
  'Measurement Time Preset Auto,10m',
  'Timer Auto Start Time,2025/12/24 03:00:00',
  'Timer Auto Stop Time,2025/12/24 04:30:00',
  'Timer Auto Interval,30m',
  'Store Mode,Timer Auto',
];

async function planned(
  t: Test,
  switches: Partial<Profile> = {},
  changes: readonly string[] = [],
  more: MeterOptions = {},
) {
  const made = await rig(t, switches, { soundStepMs: 100, ...more });
  made.meter.set('Clock', '2025/12/24 02:00:00');
  const typist = await made.client();
  for (const line of [...PLAN, ...changes]) t.equal(await typist.ask(line), 'R+0000\r\n$', line);
  return { ...made, typist };
}

t.test('measurements begin and end by themselves, each interval, before the stop time', async (t) => {
  const { clock, meter, typist } = await planned(t);
  t.equal(await state(typist), 'Stop');
  await clock.advance(HOUR - 1);
  t.equal(await state(typist), 'Stop');
  await clock.advance(1);
  t.equal(await state(typist), 'Start', 'at the start time, to the millisecond');
  await clock.advance(24 * HOUR);
  t.same(course(meter), ['60 measuring', '70 stopped', '90 measuring', '100 stopped', '120 measuring', '130 stopped']);
  t.equal(await state(typist), 'Stop');
});

t.test('each has a store of its own, named by the start of it', async (t) => {
  const { clock, meter, typist } = await planned(t);
  await clock.advance(3 * HOUR);
  t.same(stores(meter), ['Auto_0100', 'Auto_0101', 'Auto_0102']);
  t.equal(data(await typist.ask('Store Name?')), '0103');
  const rows = (path: string) =>
    Buffer.concat([...(cardOf(meter).read(`/NL-43/${path}`) ?? [])])
      .toString()
      .trim()
      .split('\r\n')
      .slice(2);
  const lp = rows('Auto_0101/Auto_Lp_01/NL_0001_SLM_Lp _0101_0001.rnd');
  t.equal(lp.length, 600);
  t.match(lp[0], /^ {5}1,2025\/12\/24 03:30:00\.000,/);
  const leq = rows('Auto_0102/Auto_Leq/NL_0001_SLM_Leq_0102_0001.rnd');
  t.match(leq, [/^ {5}1,2025\/12\/24 04:00:00,00d 00:05:00/, /^ {5}2,2025\/12\/24 04:05:00,/]);
});

t.test('where the store name stays, one measurement replaces the other', async (t) => {
  const { clock, meter } = await planned(t, { timer_name_advances: false });
  await clock.advance(3 * HOUR);
  t.same(stores(meter), ['Auto_0100']);
});

t.test('the stop time ends a measurement that would outlive it, a paused one too', async (t) => {
  const long = await planned(t, {}, ['Timer Auto Interval,Off', 'Measurement Time Preset Auto,24h']);
  await long.clock.advance(6 * HOUR);
  t.same(course(long.meter), ['60 measuring', '150 stopped'], 'without an interval there is one measurement');

  const paused = await planned(t, {}, ['Timer Auto Interval,Off', 'Measurement Time Preset Auto,24h']);
  await paused.clock.advance(HOUR + MINUTE);
  await paused.typist.ask('Pause,On');
  await paused.clock.advance(6 * HOUR);
  t.same(course(paused.meter), ['60 measuring', '61 paused', '150 stopped']);
});

t.test('a moment that has passed does not come again; one that finds the meter measuring passes', async (t) => {
  const { clock, meter, typist } = await planned(t, {}, [
    'Timer Auto Start Time,2025/12/24 01:00:00',
    'Measurement Time Preset Auto,15m',
    'Timer Auto Interval,10m',
  ]);
  // Set at 02:00 sharp: that moment is one of the plan's.
  await clock.advance(25 * MINUTE);
  await typist.ask('Measure,Stop');
  await clock.advance(10 * MINUTE);
  t.same(course(meter), ['0 measuring', '15 stopped', '20 measuring', '25 stopped', '30 measuring']);
});

t.test('setting the clock moves what is still to come; so does a drift', async (t) => {
  const set = await planned(t);
  await set.typist.ask('Clock,2025/12/24 03:59:00');
  await set.clock.advance(2 * MINUTE);
  t.same(course(set.meter), ['1 measuring']);

  const drifting = await planned(t, { clock_drift_ppm: 1_000 });
  await drifting.clock.advance(HOUR - 3_597);
  t.equal(await state(drifting.typist), 'Stop');
  await drifting.clock.advance(2);
  t.equal(await state(drifting.typist), 'Start', '3.6 s early in an hour');
});

t.test('any other store mode ends the waiting', async (t) => {
  const { clock, meter, typist } = await planned(t);
  const pending = clock.pending;
  await typist.ask('Store Mode,Auto');
  t.equal(clock.pending, pending - 1);
  await clock.advance(6 * HOUR);
  t.same(course(meter), []);
});

t.test('a start in between begins at once, as in Auto', async (t) => {
  const { clock, meter, typist } = await planned(t);
  t.equal(await typist.ask('Measure,Start'), 'R+0000\r\n$');
  await clock.advance(11 * MINUTE);
  t.same(course(meter), ['0 measuring', '10 stopped']);
});

t.test('where it takes a start to wait, nothing happens without one, and a stop takes it back', async (t) => {
  const { clock, meter, typist } = await planned(t, { timer_auto_begins: 'once started' });
  await clock.advance(75 * MINUTE);
  t.same(course(meter), []);
  t.equal(await typist.ask('Measure,Start'), 'R+0000\r\n$');
  t.equal(await state(typist), 'Stop', 'it waits');
  await clock.advance(16 * MINUTE);
  t.equal(await state(typist), 'Start');
  t.equal(await typist.ask('Measure,Stop'), 'R+0000\r\n$', 'the end of the measurement and of the waiting');
  t.equal(await typist.ask('Measure,Stop'), 'R+0004\r\n$');
  await clock.advance(6 * HOUR);
  t.same(course(meter), ['90 measuring', '91 stopped']);
});

t.test('the plan outlives a loss of power, a measurement under way does not', async (t) => {
  const { clock, meter } = await planned(t);
  await clock.advance(65 * MINUTE);
  await clock.until(meter.powerCycle(10 * MINUTE), { stepMs: MINUTE });
  await clock.advance(20 * MINUTE);
  t.same(
    course(meter).filter((line) => line.endsWith('measuring')),
    ['60 measuring', '90 measuring'],
  );
});

t.test('a card that is gone is nobody’s business until somebody looks', async (t) => {
  const { clock, meter, typist } = await planned(t);
  meter.card.eject();
  await clock.advance(61 * MINUTE);
  t.equal(await state(typist), 'Stop');
  meter.card.insert();
  await clock.advance(30 * MINUTE);
  t.same(course(meter), ['60 not begun: no room on the card', '90 measuring']);
});

t.test('with Sleep Mode on the meter sleeps between its measurements and wakes for the next', async (t) => {
  for (const sleep_when of ['idle', 'between timer measurements'] as const) {
    const { clock, meter, typist, client } = await planned(t, { sleep_when, sleep_after_ms: 5 * MINUTE }, [
      'Sleep Mode,On',
    ]);
    await clock.advance(4 * HOUR);
    const still = sleep_when === 'idle' ? ['135 asleep'] : [];
    t.same(
      course(meter),
      ['5 asleep', '60 awake', '60 measuring', '70 stopped', '75 asleep', '90 awake', '90 measuring', '100 stopped']
        .concat(['105 asleep', '120 awake', '120 measuring', '130 stopped'])
        .concat(still),
      sleep_when,
    );
    if (sleep_when === 'idle') {
      typist.type('Pause?\r\n');
      await client();
      await happened(meter, 'held');
      t.equal(typist.heard, '', 'silent, not refusing');
    } else {
      t.equal(await state(typist), 'Stop', 'awake when there is nothing more to come');
    }
  }
});

t.test('where sleep is for timer measurements alone, an idle meter stays awake for ever', async (t) => {
  const { clock, meter, typist } = await typing(t, {
    sleep_when: 'between timer measurements',
    sleep_after_ms: MINUTE,
  });
  await typist.ask('Sleep Mode,On');
  await clock.advance(24 * HOUR);
  t.equal(data(await typist.ask('Sleep Mode?')), 'On');
  t.same(course(meter), []);
});

t.test('Store Delay Time: a start is confirmed, then begins so much later; a stop takes it back', async (t) => {
  const { clock, meter, typist } = await typing(t);
  await typist.ask('Store Delay Time,5');
  t.equal(await typist.ask('Measure,Start'), 'R+0000\r\n$');
  t.equal(await state(typist), 'Stop');
  t.equal(await typist.ask('Measure,Start'), 'R+0004\r\n$');
  t.equal(await typist.ask('Store Name,0007'), 'R+0004\r\n$');
  await clock.advance(5_000);
  t.equal(await state(typist), 'Start');
  await typist.ask('Measure,Stop');
  await typist.ask('Measure,Start');
  t.equal(await typist.ask('Measure,Stop'), 'R+0000\r\n$');
  t.equal(await typist.ask('Measure,Stop'), 'R+0004\r\n$');
  await clock.advance(HOUR);
  t.equal(meter.log.events.filter((event) => event.kind === 'state' && event.text === 'measuring').length, 1);
});

t.test('Store Delay Time and Back Erase may be no more than values that are kept', async (t) => {
  const { client, clock, meter, typist } = await typing(t, { store_delay: 'kept' });
  await typist.ask('Store Delay Time,5');
  await typist.ask('Back Erase,3');
  await typist.ask('Measure,Start');
  t.equal(await state(typist), 'Start');
  await clock.advance(10_000);
  await typist.ask('Pause,On');
  await typist.ask('Measure,Stop');
  const [, leq = 0, le = 0] = data(await typist.ask('DLC?'))
    .split(',')
    .map(Number);
  t.ok(Math.abs(le - leq - 10) <= 0.1, 'all ten seconds before the pause count');
  await meter.powerCycle();
  t.equal(data(await (await client()).ask('Back Erase?')), '3');
});

t.test('while it stores, the meter refuses: within the reply, and where the profile says so for longer', async (t) => {
  const { clock, meter, typist } = await typing(t, { think_store_ms: [300, 300], storing_ms: 2_000 });
  for (const line of ['Measure,Start', 'Measure,Stop']) await typist.ask(line);
  typist.type('Manual Store,Start\r\nMeasure,Start\r\n');
  t.equal(await clock.until(typist.take(/\$.*\$/s), { stepMs: 5 }), 'R+0000\r\n$R+0004\r\n$');
  await clock.advance(1_000);
  for (const line of ['Manual Store,Start', 'Measure,Start', 'Store Name,0002', 'Sleep Mode,On']) {
    t.equal(await typist.ask(line), 'R+0004\r\n$', line);
  }
  t.equal(data(await typist.ask('Measure?')), 'Stop', 'a request is answered');
  await clock.advance(1_000);
  t.equal(await clock.until(typist.ask('Manual Store,Start')), 'R+0000\r\n$');
  t.same(
    meter.log.events.flatMap((event) => (event.kind === 'state' ? [event.text] : [])),
    ['measuring', 'stopped', 'storing', 'stored', 'storing'],
  );
});
