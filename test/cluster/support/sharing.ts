/** Instances that share meters out: each serves sessions of its own, one is the gateway. */
import type { Test } from 'tap';
import { WebSocket } from 'ws';
import type { Instance } from '../../../lib/app/instance.ts';
import { loadProfile, type SimulatedMeter, startMeter } from '../../../simulator/index.ts';
import { configOf } from '../../support/world.ts';
import { openPair, type SharedDatabase } from './pair.ts';

interface Known {
  readonly name: string;
  readonly units: number;
}

/** Instances and meters; the configs of the meters are made. */
async function openSharing(
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
  const gatewayOf = () => instances.find(({ instance }) => instance.gateway());
  return { ...pair, meters, instances, first, served, atRest, unitsOf, knocks, watch, gatewayOf, until };
}

/** Runs the suite. */
export async function sharingKeepsPromises(t: Test, open: (t: Test) => Promise<SharedDatabase>): Promise<void> {
  await t.test('each instance serves meters, and either answers for all', async (t) => {
    const { instances, atRest, unitsOf, knocks, watch, clock, meters } = await openSharing(t, open, ['one', 'two'], 4);
    t.strictSame(await atRest(), { one: 1, two: 3 }, 'the gateway has other work, too');
    for (const { base } of instances) t.strictSame(await unitsOf(base), [200, 200, 200, 200]);
    const frames = meters.map((_, index) => watch(instances[index % 2]?.base ?? '', `m${index}`));
    for (let tries = 0; tries < 300 && frames.some((some) => some.length < 20); tries += 1) await clock.pass(100);
    for (const some of frames) t.ok(some.length >= 20, 'a stream comes through');
    t.strictSame(knocks(), [], 'no meter saw two of them');
  });

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

export type Shared = { readonly instance: Instance };
