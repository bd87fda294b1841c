/** Notes and exclusions on the command line. */
import t from 'tap';
import { openWorld } from '../support/world.ts';
import { slm } from './setup.ts';

const world = await openWorld(t);

t.test('a time is excluded while it goes on, ended, listed and counted again', async (t) => {
  const words = ['note', 'add', 'sim-1', '--exclude', '--reason', 'own_noise', 'We cut the hedge'];
  t.match(await slm(world, words), { code: 0, out: /^The exclusion 1 is written\.$/m });
  t.match(await slm(world, words), { code: 2, err: /the exclusion 1 has the same reason/i }, 'once is enough');
  t.match(
    (await slm(world, 'note list')).out,
    /^1 +sim-1 +exclusion +own_noise .* goes on +all +\S+ +We cut the hedge$/m,
  );
  await world.pass(1_000);
  t.match(await slm(world, 'note end sim-1 1'), { code: 0, out: /is changed/ });
  const ended = (await slm(world, 'note list sim-1 --json')).json;
  t.match(ended, [{ version: 2, to: /T/ }]);
  await world.pass(1_000);
  const again = await slm(world, 'note end sim-1 1');
  t.match(again, { code: 2, err: /no note or exclusion 1 of sim-1 goes on/ }, 'the time since then is not excluded');
  t.strictSame((await slm(world, 'note list sim-1 --json')).json, ended);
  const { to } = ended[0];
  const earlier = new Date(Date.parse(to) - 500).toISOString();
  t.match(await slm(world, `note end sim-1 1 --to ${earlier} --json`), { code: 0 });
  t.match((await slm(world, 'note list sim-1 --json')).json, [{ to: earlier }]);
  const changed = ['note', 'change', 'sim-1', '1'];
  t.match(await slm(world, [...changed, 'Grass, too', '--reason', 'other']), { code: 0, out: /is changed/ });
  t.match((await slm(world, 'note list sim-1 --json')).json, [
    { kind: 'exclusion', text: 'Grass, too', reason: 'other', to: earlier, channels: null },
  ]);
  t.match(await slm(world, [...changed, '--channels', 'main', '--json']), {
    json: { text: 'Grass, too', channels: ['main'] },
  });
  t.match(await slm(world, [...changed, '--channels', 'all', '--json']), { json: { channels: null } });
  t.match(await slm(world, [...changed, '']), { code: 0 }, 'a text can be emptied');
  t.match(await slm(world, changed), { code: 2, err: /nothing is to be changed: give a text, --reason/ });
  t.match(await slm(world, [...changed, '--reason', 'snow']), { code: 2, err: /reason/ });
  t.match(await slm(world, 'note change sim-1 99 x'), { code: Number, err: /no note/i });
  t.match(await slm(world, 'note remove sim-1 1'), { code: 0, out: /is removed/ });
  t.match((await slm(world, 'note list')).out, /No notes/);
  t.match(await slm(world, 'note add sim-1 --from 2h --to 3h'), { code: 2, err: /later than from/ });
});

t.test(
  'a note is of the channels that are named, and a span without length is refused however slow the clock is',
  async (t) => {
    const words = ['note', 'add', 'sim-1', '--exclude'];
    const add = (...more: string[]) => slm(world, [...words, ...more]);
    const some = await add('--from', '2h', '--to', '1h', '--channels', 'sub1,sub2', '--json');
    t.match(some.json, { channels: ['sub1', 'sub2'] });
    t.match((await slm(world, 'note list sim-1')).out, / sub1,sub2 +\S+/);
    t.match(await add('--channels', 'sub9'), { code: 2, err: /is no channel of this meter/ });
    let at = world.clock.now();
    const around = {
      now: () => {
        at += 1;
        return at;
      },
    };
    t.match(await slm(world, [...words, '--from', '1h', '--to', '1h'], around), { code: 2, err: /later than from/ });
  },
);
