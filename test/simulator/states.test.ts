/** Section "state machine" of the protocol sheet, through the wire. */
import t from 'tap';
import type { Profile } from '../../simulator/profile.ts';
import { rig, typing } from './rig.ts';

type State = 'stopped, never measured' | 'stopped, with a result' | 'measuring' | 'paused';

const ROUTES: Readonly<Record<State, readonly string[]>> = {
  'stopped, never measured': [],
  'stopped, with a result': ['Measure,Start', 'Measure,Stop'],
  measuring: ['Measure,Start'],
  paused: ['Measure,Start', 'Pause,On'],
};

interface Row {
  readonly command: string;
  readonly switches?: Partial<Profile>;
  readonly results: string;
}

const TABLE: readonly Row[] = [
  { command: 'Measure,Start', results: '0044' },
  { command: 'Measure,Start', switches: { start_while_measuring: 'done' }, results: '0000' },
  { command: 'Measure,Stop', results: '4400' },
  { command: 'Pause,On', results: '4400' },
  { command: 'Pause,Off', results: '4400' },
  { command: 'Pause,On', switches: { pause_repeated: 'refused' }, results: '4404' },
  { command: 'Pause,Off', switches: { pause_repeated: 'refused' }, results: '4440' },
  { command: 'Manual Store,Start', results: '4044' },
  { command: 'Store Name,0100', results: '0044' },
  { command: 'Store Mode,Auto', results: '0044' },
  { command: 'Frequency Weighting (Main),C', results: '0044' },
  { command: 'Percentile 1,1', results: '0044' },
  { command: 'Measurement Time Preset Manual,1h', results: '0044' },
  { command: 'Measurement Time Preset Manual,1h', switches: { settings_while_measuring: 'done' }, results: '0000' },
  { command: 'Backlight,On', results: '0000' },
  { command: 'Clock,2025/12/24 02:10:55', results: '0044' },
  { command: 'Clock,2025/12/24 02:10:55', switches: { clock_while_measuring: 'done' }, results: '0000' },
  { command: 'Clock,2025/12/24,02:10:55', results: '2222' },
  { command: 'Sleep Mode,On', results: '0044' },
  { command: 'Sleep Mode,Off', results: '0000' },
  { command: 'Sleep Mode,Off', switches: { sleep_off_while_measuring: 'refused' }, results: '0044' },
  { command: 'FTP,On', results: '0000' },
  { command: 'Overwrite?', results: '0000' },
  { command: 'Overwrite?', switches: { overwrite_while_measuring: 'refused' }, results: '0044' },
  { command: 'DOD?', results: '0000' },
  { command: 'DLC?', results: '0000' },
  { command: 'DLC?', switches: { result_before_first: 'refused' }, results: '4044' },
  { command: 'Reset', results: '1111' },
  { command: 'Reset', switches: { reset: 'restarts' }, results: '4400' },
  { command: 'Frequency Weighting (Band)?', results: '3333' },
];

for (const { command, switches, results } of TABLE) {
  const under = switches ? ` (${Object.entries(switches).join().replace(',', ': ')})` : '';
  t.test(`${command}${under}`, async (t) => {
    for (const [index, [state, route]] of Object.entries(ROUTES).entries()) {
      const { typist } = await typing(t, switches);
      for (const step of route) t.match(await typist.ask(step), /^R\+0000/);
      t.match(await typist.ask(command), new RegExp(`^R\\+000${results[index]}\\r\\n`), state);
    }
  });
}

t.test('Measure? and Pause? tell the state in the meter’s own words', async (t) => {
  const { typist } = await typing(t);
  const words = async () =>
    [await typist.ask('Measure?'), await typist.ask('Pause?')].map((reply) => reply.split('\r\n')[1]);
  t.same(await words(), ['Stop', 'Off']);
  await typist.ask('Measure,Start');
  t.same(await words(), ['Start', 'Off']);
  await typist.ask('Pause,On');
  t.same(await words(), ['Start', 'On']);
  await typist.ask('Pause,Off');
  t.same(await words(), ['Start', 'Off']);
  await typist.ask('Measure,Stop');
  t.same(await words(), ['Stop', 'Off']);
});

