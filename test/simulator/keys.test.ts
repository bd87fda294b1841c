import t from 'tap';
import { COMMANDS } from '../../lib/drivers/nl43/spec/commands.ts';
import { rig, typing } from './rig.ts';

t.test('read shows what a request shows', async (t) => {
  const { meter, typist } = await typing(t);
  for (const { name, request, option } of COMMANDS) {
    if (!request || option || name === 'DRD') continue;
    t.equal(`R+0000\r\n${meter.read(name)}\r\n$`, await typist.ask(`${name}?`), name);
  }
});

t.test('turn sets what a meter keeps, whatever its state', async (t) => {
  const { meter } = await rig(t);
  meter.set('Measure', 'Start');
  for (const [name, value, shown = value] of [
    ['Store Name', '7', '0007'],
    ['Time Weighting (Main)', 's', 'S'],
    ['Battery Level', 'Low'],
    ['Power Source', 'USB'],
    ['Clock', '2026/01/01 00:00:00'],
    ['Display Sub Channel 1', 'On'],
  ] as const) {
    meter.set(name, value);
    t.equal(meter.read(name), shown, name);
  }
  meter.set('Pause', 'On');
  t.equal(meter.read('Pause'), 'On');
  meter.set('Measure', 'Stop');
  t.equal(meter.read('Measure'), 'Stop');
  meter.set('Manual Store', 'Start');
  t.equal(meter.read('Overwrite'), 'None', 'the address moved on');
});

t.test('what the meter does not have is a TypeError', async (t) => {
  const { meter } = await rig(t);
  t.throws(() => meter.set('Volume', '3'), TypeError);
  t.throws(() => meter.set('Battery Level', 'Half'), TypeError);
  t.throws(() => meter.set('Power Source', 'Sun'), TypeError);
  t.throws(() => meter.set('Measure', 'Stop'), TypeError, 'a key that acts does mind the state');
  t.throws(() => meter.read('Manual Store'), TypeError);
  t.throws(() => meter.read('DRD'), TypeError);
});

t.test('calculated values are refreshed once a second, Lp at once', async (t) => {
  const { clock, meter } = await rig(t, { display_refresh_ms: 1_000 });
  const fields = () =>
    meter
      .read('DOD')
      .split(',')
      .map((field) => field.trim());
  meter.set('Measure', 'Start');
  await clock.advance(900);
  t.match(fields().slice(0, 2), [/^\d/, '-.-']);
  await clock.advance(100);
  const first = fields();
  t.match(first[1], /^\d/);
  await clock.advance(950);
  t.same(fields().slice(1, 16), first.slice(1, 16));
  await clock.advance(3_050);
  t.not(fields()[2], first[2], 'LE has grown');
});
