/** An instance that gets the meters and cannot be the gateway, because its data folder is unfit: nobody had seen that while it waited. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { placesIn } from '../support/empty-data.ts';
import { configOf } from '../support/world.ts';
import { memoryDatabase } from './support/memory-database.ts';
import { openPair } from './support/pair.ts';

for (const share_meters of [false, true])
  t.test(`it leaves at once, and another one takes over; meters shared out: ${share_meters}`, async (t) => {
    const { folder, meter, begin, ask, pass, passing, takesOver, clock, lines } = await openPair(t, memoryDatabase, {
      share_meters,
    });
    const first = await begin('first');
    const unfit = join(folder, 'unfit');
    await mkdir(placesIn(join(unfit, 'shared')).data_dir, { recursive: true });
    await writeFile(join(placesIn(join(unfit, 'shared')).data_dir, 'audit'), 'not a folder');
    const broken = await begin('broken', 'broken', {}, unfit);
    const third = await begin('third');
    t.equal((await ask('PUT', `${first.base}/roof/config`, configOf(meter))).status, 200);
    await pass(30_000, { stepMs: 100 });
    let reason = '';
    broken.instance.ended.catch((error: Error) => {
      reason = error.message;
    });
    // It hears of the change later, so the broken one gets the meters.
    third.store.isAway = true;
    await passing(first.instance.stop());
    for (let tries = 0; tries < 300 && reason === ''; tries += 1) await pass(100, { stepMs: 20 });
    t.match(reason, /audit/, 'its process ends with the reason');
    t.notOk(broken.instance.gateway());
    t.ok(lines.some((line) => line.includes('cannot be the gateway: it leaves')));
    third.store.isAway = false;
    const before = clock.elapsed();
    await takesOver(third.instance, 100);
    t.ok(clock.elapsed() - before < 20_000, 'nobody waits for silence');
    await pass(10_000, { stepMs: 100 });
    t.equal((await ask('GET', `${third.base}/roof/live`)).status, 200);
    const { data } = (await ask('GET', `${third.base}/_cluster`)).json;
    t.equal(data.find(({ name }: { name: string }) => name === 'broken').state, 'left');

    // Its supervisor starts it again: it waits.
    await passing(broken.instance.stop());
    const again = await begin('broken', 'broken', {}, unfit);
    t.notOk(again.instance.gateway());
    t.equal((await ask('GET', `${again.base}/roof/live`)).status, 200, 'and passes on what it is asked');
    t.strictSame(
      meter.log.events.filter(({ kind }) => kind === 'held'),
      [],
      'no meter saw two of them',
    );
  });
