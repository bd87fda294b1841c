import t from 'tap';
import { COMMANDS } from '../../lib/drivers/nl43/spec/commands.ts';
import { readLine } from '../../simulator/grammar.ts';
import { DEFAULT_PROFILE, type Profile } from '../../simulator/profile.ts';

const read = (text: string, switches: Partial<Profile> = {}) => readLine(text, { ...DEFAULT_PROFILE, ...switches });
const value = (text: string, switches: Partial<Profile> = {}) => {
  const request = read(text, switches);
  return typeof request === 'string' ? request : request.kind === 'setting' ? request.value : request.fact.name;
};

t.test('case does not matter, and the canonical spelling is kept', async (t) => {
  t.equal(value('measure,START'), 'Start');
  t.equal(value('FREQUENCY weighting (MAIN),c'), 'C');
  t.equal(value('sleep mode?'), 'Sleep Mode');
});

t.test('spaces inside a name are neither left out nor doubled', async (t) => {
  for (const typed of [
    'ManualStore,Start',
    'Manual  Store,Start',
    'Frequency Weighting(Main)?',
    ' Clock?',
    'Clock ?',
  ]) {
    t.equal(value(typed), 'R+0001', typed);
  }
});

t.test('spaces after the comma may be there, unless the profile refuses them', async (t) => {
  t.equal(value('Measure, Start'), 'Start');
  t.equal(value('Measure,   Start'), 'Start');
  t.equal(value('Measure, Start', { spaces_after_comma: 'none' }), 'R+0002');
});

t.test('complaints come in order: name, direction, parameter', async (t) => {
  t.equal(value('Nonsense,Start'), 'R+0001');
  t.equal(value('Nonsense?'), 'R+0001');
  t.equal(value('Manual Store?'), 'R+0003', 'a request to an action');
  t.equal(value('Battery Level,Nonsense'), 'R+0003', 'a setting to a reading, before its parameter is looked at');
  t.equal(value('Measure,Nonsense'), 'R+0002');
});

t.test('a name alone is no command: captured', async (t) => {
  t.equal(value('Manual Store'), 'R+0001');
  t.equal(value('Measure'), 'R+0001');
  t.equal(value(''), 'R+0001');
});

t.test('text after the question mark is known for DRD alone', async (t) => {
  t.match(read('drd?STATUS'), { kind: 'request', fact: { name: 'DRD' }, status: true });
  t.match(read('DRD?'), { status: false });
  for (const typed of ['DOD?status', 'Clock? ', 'Clock??', 'Measure?,Start', 'System Version?VM']) {
    t.equal(value(typed), 'R+0001', typed);
  }
});

t.test('the clock takes one space between date and time, and only days that exist', async (t) => {
  t.equal(value('Clock,2025/12/24 01:11:41'), '2025/12/24 01:11:41');
  for (const wrong of [
    '2025/12/24,01:11:41',
    '2025/12/24  01:11:41',
    '2025-12-24 01:11:41',
    '25/12/24 01:11:41',
    '2025/02/29 01:11:41',
    '2025/12/24 24:00:00',
    '2025/12/24 01:60:00',
    '2022/12/31 23:59:59',
    '2080/01/01 00:00:00',
    '',
  ]) {
    t.equal(value(`Clock,${wrong}`), 'R+0002', wrong);
  }
});

t.test('numbers have a range, no sign and no more digits than their field', async (t) => {
  t.equal(value('Store Name,19'), '0019');
  t.equal(value('Store Name,0019'), '0019');
  t.equal(value('Store Name,0019', { number_padding: 'plain' }), '19');
  t.equal(value('Percentile 3,99'), '99');
  for (const wrong of ['Store Name,10000', 'Store Name,00019', 'Store Name,-1', 'Store Name,1.0', 'Percentile 3,0']) {
    t.equal(value(wrong), 'R+0002', wrong);
  }
});

t.test('a custom time in HH:MM:SS is no preset', async (t) => {
  t.equal(value('Measurement Time Preset Manual,00:05:30'), 'R+0002');
  t.equal(value('Measurement Time Preset Manual,12h'), 'R+0002');
  t.equal(value('Measurement Time Preset Manual,manual'), 'Manual');
});

t.test('units of user times come in letters, perhaps in words', async (t) => {
  t.equal(value('Measurement Time Manual (Unit),HOUR'), 'h');
  t.equal(value('Measurement Time Manual (Unit),min'), 'm');
  t.equal(value('Measurement Time Manual (Unit),min', { user_time_words: 'letters' }), 'R+0002');
});

t.test('a timer takes whole minutes', async (t) => {
  t.equal(value('Timer Auto Start Time,2026/01/01 08:00:00'), '2026/01/01 08:00:00');
  t.equal(value('Timer Auto Start Time,2026/01/01 08:00:30'), 'R+0002');
});

t.test('an address has four parts up to 255', async (t) => {
  t.equal(value('Ethernet IP,192.168.1.20'), '192.168.1.20');
  for (const wrong of ['192.168.1', '192.168.1.256', '192.168.1.20.5', 'meter']) {
    t.equal(value(`Ethernet IP,${wrong}`), 'R+0002', wrong);
  }
});

t.test('commands of an absent option are refused as the profile says, whatever follows the name', async (t) => {
  for (const typed of ['Frequency Weighting (Band)?', 'Frequency Weighting (Wave),nonsense']) {
    t.equal(value(typed), 'R+0003');
    t.equal(value(typed, { absent_option: 'R+0001' }), 'R+0001');
    t.equal(value(typed, { absent_option: 'R+0004' }), 'R+0004');
  }
});

t.test('Reset is not in the list; a profile may know it', async (t) => {
  t.equal(value('Reset'), 'R+0001');
  t.equal(value('Reset?'), 'R+0001');
  t.match(read('reset', { reset: 'restarts' }), { kind: 'setting', fact: { name: 'Reset' } });
});

t.test('every command of the list is known in the directions that the list gives', async (t) => {
  for (const fact of COMMANDS) {
    if (fact.option || fact.name === 'Reset') continue;
    t.match(read(`${fact.name}?`), fact.request ? { kind: 'request', fact } : /R\+0003/, `${fact.name}?`);
    t.equal(value(`${fact.name},\x01`), fact.set ? 'R+0002' : 'R+0003', `${fact.name},`);
  }
});
