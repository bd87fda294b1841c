/** A copied computer: two processes with one id, name and place. The later one goes on, the other one ends and stays away while that one runs. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { CLUSTER_TIMES } from '../../../lib/cluster/times.ts';
import { placesIn } from '../../support/empty-data.ts';
import { openPair, type SharedDatabase } from './pair.ts';

const { beatMs, takeMs } = CLUSTER_TIMES;
const WORDS = /another process has joined under the id of this instance.*remove instance\.json/;

/** Runs the suite. */
export async function copiesOfComputersEnd(t: Test, open: (t: Test) => Promise<SharedDatabase>): Promise<void> {
  await t.test(
    'of two processes with one id one has the meters, and the other one says why it does not run',
    async (t) => {
      const { clock, folder, begin, pass, passing, until, lines } = await openPair(t, open);
      const mark = join(placesIn(join(folder, 'first')).data_dir, 'instance-replaced.json');
      /** How long the start took by the clock, ms. */
      const timed = async () => {
        const before = clock.elapsed();
        const begun = await begin('first');
        return { ...begun, ms: clock.elapsed() - before };
      };
      const first = await begin('first');
      t.ok(first.instance.gateway());
      await pass(7_000, { stepMs: 500 });
      const began = clock.elapsed();
      const told = () => lines.some((line) => WORDS.test(line));
      let endedAt = Number.POSITIVE_INFINITY;
      const look = () => {
        if (told()) endedAt = clock.elapsed();
        else clock.after(100, look);
      };
      look();
      const copy = await begin('first', 'first', {}, join(folder, 'copy'));
      t.ok(copy.instance.gateway());
      await until(() => !first.instance.gateway(), 100);
      // The copy joins some moments after its start; a test of the loop has the limit exactly.
      t.ok(endedAt - began <= 2 * beatMs, `both had the meters for ${endedAt - began} ms at most`);
      await t.rejects(passing(first.instance.ended), { message: WORDS }, 'its process ends, and is started again');
      t.equal(lines.filter((line) => WORDS.test(line)).length, 1, 'its log says what to do');
      t.ok(existsSync(mark));
      await pass(30_000, { stepMs: 500 });
      t.ok(copy.instance.gateway());

      for (const time of ['first', 'second']) {
        const before = clock.elapsed();
        await t.rejects(begin('first'), { message: /another process runs as the instance of the data folder/ });
        t.ok(clock.elapsed() - before < takeMs / 2, `the ${time} start after it is refused in time`);
      }
      t.ok(copy.instance.gateway());

      await passing(copy.instance.stop());
      const later = await timed();
      t.ok(later.instance.gateway(), 'when the copy has stopped it runs');
      t.ok(later.ms >= takeMs && later.ms < 1.5 * takeMs, `${later.ms} ms without a sign of life`);
      t.notOk(existsSync(mark));
      await passing(later.instance.stop());
      const again = await timed();
      t.ok(again.instance.gateway() && again.ms < takeMs / 2, `a start without a mark does not wait: ${again.ms} ms`);
    },
  );

  await t.test('so it is with one that waits; the one with the meters does not notice', async (t) => {
    const { folder, begin, pass, passing } = await openPair(t, open);
    const owner = await begin('owner');
    const first = await begin('first');
    const copy = await begin('first', 'first', {}, join(folder, 'copy'));
    await t.rejects(passing(first.instance.ended), { message: WORDS });
    await t.rejects(begin('first'), { message: /another process runs as the instance/ });
    await pass(12_000, { stepMs: 500 });
    t.match(copy.instance.waits(), /owner has the meters/);
    t.ok(owner.instance.gateway());
  });

  await t.test('a mark of another id says nothing, one that cannot be read makes it wait', async (t) => {
    const { clock, folder, begin, passing } = await openPair(t, open);
    const data = placesIn(join(folder, 'first')).data_dir;
    const mark = join(data, 'instance-replaced.json');
    mkdirSync(data, { recursive: true, mode: 0o700 });
    for (const [text, isWaiting] of Object.entries({ '{"member":"other"}': false, '{"mem': true })) {
      writeFileSync(mark, text);
      const before = clock.elapsed();
      const { instance } = await begin('first');
      const ms = clock.elapsed() - before;
      t.equal(ms >= takeMs, isWaiting, `${text}: ${ms} ms`);
      await passing(instance.stop());
    }
    t.notOk(existsSync(mark));
  });
}
