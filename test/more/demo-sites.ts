/** The five meters of the demo: what a visitor sees is there when the address is printed, and stays when the demo starts again. */
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { schemas } from '../../client/index.ts';
import { PacedClock } from '../../simulator/control/paced-clock.ts';
import { startDemo } from '../../simulator/demo/demo.ts';
import { startFleet, stopFleet } from '../../simulator/fleet.ts';

const DAY_MS = 86_400_000;
const dateOf = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);

/** The verdict of yesterday at a site with limits by night: the night ends at 7:00. */
const yesterdays = (verdict: string) => (new Date().getUTCHours() < 7 ? 'not_over' : verdict);

/** By the clock of UTC. */
async function openSites(t: Test, dataDir: string) {
  const fleet = await startFleet({ meters: 5, host: '127.0.0.1', seed: 1, clock: new PacedClock() });
  const own = { host: '127.0.0.1', port: 0, env: {}, pastDays: 7, siteSounds: true, dataDir };
  const demo = await startDemo(fleet, { ...own, gatewayWords: ['--timezone', 'UTC'] });
  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    await demo.stop();
    await stopFleet(fleet);
  };
  t.teardown(close);
  const ask = async <T>(path: string) =>
    ((await (await fetch(`${demo.baseUrl}${path}`)).json()) as { readonly data: T }).data;
  const verdict = async (permit: string, daysAgo: number) =>
    (await ask<schemas.PermitVerdict>(`/_permits/${permit}/verdict?day=${dateOf(daysAgo)}`)).verdict;
  const levelEvents = async () =>
    (await ask<readonly schemas.AlertEvent[]>('/_alerts/events')).filter(({ kind }) => kind === 'level');
  return { ask, verdict, levelEvents, close };
}

async function until(isTrue: () => Promise<boolean>, seconds: number): Promise<void> {
  for (let s = 0; s < seconds && !(await isTrue()); s += 1) await new Promise((resolve) => setTimeout(resolve, 1_000));
}

t.test('the five meters have their week and their verdicts when the demo is there', async (t) => {
  const dataDir = join(t.testdir(), 'demo');
  const sites = await openSites(t, dataDir);
  const units = await sites.ask<readonly schemas.Unit[]>('/_status');
  t.strictSame(
    units.map(({ unit_id }) => unit_id),
    ['sim-1', 'sim-2', 'sim-3', 'sim-4', 'sim-5'],
  );
  t.equal(new Set(units.flatMap(({ tags }) => tags)).size, 3, 'three sites');
  const week = `from=${dateOf(7)}T00:00:00Z&to=${dateOf(0)}T00:00:00Z&step=1d&zone=UTC&quantities=leq`;
  for (const { unit_id } of units) {
    const { rows } = await sites.ask<schemas.History>(`/${unit_id}/history?${week}`);
    t.equal(rows.filter(([, leq]) => typeof leq === 'number').length, 7, `${unit_id} has seven whole days`);
  }
  t.equal(await sites.verdict('station-road', 1), yesterdays('met'));
  t.equal(await sites.verdict('railway', 1), 'exceeded');
  t.equal(await sites.verdict('railway', 2), 'met');
  t.equal(await sites.verdict('garden-lane', 1), yesterdays('not_assessable'));

  const causes = (events: readonly schemas.AlertEvent[]) => events.map(({ cause }) => cause).sort();
  const expected = ['Concrete breaker', 'Door to the courtyard open', 'Track maintenance', null, null].sort();
  // The seconds of the oldest day are the last that the demo brings.
  const oldest = `/sim-5/history?from=${dateOf(7)}T00:00:00Z&to=${dateOf(6)}T00:00:00Z&step=1d&zone=UTC&quantities=l90`;
  await until(async () => typeof (await sites.ask<schemas.History>(oldest)).rows[0]?.[1] === 'number', 600);
  t.match(await sites.ask<schemas.History>(oldest), { rows: [[String, Number]] }, 'with percentiles');
  // They come with the copies of the cards.
  const recordings = async () => (await sites.ask<readonly object[]>('/_recordings')).length;
  await until(async () => (await recordings()) > 4, 600);
  t.ok((await recordings()) > 4, 'loud times can be heard');
  t.match(await sites.ask('/_plan'), { picture: { width: 1250 }, marks: [{}, {}, {}, {}, {}] });
  // The looking at late levels would make events double.
  await new Promise((resolve) => setTimeout(resolve, 15_000));
  t.strictSame(causes(await sites.levelEvents()), expected, 'five events, three with a cause');
  t.equal((await sites.ask<readonly object[]>('/_notes?kind=exclusion')).length, 2, 'a mower, and a calibration');
  t.equal((await sites.ask<readonly object[]>('/_calibrations')).length, 2);
  t.equal(await sites.verdict('station-road', 1), yesterdays('met'), 'seconds judge as the minutes did');
  t.equal(await sites.verdict('railway', 1), 'exceeded');
  t.match(
    await sites.ask('/_status').then((all) => all),
    [{}, {}, {}, {}, { battery_level: 30 }],
    'one needs a person',
  );
  await sites.close();

  const again = await openSites(t, dataDir);
  t.strictSame(causes(await again.levelEvents()), expected, 'nothing is double when it starts again in its folder');
  t.equal((await again.ask<readonly object[]>('/_notes')).length, 4);
  t.equal((await again.ask<readonly object[]>('/_permits')).length, 4);
});
