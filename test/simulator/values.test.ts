/** Fields of the display, of the result and of frames: with everything on, at the edges, and over time. */
import t, { type Test } from 'tap';
import type { MeterOptions } from '../../simulator/index.ts';
import type { Profile } from '../../simulator/profile.ts';
import { type Client, rig } from './rig.ts';

const data = (reply: string) => reply.split('\r\n')[1] ?? '';
const fields = async (typist: Client, question: string) => data(await typist.ask(question)).split(',');
const numbers = async (typist: Client, question: string) => (await fields(typist, question)).map(Number);

async function measured(t: Test, switches: Partial<Profile>, lines: readonly string[], options: MeterOptions = {}) {
  const made = await rig(t, switches, { soundStepMs: 100, ...options });
  const typist = await made.client();
  for (const line of lines) t.equal(await typist.ask(line), 'R+0000\r\n$', line);
  return { ...made, typist };
}

const ALL_ON = [
  'Display Sub Channel 1,On',
  'Display Sub Channel 2,On',
  'Display Sub Channel 3,On',
  'Frequency Weighting (Sub1),C',
  'Frequency Weighting (Sub2),Z',
  'Frequency Weighting (Sub3),A',
  'Time Weighting (Sub3),S',
  'Moving Leq Interval Preset,10s',
];

t.test('with four channels on and every value shown a line has 64 fields, none of them missing', async (t) => {
  const { clock, typist } = await measured(t, { additional_values: 'on' }, [...ALL_ON, 'Measure,Start'], {
    scenario: 'roadside',
  });
  await clock.advance(120_000);
  const shown = await fields(typist, 'DOD?');
  t.equal(shown.length, 64);
  for (const [place, field] of shown.entries()) {
    t.match(field, place % 16 < 14 ? /^[ \d]{2}\d\.\d$/ : /^[01]$/, `field ${place}`);
  }
  const [main = [], sub1 = [], sub2 = [], sub3 = []] = [0, 1, 2, 3].map((channel) =>
    shown.slice(channel * 16, channel * 16 + 14).map(Number),
  );
  for (const [, leq = 0, le = 0, lmax = 0, lmin = 0, ...rest] of [main, sub1, sub2, sub3]) {
    const [ln1 = 0, ln2 = 0, ln3 = 0, ln4 = 0, ln5 = 0, lpeak = 0, lieq = 0, moving = 0, takt = 0] = rest;
    t.ok(Math.abs(le - leq - 10 * Math.log10(120)) <= 0.11, 'LE - Leq = 10 lg T');
    t.ok(lmax >= ln1 && ln1 >= ln2 && ln2 >= ln3 && ln3 >= ln4 && ln4 >= ln5 && ln5 >= lmin, 'LN1 ... LN5 in order');
    t.ok(lpeak >= lmax + 3 && lieq >= leq && takt >= leq && Math.abs(moving - leq) < 20, 'Lpeak, LIeq, Ltm5, Leq,mov');
  }
  t.ok((sub2[1] ?? 0) >= (sub1[1] ?? 0) && (sub1[1] ?? 0) > (main[1] ?? 0), 'Z >= C > A');
  t.ok((sub3[3] ?? 0) < (main[3] ?? 0), 'S does not rise as high as F');
  t.equal(sub3[1], main[1], 'Leq does not know of time weightings');
});

t.test('a channel that is on in the middle leaves the others at their places', async (t) => {
  const { typist, clock } = await measured(t, {}, ['Display Sub Channel 2,On', 'Measure,Start']);
  await clock.advance(10_000);
  const shown = await fields(typist, 'DOD?');
  t.same([shown[30], shown[31], shown[46], shown[47], shown[62], shown[63]], ['-', '-', '0', '0', '-', '-']);
  t.match([shown[16], shown[32], shown[48]], ['  -.-', /^ \d\d\.\d$/, '  -.-']);
});

t.test('a frame with four channels on has 33 fields, each with its level', async (t) => {
  const { typist, clock } = await measured(t, { additional_values: 'on' }, ALL_ON);
  await typist.stream();
  await clock.advance(200);
  const frame = (await typist.take(/^ {2}2,.*\r\n/m)).trim().split('\r\n').at(-1)?.split(',') ?? [];
  t.equal(frame.length, 33);
  for (const [place, field] of frame.slice(1).entries()) {
    t.match(field, place % 8 < 6 ? /^[ \d]{2}\d\.\d$/ : /^[01]$/, `field ${place + 1}`);
  }
});

