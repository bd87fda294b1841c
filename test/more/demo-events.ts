/** The alert events of the demo: its hours come the newest first, beside the streams of its meters. */
import { join } from 'node:path';
import t from 'tap';
import { PacedClock } from '../../simulator/control/paced-clock.ts';
import { startDemo } from '../../simulator/demo/demo.ts';
import { startFleet, stopFleet } from '../../simulator/fleet.ts';

interface Shown {
  readonly unit_id: string;
  readonly opened_at: string;
  readonly duration_s: number | null;
}

t.test(
  'the demo has exactly the four events of its two loud times at two meters, each as long as it was',
  async (t) => {
    const clock = new PacedClock();
    const fleet = await startFleet({ meters: 2, host: '127.0.0.1', seed: 1, sampleStores: true, clock });
    const own = { host: '127.0.0.1', port: 0, env: {}, pastDays: 7, dataDir: join(t.testdir(), 'demo') };
    const demo = await startDemo(fleet, own);
    t.teardown(async () => {
      await demo.stop();
      await stopFleet(fleet);
    });
    const ask = async <T>(path: string) =>
      ((await (await fetch(`${demo.baseUrl}${path}`)).json()) as { readonly data: T }).data;
    const levels = async () => (await ask<readonly Shown[]>('/_alerts/events')).filter(isOfLevels);
    // The recordings are the last that the demo brings. Late levels are looked at ten seconds after the last of them, and
    // the looking takes its time on a busy computer.
    const isWhole = async () =>
      (await ask<readonly object[]>('/_recordings')).length > 0 && (await levels()).length >= 4;
    for (let s = 0; s < 300 && !(await isWhole()); s += 1) await new Promise((resolve) => setTimeout(resolve, 1_000));
    // A double event would follow.
    await new Promise((resolve) => setTimeout(resolve, 15_000));
    const events = await levels();
    t.equal(events.length, 4, JSON.stringify(events));
    t.equal(
      new Set(events.map(({ unit_id, opened_at }) => `${unit_id} ${opened_at.slice(0, 10)}`)).size,
      4,
      'none is double',
    );
    for (const { duration_s } of events) t.ok((duration_s ?? 0) >= 1_800, `${duration_s} s of 40 minutes of noise`);
  },
);

const isOfLevels = (event: object): boolean => Reflect.get(event, 'kind') === 'level';
