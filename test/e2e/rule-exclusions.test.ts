/** A rule leaves out excluded time, unless it says otherwise. It makes no event, says that it gets no levels, and goes on after the exclusion. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

const MINUTE = 60_000;
const iso = (ms: number) => new Date(ms).toISOString();
const LIMIT = { units: ['sim-1'], kind: 'level', quantity: 'leq', window: '1m', limit_db: 70, continue: false };

t.test('an open exclusion silences the rules that apply exclusions, and no other', async (t) => {
  const world = await openWorld(t);
  world.meter.instrument.play({ steadyDb: 50 });
  await world.put('/sim-1/config', { history: 'stream', timezone: 'UTC' });
  await world.until('frames', () => world.meter.log.commands.some((command) => command.startsWith('DRD?')));
  const make = async (rule: object) => (await world.post('/_alerts/rules', { ...LIMIT, ...rule })).body;
  t.match(await make({ name: 'applies' }), { data: { exclusions: 'apply' } }, 'usually excluded time is left out');
  await make({ name: 'all', exclusions: 'ignore' });
  await make({ name: 'applies, sliding', exclusions: 'apply', align: 'sliding' });
  await make({ name: 'all, sliding', exclusions: 'ignore', align: 'sliding' });
  t.match(await world.post('/_alerts/rules', { ...LIMIT, name: 'x', exclusions: 'some' }), {
    status: 422,
    body: { errors: [{ path: '/exclusions' }] },
  });
  const rung = async () => {
    const { data } = (await world.get('/_alerts/events')).body;
    return [...new Set(data.map((event: { rule_name: string }) => event.rule_name))].toSorted();
  };
  const warned = async () => {
    const { data } = (await world.get('/_alerts/rules')).body;
    return data.map((rule: { name: string; warnings: readonly { message: string }[] }) => [
      rule.name,
      rule.warnings.map(({ message }) => message),
    ]);
  };
  t.ok((await warned()).every(([, messages]: [string, string[]]) => messages.length === 0));

  await world.nextMinute(1_000);
  const note = await world.post('/sim-1/notes', { kind: 'exclusion', reason: 'own_noise' });
  t.equal(note.status, 201);
  world.meter.instrument.play({ steadyDb: 90 });
  const loud = await world.nextMinute();
  await world.nextMinute(40_000);
  t.strictSame(await rung(), ['all', 'all, sliding']);
  const hears = ['The levels of sim-1 are excluded now, so this rule gets no levels there until the exclusion ends.'];
  t.strictSame(Object.fromEntries(await warned()), {
    all: [],
    'all, sliding': [],
    applies: hears,
    'applies, sliding': hears,
  });
  const budgets = (await world.get('/sim-1/budget')).body.data;
  t.match(
    budgets.filter(({ name }: { name: string }) => name === 'applies'),
    [{ state: 'no_data', measured_s: 0, leq_so_far: null }],
    'what is left out is no low level',
  );

  // Records from before a start are left out, too.
  await world.restart(1_000);
  await world.nextMinute(30_000);
  t.strictSame(await rung(), ['all', 'all, sliding']);
  const preview = async (rule: object) => {
    const span = { from: iso(loud), to: iso(loud + MINUTE) };
    return (await world.post('/_alerts/rules/preview', { rule: { ...LIMIT, name: 'x', ...rule }, ...span })).body.data;
  };
  t.equal((await preview({ exclusions: 'ignore' })).length, 1);
  t.strictSame(await preview({}), [], 'a trial says the same');

  await world.put(`/sim-1/notes/${note.body.data.id}`, { to: iso(world.clock.now()) });
  await world.nextMinute();
  await world.nextMinute(40_000);
  t.strictSame(await rung(), ['all', 'all, sliding', 'applies', 'applies, sliding'], 'the exclusion has ended');
});