t.test('the slots of LN hold the percentages that are set, and so does the header on the card', async (t) => {
  const slots = ['Percentile 1,99', 'Percentile 2,50', 'Percentile 3,1', 'Percentile 4,10', 'Percentile 5,90'];
  const { typist, clock } = await measured(t, {}, [...slots, 'Measure,Start'], { scenario: 'roadside' });
  const plain = await measured(t, {}, ['Percentile 1,1', 'Percentile 5,99', 'Measure,Start'], { scenario: 'roadside' });
  await clock.advance(300_000);
  await plain.clock.advance(300_000);
  const [l99, l50, l1, l10, l90] = (await numbers(typist, 'DOD?')).slice(5, 10);
  const [p1, p10, p50, p90, p99] = (await numbers(plain.typist, 'DOD?')).slice(5, 10);
  t.same([l1, l10, l50, l90, l99], [p1, p10, p50, p90, p99]);
  t.ok((l1 ?? 0) > (l50 ?? 0) && (l50 ?? 0) > (l99 ?? 0));
});

t.test('percentiles may lie 0.1 dB outside Lmin ... Lmax, by the edge of their class', async (t) => {
  const outside = async (percentile_class: Profile['percentile_class']) => {
    const { typist, clock, meter } = await measured(t, { percentile_class }, []);
    const found = { above: 0, below: 0 };
    for (const steadyDb of [61.02, 61.04, 61.06, 61.08]) {
      meter.instrument.play({ steadyDb });
      await clock.advance(60_000);
      await typist.ask('Measure,Start');
      await clock.advance(5_000);
      const [, , , lmax = 0, lmin = 0, ln1 = 0, , , , ln5 = 0] = await numbers(typist, 'DOD?');
      t.ok(ln1 - lmax < 0.11 && lmin - ln5 < 0.11, 'by no more than that');
      found.above += ln1 > lmax ? 1 : 0;
      found.below += ln5 < lmin ? 1 : 0;
      await typist.ask('Measure,Stop');
    }
    return found;
  };
  t.same(await outside('nearest'), { above: 0, below: 0 });
  t.same(await outside('upper edge'), { above: 2, below: 0 });
  t.same(await outside('lower edge'), { above: 0, below: 2 });
});

t.test('out of range a flag is raised, and the value is given all the same', async (t) => {
  const { typist, clock, meter } = await measured(t, {}, [...ALL_ON]);
  const flags = (shown: readonly string[]) => [14, 30, 46, 62].map((place) => `${shown[place]}${shown[place + 1]}`);
  meter.instrument.play({ steadyDb: 140 });
  await clock.advance(60_000);
  await typist.ask('Measure,Start');
  await clock.advance(5_000);
  const loud = await fields(typist, 'DOD?');
  t.same(flags(loud), ['10', '10', '10', '10']);
  t.same([loud[0], loud[1]], ['140.0', '140.0']);
  meter.instrument.play({ steadyDb: 70 });
  await clock.advance(60_000);
  t.equal((await fields(typist, 'DOD?'))[14], '1', 'a calculated flag stays until the next start');
  await typist.ask('Measure,Stop');
  meter.instrument.play({ steadyDb: 30 });
  await clock.advance(60_000);
  await typist.ask('Measure,Start');
  await clock.advance(5_000);
  const quiet = await fields(typist, 'DOD?');
  t.same(flags(quiet), ['00', '01', '01', '00'], '30 dB is under the range of C and Z, not of A');
  t.equal(quiet[0], ' 30.0');
});

t.test('for up to a second after a start, Lp may lie outside Lmin ... Lmax', async (t) => {
  const { typist, clock, meter } = await measured(t, { display_refresh_ms: 1_000 }, []);
  meter.instrument.play({ steadyDb: 80 });
  await clock.advance(60_000);
  await typist.ask('Measure,Start');
  await clock.advance(1_000);
  meter.instrument.play({ steadyDb: 50 });
  await clock.advance(900);
  const [lp = 0, , , , lmin = 0] = await numbers(typist, 'DOD?');
  t.ok(lp < lmin, `Lp ${lp} below the Lmin ${lmin} of the last refresh`);
  await clock.advance(100);
  const [later = 0, , , , low = 0] = await numbers(typist, 'DOD?');
  t.ok(low <= later, 'and no longer after the next');
});

t.test('after a stop the values stand still, Lp lives', async (t) => {
  const { typist, clock } = await measured(t, {}, ['Measure,Start'], { scenario: 'roadside' });
  await clock.advance(20_000);
  await typist.ask('Measure,Stop');
  const lp = new Set<string | undefined>();
  const rest = new Set<string>();
  for (let look = 0; look < 5; look++) {
    const [live, ...others] = await fields(typist, 'DOD?');
    lp.add(live);
    rest.add(others.join());
    await clock.advance(7_000);
  }
  t.ok(lp.size > 1);
  t.equal(rest.size, 1);
});
