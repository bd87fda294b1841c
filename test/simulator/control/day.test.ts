import t, { type Test } from 'tap';
import type { NumberedEvent } from '../../../simulator/control/meter-control.ts';
import { PacedClock } from '../../../simulator/control/paced-clock.ts';
import { eventually } from '../bare.ts';
import { HEALTHY, Line } from '../faults/rig.ts';
import { controlRigOn } from './rig.ts';

const HOUR = 3_600_000;
const unit = '/meters/sim-1';

/** A day of a meter in the field, lived through the control API and the wire alone. Returns what was said. */
async function day(t: Test, seed: number): Promise<readonly unknown[]> {
  const clock = new PacedClock(0);
  const { ask, get, meter } = await controlRigOn(t, clock, { seed, scenario: 'roadside' });
  const advance = async (ms: number) => void (await ask('POST', '/time/advance', { ms }));
  const through = { advance };
  let line = await Line.open(meter, through);
  const again = async () => {
    line.close();
    await advance(10_000);
    line = await Line.open(meter, through);
    return line.ask('Type?', 1_000);
  };

  await ask('PUT', `${unit}/values`, { 'Measurement Time Preset Manual': '24h', Measure: 'Start' });
  for (let hour = 0; hour < 6; hour++) {
    await advance(HOUR);
    t.match(await line.ask('DOD?', 1_000), /^R\+0000\r\n[^$]{300,}\$$/);
  }
  await ask('POST', `${unit}/faults`, { kind: 'nat-forgets', settings: { idle_ms: 60_000 } });
  await advance(HOUR);
  t.equal(await line.ask('DOD?', 5_000), '', 'morning: the carrier forgot the line');
  await ask('DELETE', `${unit}/faults`);
  t.equal(await again(), HEALTHY);

  await ask('PUT', `${unit}/sound`, { scenario: 'construction' });
  await ask('POST', `${unit}/faults`, { kind: 'garbled', when: { probability: 0.5 } });
  await ask('POST', `${unit}/faults`, { kind: 'latency', settings: { ms: 100, jitter_ms: 400 } });
  for (let reading = 0; reading < 20; reading++) await line.ask('DOD?', HOUR / 4);
  await ask('DELETE', `${unit}/faults`);

  await ask('POST', `${unit}/faults`, { kind: 'wedge' });
  await advance(HOUR);
  await t.rejects(Line.open(meter, through), { code: 'ECONNREFUSED' }, 'noon: wedged');
  t.match((await get(unit)).body, { measuring: true, power: 'on' });
  await ask('POST', `${unit}/power-cycle`, { after_ms: 40_000 });
  await advance(40_000);
  t.equal(await again(), HEALTHY);
  t.equal((await get(unit)).body.measuring, false, 'what it measured is gone');

  await ask('PUT', `${unit}/card`, { free_mb: 0 });
  await ask('PUT', `${unit}/values`, { 'Store Mode': 'Auto', 'Lp Store Interval': '1s', 'Battery Level': 'Low' });
  t.equal(await line.ask('Measure,Start', 1_000), 'R+0004\r\n$', 'evening: the card is full');
  await ask('PUT', `${unit}/card`, { free_mb: 1_000 });
  t.equal(await line.ask('Measure,Start', 1_000), 'R+0000\r\n$');
  await advance((await left(get)) - 1_000);
  t.match(await line.ask('Battery Level?', 1_000), 'Low');
  t.equal((await get('/time')).body.elapsed_ms, 24 * HOUR);
  t.match((await get(`${unit}/counts`)).body, { connections: 3, spacing_violations: [] });

  const { events } = (await get(`${unit}/events?kind=in,out,state,power&limit=10000`)).body;
  line.close();
  await eventually(() => meter.log.events.at(-1)?.kind === 'disconnect');
  return events.map(({ n: _, ...event }: NumberedEvent) => event);
}

const left = async (get: (path: string) => Promise<{ readonly body: { readonly elapsed_ms: number } }>) =>
  24 * HOUR - (await get('/time')).body.elapsed_ms;

t.test('a day of field life in a moment, by HTTP and TCP alone; the same seed is the same day', async (t) => {
  const first = await day(t, 5);
  t.ok(first.length > 50);
  t.same(await day(t, 5), first);
  t.notSame(await day(t, 6), first);
});
