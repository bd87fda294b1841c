/** A package of evidence of a meter at work: an alert, seconds with flags, a setting that changed, records of the audit log. */
import type { Test } from 'tap';
import { repacked } from './evidence-attacks.ts';
import { downloaded, madePackage } from './packages.ts';
import { openWorld } from './world.ts';

const SECOND = { steps: 10, lmax: 90, lmin: 88, lpeak: 101, leq: 89 };

/** Its bytes. The rule of the alert is called "Night"; the setting is the interval of Lp, from 100 ms to 1 s. */
export async function packageOfWork(t: Test): Promise<Buffer> {
  const world = await openWorld(t);
  const text = (ms: number) => new Date(ms).toISOString();
  await world.put('/sim-1/lp-interval', { preset: '100ms' });
  await world.pass(2_000);
  const from = text(world.clock.now());
  await world.put('/sim-1/config', { timezone: 'Asia/Kathmandu', history: 'stream' });
  await world.put('/sim-1/lp-interval', { preset: '1s' });
  const rule = { name: 'Night', units: ['sim-1'], kind: 'level', quantity: 'leq', window: '1m', limit_db: 70 };
  await world.post('/_alerts/rules', { ...rule, align: 'sliding', record: false });
  world.meter.instrument.play({ steadyDb: 90 });
  for (let waited = 0; (await world.get('/_alerts/events')).body.data.length === 0; waited += 1) {
    if (waited === 300) throw new Error('there is no alert');
    await world.pass(1_000);
  }
  const at = Math.floor(world.clock.now() / 1_000) - 1;
  world.gateway.history.append({
    unitId: 'sim-1',
    source: 'card',
    weighting: { frequency: 'A', time: 'F' },
    seconds: [{ ...SECOND, at, lp: Array<number>(10).fill(89), flags: { over: true, frozen: true } }],
  });
  await world.gateway.history.flush();
  await world.pass(2_000);
  const { href } = await madePackage(world, { from, to: text(world.clock.now()) });
  return (await downloaded(world, href)).bytes;
}

interface Damage {
  /** The change, in words. */
  readonly name: string;
  /** Which file a verifier must name. */
  readonly file: RegExp;
  /** Where in the file, as a pattern. */
  readonly place: string;
  readonly from: string;
  readonly to: string;
}

/** One word of each part is another one. */
export const DAMAGES: readonly Damage[] = [
  { name: 'the name of a rule', file: /^alerts\.json$/, place: '', from: '"Night"', to: '"Noght"' },
  { name: 'a flag', file: /^levels\/.*\/seconds\.csv$/, place: ', line \\d+, flags', from: 'over frozen', to: 'over' },
  { name: 'a setting', file: /^settings\.json$/, place: '', from: '"before": "100ms"', to: '"before": "200ms"' },
  {
    name: 'a record',
    file: /^audit\.jsonl$/,
    place: '',
    from: '"route":"/{unit_id}/config"',
    to: '"route":"/{unit_id}/start"',
  },
];

/** The package with this damage, and the one difference that a verifier must tell. Throws where it finds nothing to damage. */
export async function damaged(bytes: Buffer, { file, place, from, to }: Damage) {
  let path: string | undefined;
  const changed = await repacked(bytes, (files) => {
    for (const [name, content] of files) {
      const other = String(content).replace(from, to);
      if (path !== undefined || !file.test(name) || other === String(content)) continue;
      path = name;
      files.set(name, Buffer.from(other));
    }
  });
  if (path === undefined) throw new Error(`no file like ${file} has ${from}`);
  return { difference: new RegExp(`^Differs: ${path}${place}: it is not as it was signed$`), bytes: changed };
}
