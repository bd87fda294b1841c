/**
 * The ten commonest tasks, each from the first page, by the clicks that docs/dashboard.md names: one click more fails. A field that is
 * filled in counts as one. How long each took, with no time to think, is said in the output.
 */
import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { Client } from '../../client/index.ts';
import { HOUR_S } from './support/levels.ts';
import { NO_BROWSER, openStage, type Stage } from './support/stage.ts';

const WEIGHTING = { frequency: 'A', time: 'F' } as const;

/** A page on which clicks are counted. */
class Hand {
  readonly page: Page;
  clicks = 0;

  constructor(page: Page) {
    this.page = page;
  }

  async click(what: Locator): Promise<void> {
    this.clicks += 1;
    await what.click();
  }

  async fill(what: Locator, text: string): Promise<void> {
    this.clicks += 1;
    await what.fill(text);
  }

  async choose(field: string, value: string): Promise<void> {
    this.clicks += 1;
    await this.page.getByLabel(field).first().selectOption(value);
  }

  link = (name: string | RegExp) => this.click(this.page.getByRole('link', { name }).first());
  button = (name: string | RegExp) => this.click(this.page.getByRole('button', { name }).first());

  /** From a fifth of the chart to the half of it. */
  async drag(): Promise<void> {
    this.clicks += 1;
    const plot = this.page.locator('.u-over');
    await plot.waitFor();
    const { x, y, width } = (await plot.boundingBox()) ?? { x: 0, y: 0, width: 0 };
    await this.page.mouse.move(x + width * 0.2, y + 50);
    await this.page.mouse.down();
    await this.page.mouse.move(x + width * 0.5, y + 60, { steps: 5 });
    await this.page.mouse.up();
  }
}

const METER = /^Roof/;

/** By the names that the guide has for them. */
const TASKS: Readonly<Record<string, (hand: Hand, stage: Stage) => Promise<void>>> = {
  'see whether something is too loud, or needs a person': ({ page }) => page.getByText(/1 needs attention/).waitFor(),
  async 'see the level of a meter now, with its limit'(hand) {
    await hand.link(METER);
    await hand.page
      .getByText(/[0-9.]+ dB (so far|at worst), 70\.0 dB allowed/)
      .first()
      .waitFor();
    await hand.page.getByText(/LAeq/).first().waitFor();
  },
  async 'find the loud day of the last week'(hand) {
    await hand.link('Overview');
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
    await hand.link(METER);
    await hand.link('History');
    await hand.click(hand.page.getByText('Report', { exact: true }).first());
    const opened = hand.page.context().waitForEvent('page');
    await hand.click(hand.page.getByText('Open the report').first());
    await (await opened).getByRole('heading').first().waitFor();
  },
  async 'exclude a time that does not count'(hand) {
    await hand.link(METER);
    await hand.link('History');
    await hand.drag();
    await hand.choose('Reason', 'own_noise');
    await hand.button('Exclude this time');
    await hand.page
      .getByText(/Does not count/)
      .first()
      .waitFor();
  },
  async 'add a meter'(hand, { meter }) {
    await hand.link('Settings');
    await hand.fill(hand.page.getByLabel('Short name, for addresses'), 'gate');
    await hand.fill(hand.page.getByLabel('Address in the network'), '127.0.0.1');
    // A real meter has the port that the form says.
    await hand.page.getByLabel('Port', { exact: true }).fill(String(meter.tcpPort));
    await hand.button(/^Add/);
    await hand.page
      .getByText(/gate is (configured|added)|gate .*answers/i)
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
  const client = new Client({ baseUrl: stage.gateway.baseUrl });
  const limit = { kind: 'level', units: ['roof'], severity: 'warning', targets: [] } as const;
  const now = Math.floor(Date.now() / 1_000);
  const day = now - 48 * HOUR_S;
  fill(stage, { from: day, to: day + HOUR_S, leq: 78 });
  fill(stage, { from: now - 20 * HOUR_S, to: now - HOUR_S, leq: 50 });
  await stage.gateway.history.flush();
  await client.addAlertRule({ ...limit, name: 'Site limit', quantity: 'leq', window: '15m', limit_db: 70 });
  await client.addAlertRule({ ...limit, name: 'Peak', quantity: 'lmax', limit_db: 100, window: '1m' });
  const time = (at: number) => new Date(at * 1_000).toISOString();
  const event = { unit_id: 'roof', rule_name: 'Site limit', kind: 'level', what: 'leq', limit: 70, worst: 78.2 };
  const events = [{ ...event, opened_at: time(day), closed_at: time(day + HOUR_S), detail: 'Too loud.' }];
  await client.call('/_alerts/events/import', { method: 'POST', body: { events } });
  const loud = { steps: 10, leq: 101.2, lmax: 104, lmin: 99, lpeak: 118, lp: Array(10).fill(101) };
  stage.gateway.history.append({
    unitId: 'roof',
    source: 'stream',
    weighting: WEIGHTING,
    seconds: [{ at: now, ...loud }],
  });
}

function fill({ gateway }: Stage, { from, to, leq }: { readonly from: number; readonly to: number; leq: number }) {
  const own = { steps: 10, leq, lmax: leq + 5, lmin: leq - 5, lpeak: leq + 20, lp: Array(10).fill(leq) };
  const seconds = Array.from({ length: to - from }, (_, second) => ({ at: from + second, ...own }));
  gateway.history.append({ unitId: 'roof', source: 'card', weighting: WEIGHTING, seconds });
}

/** Clicks by task, as the guide says. */
function written(): ReadonlyMap<string, number> {
  const guide = readFileSync(new URL('../../docs/dashboard.md', import.meta.url), 'utf8');
  const rows = [...guide.matchAll(/^\| ([^|]+) \| (\d+)[^|]* \|/gm)];
  return new Map(rows.map(([, task = '', clicks]) => [task, Number(clicks)]));
}

async function each(t: Test, stage: Stage, clicks: ReadonlyMap<string, number>): Promise<void> {
  for (const [task, act] of Object.entries(TASKS)) {
    const page = await stage.open('');
    const hand = new Hand(page);
    const begin = performance.now();
    await act(hand, stage);
    t.comment(`${task}: ${hand.clicks} clicks, ${((performance.now() - begin) / 1_000).toFixed(1)} s`);
    t.equal(hand.clicks, clicks.get(task), task);
    await page.context().close();
  }
}

t.test('the ten commonest tasks take the clicks that the guide names', { skip: NO_BROWSER }, async (t) => {
  const stage = await openStage(t);
  await furnish(stage);
  const clicks = written();
  t.strictSame(
    [...clicks.keys()].filter((task) => !(task in TASKS)),
    [],
    'every task of the guide is tried',
  );
  await each(t, stage, clicks);
});
