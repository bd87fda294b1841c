/** Instances that share meters out: each serves sessions of its own, one is the gateway. */
import type { Test } from 'tap';
import { WebSocket } from 'ws';
import { loadProfile, type SimulatedMeter, startMeter } from '../../../simulator/index.ts';
import { configOf } from '../../support/world.ts';
import { openPair, type SharedDatabase } from './pair.ts';

interface Known {
  readonly name: string;
  readonly units: number;
}

/** Instances and meters; the configs of the meters are made. */
export async function openSharing(
  t: Test,
  open: (t: Test) => Promise<SharedDatabase>,
  names: readonly string[],
  count: number,
  more: object = {},
) {
  const pair = await openPair(t, open, { share_meters: true });
  const { clock, passing, begin, ask, until } = pair;
  const meters: SimulatedMeter[] = [];
  for (let seed = 2; seed < 2 + count; seed += 1)
    meters.push(await startMeter({ clock, profile: loadProfile('instant'), soundStepMs: 100, seed }));
  t.teardown(() => passing(Promise.all(meters.map((meter) => meter.stop()))));
  const instances: Awaited<ReturnType<typeof begin>>[] = [];
  for (const name of names) instances.push(await begin(name));
  const [first] = instances;
  if (!first) throw new Error('there is no instance');
  for (const [index, meter] of meters.entries()) {
    const { status } = await ask('PUT', `${first.base}/m${index}/config`, { ...configOf(meter), ...more });
    t.equal(status, 200);
  }
  /** How many units each of them serves, by name. */
  const served = async (base = first.base): Promise<Record<string, number>> => {
    const { json } = await ask('GET', `${base}/_cluster`);
    return Object.fromEntries((json.data ?? []).map(({ name, units }: Known) => [name, units]));
  };
  /** Until the units are where they stay. */
  const atRest = async (base = first.base) => {
    let before = '';
    for (let same = 0; same < 8; ) {
      await pair.pass(5_000, { stepMs: 100 });
      const now = JSON.stringify(await served(base));
      same = now === before ? same + 1 : 0;
      before = now;
    }
    return served(base);
  };
  const unitsOf = async (base = first.base) => {
    const answers = meters.map((_, index) => ask('GET', `${base}/m${index}/live`));
    return (await Promise.all(answers)).map(({ status }) => status);
  };
  const knocks = () => meters.flatMap(({ log }) => log.events.filter(({ kind }) => kind === 'held'));
  const watch = (base: string, unitId: string) => {
    const socket = new WebSocket(`${base.replace('http', 'ws')}/${unitId}/live`);
    const frames: { counter?: number }[] = [];
    socket.on('message', (text) => frames.push(JSON.parse(String(text))));
    socket.on('error', () => {});
    t.teardown(() => socket.terminate());
    return frames;
  };
  /** How much of each second of this time each unit has, 0 to 1. */
  const coverages = async (base: string, from: number, to: number): Promise<number[][]> => {
    const iso = (at: number) => new Date(Math.floor(at / 1_000) * 1_000).toISOString();
    const query = new URLSearchParams({ from: iso(from), to: iso(to), step: '1s', quantities: 'leq' });
    const answers = meters.map((_, index) => ask('GET', `${base}/m${index}/history?${query}`));
    type Row = [string, number | null, number];
    return (await Promise.all(answers)).map(({ json }) =>
      json.data.rows.map(([, leq, coverage]: Row) => (leq === null ? 0 : coverage)),
    );
  };
  /** How many whole seconds of it. */
  const seconds = async (...time: Parameters<typeof coverages>): Promise<number[]> =>
    (await coverages(...time)).map((parts) => parts.filter((part) => part === 1).length);
  const gatewayOf = () => instances.find(({ instance }) => instance.gateway());
  return {
    ...pair,
    meters,
    instances,
    first,
    served,
    atRest,
    unitsOf,
    knocks,
    watch,
    gatewayOf,
    coverages,
    seconds,
    until,
  };
}

