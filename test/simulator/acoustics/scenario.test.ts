import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { createInstrument } from '../../../simulator/acoustics/instrument.ts';
import { checkScenario, loadScenario, scenarioNames } from '../../../simulator/acoustics/scenario.ts';
import { known, main, threeWeightings } from './setups.ts';

const noise = { levelDbA: 50, spectrum: { '500': 50 }, slowDb: 1, fastDb: 1, bandwidthHz: 1000 };

t.test('every scenario that comes along loads and makes a sound', async (t) => {
  const names = scenarioNames();
  const forSites = ['birds', 'club', 'playground', 'railway', 'railway-night', 'street'];
  const others = ['construction', 'limit-crossing', 'night', 'office', 'roadside', 'silence', 'steady-tone'];
  t.same(names, [...forSites, ...others].sort());
  for (const name of names) t.ok(loadScenario(name).description.length > 10, name);
});

t.test('scenarios keep to the levels they are named for', async (t) => {
  const wanted = {
    office: [43, 47],
    roadside: [67, 82],
    night: [30, 40],
    silence: [17, 19],
    street: [43, 60],
    playground: [62, 77],
    club: [71, 82],
  } as const;
  for (const [scenario, [low, high]] of Object.entries(wanted)) {
    const instrument = createInstrument({ seed: 4, scenario });
    instrument.configure(threeWeightings('F'));
    instrument.start();
    instrument.advance(15 * 60_000);
    const { ln } = main(instrument.display());
    t.ok(known(ln[4]) >= low && known(ln[0]) <= high, `${scenario}: L95 and L5 within ${low}-${high}`, { ln });
  }
});

t.test('the roadside has the statistics of a measured one', async (t) => {
  const instrument = createInstrument({ seed: 1, scenario: 'roadside' });
  instrument.start();
  instrument.advance(3_600_000);
  // Field: L5 80, L10 79, L50 74, L90 70, L95 68.
  [80, 79, 74, 70, 68].forEach((wanted, place) => {
    const found = known(main(instrument.display()).ln[place] ?? null);
    t.ok(Math.abs(found - wanted) <= 2, `LN${place + 1} near ${wanted}`, { found });
  });
});

t.test('a name that is no scenario is refused with the names there are, and never opens another file', async (t) => {
  t.throws(() => loadScenario('disco'), /no scenario is called disco; known are birds, club, construction/);
  t.throws(() => loadScenario('../../package'), /no scenario is called/);
  t.throws(() => createInstrument({ seed: 1, scenario: 'disco' }), RangeError);
});

t.test('a wrong scenario is refused with the place and what is expected there', async (t) => {
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    [[], /scenario x: must be an object/],
    [{ background: noise }, /x\.description: missing/],
    [{ description: '', colour: 1 }, /x\.colour: not known/],
    [{ description: '' }, /one of a tone, steps or a background/],
    [
      { description: '', tone: { levelDb: 'loud', frequencyHz: 1000 } },
      /tone\.levelDb: must be a number from -20 to 160, is "loud"/,
    ],
    [{ description: '', tone: { levelDb: 94, frequencyHz: 1000 }, impulses: [] }, /events go with a background only/],
    [{ description: '', background: { ...noise, spectrum: {} } }, /spectrum: must name at least one/],
    [
      { description: '', background: { ...noise, spectrum: { '501': 3 } } },
      /spectrum\.501: no octave band; known are 16 31\.5/,
    ],
    [{ description: '', background: { ...noise, slowDB: 1 } }, /background\.slowDB: not known/],
    [{ description: '', background: noise, passBys: {} }, /passBys: must be a list/],
    [
      {
        description: '',
        background: noise,
        passBys: [{ perHour: 5, levelDbA: [70, 60], seconds: [5, 9], spectrum: { '500': 1 } }],
      },
      /passBys\[0\]\.levelDbA: must rise, is \[70, 60\]/,
    ],
  ];
  for (const [data, message] of wrong) t.throws(() => checkScenario('x', data), message);
});

t.test('a file that is not JSON is named', async (t) => {
  const folder = t.testdir();
  writeFileSync(join(folder, 'broken.json'), '{ "description": ');
  t.throws(() => loadScenario('broken', folder), /scenario broken: .*broken\.json is not JSON/);
});

t.test('scenarios of a caller come before the files', async (t) => {
  const own = checkScenario('office', { description: 'a tone', tone: { levelDb: 60, frequencyHz: 125 } });
  const instrument = createInstrument({ seed: 1, scenario: 'office', scenarios: { office: own } });
  t.ok(Math.abs(known(main(instrument.display()).lp) - (60 - 16.19)) < 0.05);
});

t.test(
  'steps are exact: the level changes at the second that the scenario names, counted from its begin',
  async (t) => {
    const instrument = createInstrument({ seed: 1, scenario: 'silence', stepMs: 100 });
    instrument.advance(12_345_600);
    instrument.play({ scenario: 'limit-crossing' });
    instrument.start();
    const blocks: number[] = [];
    instrument.onBlock(1_000, ({ channels }) => void blocks.push(channels.main?.leq ?? 0));
    instrument.advance(12_345_600 + 1_500_000);
    const rounded = blocks.map((leq) => Math.round(leq * 1e6) / 1e6);
    t.equal(rounded.indexOf(70), 600);
    t.equal(rounded.lastIndexOf(70), 899);
    t.same(new Set(rounded), new Set([50, 70]));
    t.equal(rounded.length, 1_500);
  },
);

t.test('steps that are wrong are named', async (t) => {
  const check = (steps: unknown) => () => checkScenario('x', { description: '', steps });
  t.throws(check([]), /steps: must have at least one step/);
  t.throws(check([{ levelDb: 50 }]), /steps\[0\]\.seconds/);
  t.throws(check(5), /must be a list/);
  const both = { description: '', steps: [], tone: { levelDb: 50, frequencyHz: 1000 } };
  t.throws(() => checkScenario('x', both), /one of a tone, steps or a background/);
});
