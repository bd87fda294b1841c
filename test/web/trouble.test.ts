/** Texts of the dashboard about a meter in trouble, for each state of docs/operating.md. */
import t from 'tap';
import type { LastError, Unit } from '../../client/index.ts';
import { areLevelsOld, isLpOld, stateWord, troublesOf } from '../../web/state/trouble.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const ago = (seconds: number): string => new Date(NOW - seconds * 1_000).toISOString();
const error = (code: string, detail: string): LastError => ({ code, detail, at: ago(5), resolved_at: null });

const unit = (part: Partial<Unit> = {}): Unit =>
  ({
    unit_id: 'roof',
    tcp_enabled: true,
    poll_enabled: true,
    stale_after_s: 30,
    levels_stale_after_s: 30,
    state: 'online',
    measurement_state: 'Measure',
    measured_at: ago(2),
    lp_at: ago(2),
    lp: 54.3,
    leq: 53.1,
    frozen: false,
    implausible: false,
    over_range: false,
    warning: null,
    last_error: null,
    battery_level: 100,
    power_source: 'Battery',
    sd_free_ratio: 90,
    ...part,
  }) as Unit;

const first = (part: Partial<Unit>) => troublesOf(unit(part), NOW)[0];

t.test('a meter that is well has no trouble', async (t) => {
  t.strictSame(troublesOf(unit(), NOW), []);
  t.match(stateWord(unit()), { word: 'Measuring', look: 'measuring' });
  t.match(stateWord(unit({ measurement_state: 'Stop' })), { word: 'Stopped' });
});

t.test('a reason that an alert has said is not said again', async (t) => {
  const refused = error('DEVICE_UNREACHABLE', 'The meter roof refused the connection.');
  const [away] = troublesOf(unit({ state: 'offline', last_error: refused }), NOW, `Lost: ${refused.detail} See below.`);
  t.match(away, { what: 'The meter cannot be reached.', todo: /^Check its power, its link/ });
});

t.test('each trouble has its words, what to do, and a look of its own', async (t) => {
  const timeout = error('DEVICE_TIMEOUT', 'The meter roof did not answer within 5 s.');
  const refused = error('DEVICE_UNREACHABLE', 'The meter roof refused the connection.');
  const garbled = error('DEVICE_GARBLED', 'The meter roof answered something that cannot be read.');
  for (const [name, part, what, todo] of [
    ['wedge', { state: 'wedged' }, /takes no more connections/, /switch its power off/],
    ['asleep', { state: 'asleep?' }, /seems to be asleep/, /Wake it at its keys/],
    [
      'unserved',
      { state: 'offline', last_error: timeout },
      /cannot be reached/,
      /within 5 s.*another client has the meter/,
    ],
    ['refused', { state: 'offline', last_error: refused }, /cannot be reached/, /refused.*TCP is on in its menu/],
    ['garbled', { state: 'offline', last_error: garbled }, /cannot be reached/, /cable, converter and modem/],
    ['frozen', { frozen: true }, /do not change/, /Stop and start/],
    ['implausible', { implausible: true }, /impossible level/, /microphone/],
    ['over range', { over_range: true }, /Over range/, /too low/],
    ['battery', { battery_level: 25 }, /battery is at 25 %/, /Change the batteries/],
    ['card', { sd_free_ratio: 4 }, /Only 4\.0 % of the card/, /change the card/],
  ] as const) {
    t.match(first(part), { kind: 'act', what, todo }, name);
  }
  const looks = [{ state: 'offline' }, { state: 'wedged' }, { state: 'asleep?' }, { frozen: true }] as const;
  t.equal(new Set(looks.map((part) => stateWord(unit(part)).look)).size, looks.length);
});

t.test('trouble that the gateway solves by itself needs no person', async (t) => {
  const degraded = { state: 'degraded', last_error: error('DEVICE_TIMEOUT', 'Late.') } as const;
  t.match(first(degraded), { kind: 'wait', what: /last command failed\. Late\./ });
  t.match(first({ tcp_enabled: false }), { kind: 'wait', what: /Switched off here/ });
  t.match(first({ warning: 'The meter gave no Lpeak.' }), { kind: 'wait', what: 'The meter gave no Lpeak.' });
});

t.test('trouble that needs a person comes first', async (t) => {
  const troubles = troublesOf(unit({ warning: 'A warning.', battery_level: 5 }), NOW);
  t.strictSame(
    troubles.map(({ kind }) => kind),
    ['act', 'wait'],
  );
});

t.test('nothing old looks fresh: from the age that the gateway tells, each level for itself', async (t) => {
  const streamed = (seconds: number) =>
    unit({ measured_at: ago(seconds), lp_at: ago(1), stale_after_s: 6, levels_stale_after_s: 900 });
  t.strictSame([isLpOld(streamed(900), NOW), areLevelsOld(streamed(900), NOW)], [false, false]);
  t.strictSame([isLpOld(streamed(901), NOW), areLevelsOld(streamed(901), NOW)], [false, true]);
  const ended = unit({ measured_at: ago(60), lp_at: ago(7), stale_after_s: 6, levels_stale_after_s: 900 });
  t.strictSame([isLpOld(ended, NOW), areLevelsOld(ended, NOW)], [true, true], 'the stream has ended since');
  const silent = unit({ measured_at: ago(31), lp_at: ago(31) });
  t.strictSame([isLpOld(silent, NOW), areLevelsOld(silent, NOW)], [true, true]);
  t.match(troublesOf(silent, NOW), [{ kind: 'wait', what: /^The levels are from .* 31 s ago\.$/ }]);
  t.ok(isLpOld(unit({ measured_at: null, lp_at: null }), NOW), 'what was never measured is not fresh');
});
