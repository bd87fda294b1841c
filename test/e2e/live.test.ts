/** One fresh reading of the display, for as few commands as can be. */
import t, { type Test } from 'tap';
import { type FarEnd, farEnd, ordinary, type Reaction, refusal, well } from '../support/far-end.ts';
import { openWorld, type World } from '../support/world.ts';

const MISSING = Array(13).fill('  -.-').join();
/** As stored from a real meter: one channel on, only Lp has a number (field log). */
const DISPLAY = [` 45.8,${MISSING},0,0`, ...Array(3).fill(`  -.-,${MISSING},-,-`)].join();
const FAST = ['DOD?', 'Measure?'];
const SLOW = ['Battery Level?', 'SD Card Free Size?', 'SD Card Total Size?', 'DRD?status'];

t.test('the first reading of a unit has everything', async (t) => {
  const world = await openWorld(t);
  world.meter.set('Power Source', 'External');
  const { status, body } = await world.get('/sim-1/live');
  t.equal(status, 200);
  const free = world.meter.card.freeMb;
  t.match(body.data, {
    unit_id: 'sim-1',
    measurement_state: 'Stop',
    lp: /^\d+\.\d$/,
    leq: null,
    battery_level: '100',
    battery_state: 'Full',
    power_source: 'External',
    sd_remaining_mb: String(Math.floor(free)),
    sd_free_ratio: /^\d+\.\d$/,
    over_range: false,
    under_range: false,
  });
  t.same(
    world.meter.log.commands.filter((text) => text !== '\u001a'),
    [...FAST, ...SLOW],
  );
  t.same(world.meter.log.spacingViolations(), []);
});

t.test('further readings take two commands; after a minute the slow values come again', async (t) => {
  const world = await openWorld(t);
  world.meter.set('Power Source', 'Battery');
  await world.get('/sim-1/live');
  world.meter.set('Battery Level', 'Low');
  world.meter.log.clear();
  t.match((await world.get('/sim-1/live')).body.data, { battery_level: '100', power_source: 'Battery' });
  t.same(world.meter.log.commands, FAST);
  await world.pass(60_000);
  world.meter.log.clear();
  t.match((await world.get('/sim-1/live')).body.data, { battery_level: '30', battery_state: 'Low' });
  t.same(
    world.meter.log.commands.filter((text) => text !== '\u001a'),
    [...FAST, ...SLOW],
  );
});

t.test('while measuring all levels are there, as the meter formatted them', async (t) => {
  const world = await openWorld(t);
  await world.post('/sim-1/start');
  await world.pass(5_000);
  const { data } = (await world.get('/sim-1/live')).body;
  t.equal(data.measurement_state, 'Measure');
  for (const name of ['lp', 'leq', 'lmax', 'lmin', 'lpeak', 'le', 'ln1', 'ln5']) t.match(data[name], /^\d+\.\d$/, name);
  t.ok(Number(data.lmin) <= Number(data.lmax) && Number(data.lmax) < Number(data.lpeak), 'in their order');
});

/** A unit `odd` on a meter that is ordinary but for some commands. */
async function oddWorld(t: Test, odd: (line: string) => Reaction | undefined): Promise<{ world: World; end: FarEnd }> {
  const end = await farEnd(t, (line) => odd(line) ?? ordinary(line));
  const world = await openWorld(t, { meters: 0 });
  await world.put('/odd/config', end.config);
  return { world, end };
}

t.test('a stored line of a real meter is read by position; what it does not give is null', async (t) => {
  const { world } = await oddWorld(t, () => undefined);
  const { data } = (await world.get('/odd/live')).body;
  const levels = { lp: '45.8', leq: null, lmax: null, lmin: null, lpeak: null, le: null, ln1: null, ln5: null };
  t.match(data, { ...levels, measurement_state: 'Stop', over_range: false, under_range: false });
  t.match(data, { battery_level: '100', sd_remaining_mb: '15218', sd_free_ratio: '50.0', power_source: null });
});

t.test('every field of the line has its own place', async (t) => {
  const main = ' 50.0, 51.0, 52.0, 53.0, 54.0, 55.0, 56.0, 57.0, 58.0, 59.0, 60.0, 61.0, 62.0, 63.0,1,0';
  const sub = (from: number) => [...Array.from({ length: 14 }, (_, index) => ` ${from + index}.5`), '0', '1'].join();
  const line = [main, sub(10), sub(30), sub(70)].join();
  const { world } = await oddWorld(t, (text) => (text === 'DOD?' ? well(line) : undefined));
  const { data } = (await world.get('/odd/live')).body;
  t.match(data, { lp: '50.0', leq: '51.0', le: '52.0', lmax: '53.0', lmin: '54.0', lpeak: '60.0' });
  t.match(data, {
    ln1: '55.0',
    ln2: '56.0',
    ln3: '57.0',
    ln4: '58.0',
    ln5: '59.0',
    over_range: true,
    under_range: false,
  });
  const { data: status } = (await world.get('/odd/status')).body;
  const { unit_id, age_s, ...values } = data;
  t.match(status, values, 'and the same in the status');
});

