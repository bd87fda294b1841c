/**
 * The ten commonest tasks of a person with two meters, each from the first page. They take the clicks that docs/dashboard.md
 * names, and at most 25 in all. The output has the seconds of each task, with no time to think.
 */

import { readFileSync } from 'node:fs';
import t from 'tap';
import { Hand } from './support/hand.ts';
import { addLoud, addSeconds, HOUR_S } from './support/levels.ts';
import { type Stage, stageTest } from './support/stage.ts';

const METER = /^Roof/;

/** By the names that the guide has for them. */
const TASKS: Readonly<Record<string, (hand: Hand, stage: Stage) => Promise<void>>> = {
  'see whether something is too loud, or needs a person': ({ page }) =>
    page
      .getByRole('region', { name: 'Needs a person' })
      .getByText(/Roof: .*100/)
      .waitFor(),
  async 'see the level of a meter now, with its limit'(hand) {
    await hand.link(METER);
    await hand.page
      .getByText(/[0-9.]+ dB (so far|at worst), 70\.0 dB allowed/)
      .first()
      .waitFor();
    await hand.page.getByText(/LAeq/).first().waitFor();
  },
  async 'find the loud day of the last week'(hand) {
    await hand.click(hand.page.locator('a.day.exceeded').first());
    await hand.page.waitForURL(/\/m\/roof\//);
  },
  async 'say that an alert was seen'(hand) {
    await hand.link(/^Alerts/);
    await hand.button('Acknowledge');
    await hand.page
      .getByText(/Acknowledged by/)
      .first()
      .waitFor();
  },
  async 'start a measurement'(hand) {
    await hand.link(METER);
    await hand.button(/^Start/);
    await hand.page.locator('.state.measuring').first().waitFor();
  },
  async 'set a limit for all the time'(hand) {
    await hand.link(/^Alerts/);
    await hand.click(hand.page.locator('summary', { hasText: 'A new rule' }));
    await hand.fill(hand.page.getByLabel('Limit, dB'), '85');
    await hand.button('Save this rule');
    await hand.page.getByText(/^The rule .* is created\.$/).waitFor();
  },
  async 'fetch the new files of a card'(hand) {
    await hand.link(METER);
    await hand.link('Files');
    await hand.button('Fetch what is new');
    // How long the run then takes is a matter of the card.
    await hand.page
      .getByText(/The card is being copied|Last copied/)
      .first()
      .waitFor();
  },
  async 'make a report of the last day'(hand) {
    await hand.click(hand.page.getByRole('region', { name: 'site-a' }).locator('a.day').nth(5));
    await hand.button('Report');
    const opened = hand.page.context().waitForEvent('page');
    await hand.click(hand.page.getByText('Open the report').first());
    await (await opened).getByRole('heading').first().waitFor();
  },
  async 'exclude a time that does not count'(hand) {
    await hand.link('Exclude time');
    await hand.drag();
    await hand.choose(hand.page.getByLabel('Reason').first(), 'own_noise');
    await hand.button('Exclude this time');
    await hand.page
      .getByText(/Does not count/)
      .first()
      .waitFor();
  },
  async 'add a meter'(hand, { meter }) {
    await hand.link('Settings');
    await hand.fill(hand.page.getByLabel('Address in the network'), '127.0.0.1');
    // A real meter has the port that the form says.
    await hand.page.getByLabel('Port', { exact: true }).fill(String(meter.tcpPort));
    await hand.button(/^Add/);
    await hand.page
      .getByText(/meter-1 is (configured|added)|meter-1 .*answers/i)
      .first()
      .waitFor({ timeout: 60_000 });
  },
};

/** A meter with a loud hour two days ago, and one second now that is above both of its limits. */
async function furnish(stage: Stage): Promise<void> {
  const mirror = { ...stage.gateway.store.configs.defaults.mirror, paths: ['/NL-43/Screenshot'] };
  const ftp = { ftpEnabled: true, ftpUsername: 'USER', ftpPassword: '0000' };
  await stage.addMeter('roof', {
    ...ftp,
    mirror,
    name: 'Roof',
    tags: ['site-a'],
    history: 'stream',
    pollIntervalSeconds: 30,
  });
  await stage.addMeter('yard', { name: 'Yard', pollEnabled: false });
  const limit = { kind: 'level', units: ['roof'], severity: 'warning', targets: [] } as const;
  const now = Math.floor(Date.now() / 1_000);
  const day = now - 48 * HOUR_S;
  await addSeconds(stage, { from: day, leq: 78 }, HOUR_S);
  // Yesterday has levels at every time of the day. The queue of the history takes 50,000 rows at once.
  for (const hours of [40, 27, 14]) await addSeconds(stage, { from: now - hours * HOUR_S, leq: 50 }, 13 * HOUR_S);
  await stage.client.addAlertRule({ ...limit, name: 'Site limit', quantity: 'leq', window: '15m', limit_db: 70 });
  await stage.client.addAlertRule({ ...limit, name: 'Peak', quantity: 'lmax', limit_db: 100, window: '1m' });
  const time = (at: number) => new Date(at * 1_000).toISOString();
  const event = { unit_id: 'roof', rule_name: 'Site limit', kind: 'level', what: 'leq', limit: 70, worst: 78.2 };
  const events = [{ ...event, opened_at: time(day), closed_at: time(day + HOUR_S), detail: 'Too loud.' }];
  await stage.client.call('/_alerts/events/import', { method: 'POST', body: { events } });
  await addLoud(stage, now);
}

/** Clicks by task, as the guide says. */
function written(): ReadonlyMap<string, number> {
  const guide = readFileSync(new URL('../../docs/dashboard.md', import.meta.url), 'utf8');
  const rows = [...guide.matchAll(/^\| ([^|]+) \| (\d+)[^|]* \|/gm)];
  return new Map(rows.map(([, task = '', clicks]) => [task, Number(clicks)]));
}

const MOST_CLICKS = 25;

stageTest(t, 'the ten commonest tasks take the clicks that the guide names, at most 25', async (t, stage) => {
  await furnish(stage);
  const clicks = written();
  t.strictSame([...clicks.keys()].toSorted(), Object.keys(TASKS).toSorted(), 'every task of the guide is tried');
  let all = 0;
  for (const [task, act] of Object.entries(TASKS)) {
    const page = await stage.open('');
    const hand = new Hand(page);
    await act(hand, stage);
    hand.count(t, task, clicks.get(task) ?? 0);
    all += hand.clicks;
    await page.context().close();
  }
  t.ok(all <= MOST_CLICKS, `${all} clicks in all`);
  const named = [...clicks.values()].reduce((sum, count) => sum + count, 0);
  t.equal(all, named, 'as many as the guide names');
});
