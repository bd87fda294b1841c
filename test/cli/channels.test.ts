/** `slm` asks for a channel of the meter, and says which are recorded. */
import t from 'tap';
import { openWorld } from '../support/world.ts';
import { slm } from './setup.ts';

const DAY = '2025-12-21';
const SPAN = ['--from', DAY, '--to', '2025-12-22'];

t.test('history, indices, assessment and events are of the channel that is named', async (t) => {
  const world = await openWorld(t);
  const levels = { main: ['A', 45.3], sub1: ['C', 55.3] } as const;
  for (const [channel, [frequency, leq]] of Object.entries(levels)) {
    const rows = Array.from({ length: 24 }, (_, hour) => `${DAY}T${String(hour).padStart(2, '0')}:00:00Z,3600,${leq}`);
    const { status } = await world.ask(
      'POST',
      `/sim-1/history/import?channel=${channel}&frequency_weighting=${frequency}`,
      { raw: ['start,duration_s,leq', ...rows].join('\n'), headers: { 'Content-Type': 'text/csv' } },
    );
    t.equal(status, 202);
  }
  const history = (...more: string[]) => slm(world, ['history', 'sim-1', ...SPAN, '--zone', 'UTC', '--json', ...more]);
  t.match((await history('--quantities', 'leq')).json, { channel: 'main', rows: [[String, 45.3]] });
  t.match((await history('--quantities', 'leq', '--channel', 'sub1')).json, {
    channel: 'sub1',
    rows: [[String, 55.3]],
  });
  t.match((await history('--quantities', 'laeq,lceq')).json, { rows: [[String, 45.3, 55.3]] });
  const wrong = await history('--channel', 'sub9');
  t.match(wrong, { code: 2, err: /sub1, sub2, sub3/ });
  const indices = await slm(world, ['indices', 'sim-1', ...SPAN, '--zone', 'UTC', '--channel', 'sub1', '--json']);
  t.match(indices.json, { channel: 'sub1', days: [{ lday: 55.3 }] });
  const assessed = await slm(world, ['assessment', 'sim-1', ...SPAN, '--channel', 'sub1', '--json']);
  t.match(assessed.json, { channel: 'sub1', weighting: { frequency: 'C' } });
  const events = await slm(world, ['events', 'sim-1', ...SPAN, '--threshold', '50', '--channel', 'sub1', '--json']);
  t.match(events.json, { weighting: { frequency: 'C' } });
});

t.test('add and edit say which channels are recorded', async (t) => {
  const world = await openWorld(t);
  await slm(world, 'add yard 192.0.2.1 --history stream --history-channels main,sub1');
  t.match((await slm(world, 'config yard --json')).json, { history_channels: ['main', 'sub1'] });
  const edited = await slm(world, 'edit yard history_channels=main --json');
  t.match(edited.json, { history_channels: ['main'] });
  t.match(await slm(world, 'edit yard history_channels=main,sub7'), { code: 2, err: /sub1, sub2, sub3/ });
});

t.test('a kept report is about the channel that is named', async (t) => {
  const world = await openWorld(t);
  const add = (channel: string) =>
    slm(world, `reports add C sim-1 --channel ${channel} --paper letter --periods us --json`);
  t.match(await add('sub9'), { code: 2, err: /sub1, sub2, sub3/ });
  t.match(await add('sub1'), { code: 2, err: /is not recorded for sim-1/ });
  await slm(world, 'edit sim-1 history_channels=main,sub1');
  t.match((await add('sub1')).json, { id: '1', channel: 'sub1', paper: 'letter', periods: 'us', warnings: [] });
});