t.test('a start may be confirmed before it shows', async (t) => {
  const { clock, typist } = await typing(t, { start_visible_ms: 1_000 });
  await typist.ask('Measure,Start');
  t.equal(await typist.ask('Measure?'), 'R+0000\r\nStop\r\n$');
  await clock.advance(1_000);
  t.equal(await typist.ask('Measure?'), 'R+0000\r\nStart\r\n$');
});

t.test('Manual Store is refused in Auto mode, and fills the address in force otherwise', async (t) => {
  const { meter, typist } = await typing(t);
  await typist.ask('Measure,Start');
  await typist.ask('Measure,Stop');
  t.equal(await typist.ask('Overwrite?'), 'R+0000\r\nNone\r\n$');
  t.equal(await typist.ask('Manual Store,Start'), 'R+0000\r\n$');
  t.equal(await typist.ask('Manual Address?'), 'R+0000\r\n2\r\n$');
  await typist.ask('Manual Address,1');
  t.equal(await typist.ask('Overwrite?'), 'R+0000\r\nExist\r\n$');
  meter.set('Store Mode', 'Auto');
  t.equal(await typist.ask('Manual Store,Start'), 'R+0004\r\n$');
});

t.test('without a card, or with a full one, nothing that stores can begin', async (t) => {
  const { meter, typist } = await typing(t);
  await typist.ask('Measure,Start');
  await typist.ask('Measure,Stop');
  meter.card.eject();
  t.equal(await typist.ask('Manual Store,Start'), 'R+0004\r\n$');
  t.equal(await typist.ask('SD Card Free Size?'), 'R+0004\r\n$');
  meter.set('Store Mode', 'Auto');
  t.equal(await typist.ask('Measure,Start'), 'R+0004\r\n$');
  meter.card.insert();
  meter.card.fill(0);
  t.equal(await typist.ask('Measure,Start'), 'R+0004\r\n$');
  meter.card.fill(100);
  t.equal(await typist.ask('SD Card Free Size?'), 'R+0000\r\n100\r\n$');
  t.equal(await typist.ask('Measure,Start'), 'R+0000\r\n$');
});

t.test('an Auto start on an existing store name replaces it or is refused, as the profile says', async (t) => {
  for (const [rule, result] of [
    ['replace', 'R+0000'],
    ['refuse', 'R+0004'],
  ] as const) {
    const { meter, typist } = await typing(t, { auto_overwrite: rule });
    meter.set('Store Mode', 'Auto');
    await typist.ask('Measure,Start');
    await typist.ask('Measure,Stop');
    t.equal(await typist.ask('Overwrite?'), 'R+0000\r\nExist\r\n$');
    t.equal(await typist.ask('Measure,Start'), `${result}\r\n$`, rule);
  }
});

t.test('the store name may advance by itself after an Auto store', async (t) => {
  const { meter, typist } = await typing(t, { store_name_advances: true });
  meter.set('Store Mode', 'Auto');
  await typist.ask('Store Name,9999');
  await typist.ask('Measure,Start');
  await typist.ask('Measure,Stop');
  t.equal(await typist.ask('Store Name?'), 'R+0000\r\n0000\r\n$');
});

t.test('a user time is a number and then a unit that goes with it', async (t) => {
  const { typist } = await typing(t);
  t.match(await typist.ask('Measurement Time Manual (Num),90'), /^R\+0000/);
  t.match(await typist.ask('Measurement Time Manual (Unit),s'), /^R\+0002/);
  t.match(await typist.ask('Measurement Time Manual (Unit),h'), /^R\+0000/);
  const open = await (await rig(t, { user_time_range: 'any' })).client();
  await open.ask('Measurement Time Manual (Num),90');
  t.match(await open.ask('Measurement Time Manual (Unit),s'), /^R\+0000/);
  const closed = await (await rig(t, { user_time_words: 'refused' })).client();
  t.match(await closed.ask('Measurement Time Manual (Num),5'), /^R\+0002/);
});
