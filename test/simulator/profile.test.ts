import t from 'tap';
import { BEHAVIOUR } from '../../simulator/behaviour.ts';
import { DEFAULT_PROFILE, loadProfile, type Profile, profileNames } from '../../simulator/profile.ts';
import { typing } from './rig.ts';

t.test('every named set holds switches that exist, with values that they take', async (t) => {
  t.same(profileNames(), ['chatty', 'default', 'instant', 'lan', 'lenient', 'lte', 'strict', 'terse']);
  for (const name of profileNames()) t.same(Object.keys(loadProfile(name)), Object.keys(BEHAVIOUR), name);
});

t.test('the default set is the defaults', async (t) => {
  t.same(loadProfile(), DEFAULT_PROFILE);
  t.same(loadProfile('default'), DEFAULT_PROFILE);
});

t.test('a default is a value that its switch takes, and every switch tells its evidence', async (t) => {
  t.doesNotThrow(() => loadProfile({ ...DEFAULT_PROFILE }));
  for (const [name, rule] of Object.entries(BEHAVIOUR)) t.ok(rule.evidence.grade, name);
});

t.test('a wrong switch or value is named with what it takes', async (t) => {
  const load = (switches: Record<string, unknown>) => () => loadProfile(switches as Partial<Profile>);
  t.throws(load({ prompt_on_conect: true }), /no switch "prompt_on_conect"/);
  t.throws(load({ toString: true }), /no switch "toString"/);
  t.throws(load({ busy_input: 'ignored' }), /busy_input takes "refused" or "swallowed" or "queued", not "ignored"/);
  t.throws(load({ slot_free_delay_ms: -1 }), /a number from 0 to 60000/);
  t.throws(load({ think_query_ms: [20, 0] }), /\[from, to\]/);
  t.throws(load({ think_query_ms: 20 }), /\[from, to\]/);
  t.throws(() => loadProfile('../../package'), /no profile/);
});

t.test('a meter of every named set answers a request', async (t) => {
  for (const name of profileNames()) {
    const { clock, typist } = await typing(t, {}, { profile: name });
    typist.type('Pause?\r\n');
    t.match(await clock.until(typist.take('Off\r\n')), /R\+0000\r\nOff\r\n/, name);
  }
});
