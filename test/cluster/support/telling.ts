/** What an instance says at /health of its computer: the clock, and the disk while it waits. */
import type { Test } from 'tap';
import { openPair, type SharedDatabase } from './pair.ts';

/** Runs the suite. */
export async function instancesTellTroubles(t: Test, open: (t: Test) => Promise<SharedDatabase>): Promise<void> {
  await t.test('an instance whose clock is not that of the database says so, until it is', async (t) => {
    const { begin, ask, pass, lines } = await openPair(t, open);
    const all = [await begin('first'), await begin('second')];
    const health = async () =>
      Promise.all(
        all.map(async ({ instance }) => (await ask('GET', `http://127.0.0.1:${instance.port}/health`)).json.problems),
      );
    const ready = async () => (await ask('GET', `http://127.0.0.1:${all[0]?.instance.port}/readyz`)).status;
    t.strictSame(await health(), [undefined, undefined]);
    for (const { store } of all) store.clockAhead = 3_600_000;
    await pass(12_000, { stepMs: 500 });
    for (const problems of await health())
      t.match(problems, [
        { part: 'clock', detail: /^The clock of this computer is 60 min behind that of the database/ },
      ]);
    t.equal(await ready(), 200, 'it works all the same');
    t.ok(lines.some((line) => line.includes('the clock of this computer is not that of the database')));
    for (const { store } of all) store.clockAhead = 0;
    await pass(12_000, { stepMs: 500 });
    t.strictSame(await health(), [undefined, undefined]);
    t.ok(lines.some((line) => line.includes('agree again')));
  });

  await t.test('an instance that waits with a full disk says so', async (t) => {
    const { begin, ask, pass, lines } = await openPair(t, open);
    await begin('first');
    // More than any disk has free.
    const { instance } = await begin('second', 'second', { history_min_free_mb: 100_000_000 });
    await pass(6_000, { stepMs: 500 });
    t.match((await ask('GET', `http://127.0.0.1:${instance.port}/health`)).json, {
      status: 'degraded',
      problems: [{ part: 'disk', detail: /^The disk of this instance has no room/ }],
    });
    t.equal(lines.filter((line) => line.includes('the disk of the data folder has no room')).length, 1);
  });

  await t.test('an instance that waits and gets no answer from the database says so, until it does', async (t) => {
    const { begin, ask, pass } = await openPair(t, open);
    const gateway = await begin('first');
    const { instance, store } = await begin('second');
    const health = async () => (await ask('GET', `http://127.0.0.1:${instance.port}/health`)).json.problems;
    const ready = async () => (await ask('GET', `http://127.0.0.1:${instance.port}/readyz`)).json.detail;
    t.equal(await health(), undefined);
    t.match(await ready(), /^This instance waits: first has the meters/);
    store.isAway = true;
    await pass(6_000, { stepMs: 500 });
    t.match(await health(), [
      { part: 'database', detail: /^This instance gets no answer from the database: it could/ },
    ]);
    t.match(await ready(), /^This instance waits, and gets no answer from the database/);
    store.isAway = false;
    await pass(12_000, { stepMs: 500 });
    t.equal(await health(), undefined);
    gateway.store.isAway = true;
    await pass(6_000, { stepMs: 500 });
    const { problems } = (await ask('GET', `http://127.0.0.1:${gateway.instance.port}/health`)).json;
    t.match(problems, [{ part: 'instances', detail: /^The signs of life of this instance get no answer/ }]);
  });

  await t.test('an instance that does not reach the one with the meters says so', async (t) => {
    const { begin, ask, pass } = await openPair(t, open);
    // Nobody listens there.
    await begin('first', 'first', { instance_address: 'http://127.0.0.1:1' });
    const { base, instance } = await begin('second');
    const health = async () => (await ask('GET', `http://127.0.0.1:${instance.port}/health`)).json.problems;
    const words = /is not reached from this one.* instance_address/;
    t.match((await ask('GET', `${base}/_status`)).json, { code: 'OWNER_CHANGING', detail: words });
    t.equal(await health(), undefined, 'it may be about to start');
    await pass(31_000, { stepMs: 500 });
    t.equal((await ask('GET', `${base}/_status`)).status, 503);
    t.match(await health(), [{ part: 'instances', detail: /^The instance first has the meters and is not reached/ }]);
  });
}