/** What a database of the computer's own time can show in a few seconds. */
export async function metersAreGivenAway(t: Test, open: (t: Test) => Promise<SharedDatabase>): Promise<void> {
  await t.test('an instance that leaves in order gives its meters to the others at once', async (t) => {
    const { instances, atRest, unitsOf, knocks, passing, clock, until, served } = await openSharing(
      t,
      open,
      ['one', 'two'],
      4,
    );
    const [one, two] = instances;
    await atRest();
    const before = clock.elapsed();
    if (two) await passing(two.instance.stop());
    await until(() => true, 100);
    for (let tries = 0; tries < 50 && (await served()).one !== 4; tries += 1) await clock.pass(100);
    t.equal((await served()).one, 4);
    t.ok(clock.elapsed() - before < 20_000, 'without waiting for silence');
    t.strictSame(await unitsOf(one?.base), [200, 200, 200, 200]);
    t.strictSame(knocks(), []);
  });
}

/** Runs the suite. */
export async function sharingKeepsPromises(t: Test, open: (t: Test) => Promise<SharedDatabase>): Promise<void> {
  await t.test('each instance serves meters, and either answers for all', async (t) => {
    const names = ['one', 'two'];
    const { instances, first, ask, atRest, unitsOf, knocks, watch, clock, meters } = await openSharing(
      t,
      open,
      names,
      4,
    );
    t.strictSame(await atRest(), { one: 1, two: 3 }, 'the gateway has other work, too');
    const sessions = await Promise.all(meters.map((_, index) => ask('GET', `${first.base}/m${index}/session`)));
    const serving = sessions.map(({ json }) => json.data.instance).toSorted();
    t.strictSame(serving, ['one', 'two', 'two', 'two'], 'each meter says by which one it is served');
    const { text } = await ask('GET', `http://127.0.0.1:${first.instance.port}/metrics`);
    t.match(text, /^slm_instance_units\{member="two"\} 3$/m);
    t.match(text, /^slm_units_unowned 0$/m);
    for (const { base } of instances) t.strictSame(await unitsOf(base), [200, 200, 200, 200]);
    const frames = meters.map((_, index) => watch(instances[index % 2]?.base ?? '', `m${index}`));
    for (let tries = 0; tries < 300 && frames.some((some) => some.length < 20); tries += 1) await clock.pass(100);
    for (const some of frames) t.ok(some.length >= 20, 'a stream comes through');
    t.strictSame(knocks(), [], 'no meter saw two of them');
  });

  await metersAreGivenAway(t, open);

  await t.test('a meter can be asked right after its config was made, changed and made again', async (t) => {
    const { first, instances, meters, ask, clock, atRest } = await openSharing(t, open, ['one', 'two'], 2);
    t.equal((await ask('GET', `${instances[1]?.base}/m1/live`)).status, 200, 'at once');
    await atRest();
    const [own, other] = meters;
    if (!own || !other) throw new Error('there are no meters');
    t.equal(
      (await ask('PUT', `${first.base}/m0/config`, { tcp_port: other.tcpPort, ftp_port: other.ftpPort })).status,
      200,
    );
    t.equal((await ask('GET', `${first.base}/m0/live`)).status, 200);
    await clock.pass(2_000);
    t.equal((await ask('DELETE', `${first.base}/m0/config`)).status, 200);
    t.equal((await ask('GET', `${first.base}/m0/live`)).status, 404);
    t.equal((await ask('PUT', `${first.base}/m0/config`, configOf(own))).status, 200);
    t.equal((await ask('GET', `${first.base}/m0/live`)).status, 200, 'made again');
  });

  await t.test(
    'an instance without the setting that becomes the gateway takes all meters after the others have let go of them',
    async (t) => {
      const { begin, first, atRest, unitsOf, knocks, passing, pass, takesOver, watch, clock, served, meters } =
        await openSharing(t, open, ['one'], 4, { history: 'stream' });
      const alone = await begin('alone', 'alone', { share_meters: false });
      const two = await begin('two');
      t.strictSame(await atRest(), { one: 1, alone: 0, two: 3 });
      const frames = meters.map((_, index) => watch(first.base, `m${index}`));
      for (let tries = 0; tries < 100 && frames.some((some) => some.length < 10); tries += 1) await clock.pass(100);
      // It does not hear of the change, and goes on with its meters until its lease is over.
      two.store.isAway = true;
      await passing(first.instance.stop());
      await pass(30_000, { stepMs: 100 });
      t.notOk(alone.instance.gateway(), 'it may have to wait');
      await takesOver(alone.instance, 100);
      t.ok(alone.instance.gateway());
      t.strictSame(await unitsOf(alone.base), [200, 200, 200, 200]);
      t.strictSame(knocks(), [], 'no meter saw two of them');
      t.strictSame(Object.values(await served(alone.base)), [null, null, null], 'they are not shared out any more');
    },
  );

  await t.test(
    'a run of a schedule that falls due while gateway or meters change hands comes once, and none is passed over in silence',
    async (t) => {
      const { instances, atRest, ask, begin, passing, pass, takesOver, clock } = await openSharing(
        t,
        open,
        ['one', 'two'],
        2,
      );
      const [one, two] = instances;
      if (!one || !two) throw new Error('there are no instances');
      await atRest();
      const entries = [{ cron: '* * * * *', action: 'clock_sync' }];
      for (const unit of ['m0', 'm1'])
        t.equal((await ask('PUT', `${one.base}/${unit}/schedule`, { zone: 'UTC', entries })).status, 200);
      const from = clock.now();
      const untilFull = () => pass(60_000 - (clock.now() % 60_000) - 1_500, { stepMs: 100 });
      await untilFull();
      await passing(one.instance.stop());
      await takesOver(two.instance, 100);
      await pass(70_000, { stepMs: 100 });
      const again = await begin('one');
      t.strictSame(await atRest(two.base), { one: 2, two: 0 });
      await untilFull();
      again.store.isAway = true;
      await pass(130_000, { stepMs: 100 });
      again.store.isAway = false;
      await atRest(two.base);
      const to = clock.now();
      const minutes = Math.floor(to / 60_000) - Math.floor(from / 60_000);
      t.ok(minutes >= 5);
      for (const unit of ['m0', 'm1']) {
        const { recent } = (await ask('GET', `${two.base}/${unit}/schedule`)).json.data;
        const { data: jobs } = (await ask('GET', `${two.base}/_jobs?unit=${unit}&kind=clock-sync&limit=100`)).json;
        t.equal(new Set(recent.map(({ due }: { due: string }) => due)).size, minutes, 'each minute is told');
        const named = recent.flatMap(({ job }: { job: string | null }) => job ?? []);
        t.strictSame(jobs.map(({ id }: { id: string }) => id).toSorted(), named.toSorted(), 'no job without its run');
        const failed = jobs.filter(({ state }: { state: string }) => state === 'failed');
        t.strictSame(failed, [], 'and each waits until the meter is served again');
      }
    },
  );

  await t.test('an instance that the gateway does not reach gets no meters, and is told', async (t) => {
    const { begin, first, atRest, unitsOf, ask, lines, passing } = await openSharing(t, open, ['one'], 4);
    const health = async () => (await ask('GET', `http://127.0.0.1:${first.instance.port}/health`)).json.problems;
    // Nobody listens there.
    const lost = await begin('two', 'two', { instance_address: 'http://127.0.0.1:1' });
    t.strictSame(await atRest(), { one: 4, two: 0 });
    const three = await begin('three');
    t.strictSame(await atRest(), { one: 1, two: 0, three: 3 }, 'the others share them');
    t.strictSame(await unitsOf(), [200, 200, 200, 200]);
    t.match(await health(), [
      {
        part: 'instances',
        detail:
          /^The instance two shares meters and is not reached, or never for long, at its instance_address, so it is/,
      },
    ]);
    t.ok(lines.some((line) => line.includes('another instance cannot be linked')));
    await passing(three.instance.stop());
    t.strictSame(await atRest(), { one: 4, two: 0, three: 0 }, 'nor does it take those of one that leaves');
    t.strictSame(await unitsOf(), [200, 200, 200, 200]);
    await passing(lost.instance.stop());
    await begin('three');
    await begin('two');
    t.strictSame(await atRest(), { one: 0, two: 2, three: 2 }, 'with its right address it gets its share');
    t.equal(await health(), undefined);
  });

  await t.test('when the gateway leaves in order no level of a meter of the others is lost', async (t) => {
    const { instances, atRest, passing, clock, pass, takesOver, seconds, knocks } = await openSharing(
      t,
      open,
      ['one', 'two'],
      4,
      { history: 'stream' },
    );
    const [one, two] = instances;
    if (!one || !two) throw new Error('there are no instances');
    await atRest();
    await pass(20_000, { stepMs: 100 });
    const from = clock.now() - 10_000;
    await passing(one.instance.stop());
    await takesOver(two.instance, 100);
    await pass(30_000, { stepMs: 100 });
    const whole = await seconds(two.base, from, from + 30_000);
    // The second in which the gateway changes is in two parts.
    t.equal(whole.filter((count) => count >= 29).length, 3, whole.join(' '));
    t.strictSame(knocks(), []);
  });

  await t.test('when the gateway is lost the levels of meters elsewhere go on and have no gap', async (t) => {
    const { instances, atRest, clock, pass, takesOver, seconds, knocks, unitsOf } = await openSharing(
      t,
      open,
      ['one', 'two'],
      4,
      { history: 'stream' },
    );
    const [one, two] = instances;
    if (!one || !two) throw new Error('there are no instances');
    await atRest();
    const from = clock.now() - 5_000;
    one.store.isAway = true;
    await pass(60_000, { stepMs: 100 });
    await takesOver(two.instance, 100);
    await pass(20_000, { stepMs: 100 });
    const whole = await seconds(two.base, from, from + 75_000);
    t.equal(whole.filter((count) => count >= 74).length, 3, whole.join(' '));
    t.ok(whole.every((count) => count > 0));
    t.strictSame(await unitsOf(two.base), [200, 200, 200, 200]);
    t.strictSame(knocks(), [], 'no meter saw two of them');
  });

  await t.test('an instance that serves and is cut off ends its sessions before others begin', async (t) => {
    const { instances, atRest, pass, unitsOf, knocks, served, ask } = await openSharing(t, open, ['one', 'two'], 4);
    const [one, two] = instances;
    if (!one || !two) throw new Error('there are no instances');
    await atRest();
    await unitsOf(one.base);
    two.store.isAway = true;
    await pass(45_000, { stepMs: 100 });
    const answers = await unitsOf(one.base);
    t.strictSame(answers.toSorted(), [200, 503, 503, 503], 'nobody has them for a while');
    const { unowned } = (await ask('GET', `${one.base}/_cluster`)).json;
    t.equal(unowned.length, 3);
    t.match(unowned[0], { unit_id: /^m\d$/, why: /^The instance two had it and is silent/ });
    const statuses = await ask('GET', `${one.base}/_status`);
    t.equal(statuses.json.data.length, 4);
    t.match((await ask('GET', `http://127.0.0.1:${one.instance.port}/health`)).json.problems, [
      { part: 'instances', detail: /^The instance two is silent: nobody can ask the 3 meters that it serves/ },
    ]);
    await pass(40_000, { stepMs: 100 });
    t.equal((await served()).one, 4);
    t.strictSame((await ask('GET', `${one.base}/_cluster`)).json.unowned, []);
    t.strictSame(await unitsOf(one.base), [200, 200, 200, 200]);
    two.store.isAway = false;
    await atRest();
    t.strictSame(await served(), { one: 1, two: 3 });
    t.strictSame(await unitsOf(two.base), [200, 200, 200, 200]);
    t.strictSame(knocks(), []);
  });
}