t.test('after a change of the card its free share is that of the new card', async (t) => {
  const { world, end } = await oddWorld(t, () => undefined);
  t.equal((await world.get('/odd/live')).body.data.sd_free_ratio, '50.0');
  const card: Record<string, string> = { 'SD Card Free Size?': '61000', 'SD Card Total Size?': '122000' };
  end.react = (line) => (card[line] ? well(card[line]) : ordinary(line));
  await world.pass(60_000);
  t.match((await world.get('/odd/live')).body.data, { sd_remaining_mb: '61000', sd_free_ratio: '50.0' });
});

t.test('a side value that the meter refuses does not fail the reading', async (t) => {
  const { world } = await oddWorld(t, (line) => (line.startsWith('SD Card') ? refusal(1) : undefined));
  const { status, body } = await world.get('/odd/live');
  t.equal(status, 200);
  t.match(body.data, { lp: '45.8', battery_level: '100', sd_remaining_mb: null, sd_free_ratio: null });
});

t.test('a side value without an answer does not fail the reading, nor the next reading', async (t) => {
  const { world, end } = await oddWorld(t, (line) => (line === 'Battery Level?' ? 'silence' : undefined));
  const { status, body } = await world.get('/odd/live');
  t.match({ status, body }, { status: 200, body: { data: { lp: '45.8', battery_level: null } } });
  const asked = end.lines.length;
  t.equal((await world.get('/odd/live')).status, 200);
  const again = end.lines.slice(asked).filter((line) => !line.includes('Weighting'));
  t.same(again, FAST, 'it is not asked again for a minute');
});

t.test('a meter that says nothing to any side question costs one timeout, not one each', async (t) => {
  const { world } = await oddWorld(t, (line) => (/^(Battery|SD|DRD)/.test(line) ? 'silence' : undefined));
  const began = world.clock.elapsed();
  t.equal((await world.get('/odd/live')).status, 200);
  t.ok(world.clock.elapsed() - began < 10_000, `${world.clock.elapsed() - began} ms`);
});

t.test('a side value on a connection that is gone fails the reading', async (t) => {
  const { world } = await oddWorld(t, (line) => (line === 'Battery Level?' ? 'reset' : undefined));
  t.match(await world.get('/odd/live'), { status: 502, body: { code: 'DEVICE_UNREACHABLE' } });
});

t.test('a display with fields that are not known is never read by position: no levels, and the reason', async (t) => {
  const { world, end } = await oddWorld(t, () => undefined);
  const longer = `${DISPLAY}, 44.0,0`;
  for (const line of [longer, `${longer},12345,ON`, DISPLAY.split(',').slice(1).join()]) {
    end.react = (text) => (text === 'DOD?' ? well(line) : ordinary(text));
    const { status, body } = await world.get('/odd/live');
    t.equal(status, 200);
    t.match(body.data, { lp: null, leq: null, over_range: null, measurement_state: 'Stop' });
    t.match(body.data.warning, /fields instead of 64/);
    t.equal((await world.get('/odd/status')).body.data.lp, null);
    await world.pass(2_000);
  }
  end.react = ordinary;
  t.match((await world.get('/odd/live')).body.data, { lp: '45.8', warning: null });
});

t.test('an impossible level is null and flagged; its text is in the log', async (t) => {
  const { world, end } = await oddWorld(t, () => undefined);
  for (const text of ['300.0', '999.9', '-99.9', '045.1']) {
    end.react = (line) => (line === 'DOD?' ? well(DISPLAY.replace(' 45.8', text)) : ordinary(line));
    const { status, body } = await world.get('/odd/live');
    t.match({ status, body }, { status: 200, body: { data: { lp: null, implausible: true, warning: /lp/ } } }, text);
    await world.pass(2_000);
  }
  t.match(world.log.join(''), /"raw":\{"lp":"300.0"\}/);
  end.react = ordinary;
  t.match((await world.get('/odd/live')).body.data, { lp: '45.8', implausible: false, warning: null });
});

t.test(
  'an unreadable battery or card is null with the reason, and after three failures asked for rarely',
  async (t) => {
    const strange = (line: string) => (line.startsWith('SD Card') ? well('lots') : undefined);
    const { world, end } = await oddWorld(t, strange);
    for (let minute = 0; minute < 5; minute++) {
      t.match((await world.get('/odd/live')).body.data, {
        lp: '45.8',
        sd_remaining_mb: null,
        warning: /card cannot be read/,
      });
      await world.clock.advance(61_000);
    }
    t.equal(end.lines.filter((line) => line === 'SD Card Free Size?').length, 3);
    end.react = ordinary;
    await world.clock.advance(3_600_000);
    t.match((await world.get('/odd/live')).body.data, { sd_remaining_mb: '15218', warning: null });
  },
);
