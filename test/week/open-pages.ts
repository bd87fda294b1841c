/**
 * Pages that stay open for a week, in a real browser whose clock is moved. Each minute brings readings, each hour alerts,
 * jobs and states. After seven days a page has as much memory as after one. `npx tap --timeout=600 test/week/open-pages.ts`
 */
import type { CDPSession, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { NO_BROWSER, openStage, type Stage } from '../browser/support/stage.ts';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;
const METERS = 2;
/** From the third day on nothing may come; before, the browser still learns which code is run often. */
const WARM_DAYS = 3;
const BOUND = { bytes: 250_000, all: 1_000_000, nodes: 60, listeners: 5 };

/** Time of the page: it moves when the test says so, and what is due is called. Messages of the gateway can be brought in. */
const OWN_TIME = `{
  let at = Date.now();
  let last = 0;
  const due = new Map();
  const put = (call, ms, every, more) => {
    due.set(++last, { call: () => call(...more), at: at + Math.max(0, ms || 0), every });
    return last;
  };
  const RealDate = Date;
  window.Date = class extends RealDate {
    constructor(...given) { super(...(given.length > 0 ? given : [at])); }
    static now() { return at; }
  };
  window.setTimeout = (call, ms, ...more) => put(call, ms, undefined, more);
  window.setInterval = (call, ms, ...more) => put(call, ms, Math.max(1, ms || 0), more);
  window.clearTimeout = window.clearInterval = (id) => void due.delete(id);
  window.WebSocket = class extends WebSocket {
    constructor(...given) { super(...given); window.socket = this; }
  };
  const drawn = () => new Promise((resolve) => requestAnimationFrame(() => resolve()));
  const turn = () => new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { port1.close(); resolve(); };
    port2.postMessage(0);
  });
  window.pass = async (ms) => {
    at += ms;
    for (const [id, timer] of [...due].sort(([, one], [, other]) => one.at - other.at)) {
      if (timer.at > at || !due.has(id)) continue;
      if (timer.every) timer.at = at + timer.every;
      else due.delete(id);
      timer.call();
    }
    await turn();
  };
  window.live = async (minutes) => {
    for (const messages of minutes) {
      for (const message of messages) window.socket.onmessage({ data: JSON.stringify(message) });
      await turn();
      await window.pass(60000);
    }
    await drawn();
    await window.pass(1000);
    await drawn();
  };
}`;

for (const path of ['', 'wall'])
  t.test(`/${path} holds after a week what it held after a day`, { skip: NO_BROWSER }, (t) => week(t, path));

async function week(t: Test, path: string): Promise<void> {
  const stage = await openStage(t, { request_rate: 0 });
  for (let number = 1; number <= METERS; number++)
    await stage.addMeter(`unit-${number}`, { host: '192.0.2.40', pollEnabled: false, tags: [`site-${number % 2}`] });
  const page = await openOwnTime(stage, path);
  const tab = await page.context().newCDPSession(page);
  let at = Number(await page.evaluate('Date.now()'));
  const held: Held[] = [];
  for (let hour = 0; hour < 7 * 24; hour++) {
    const minutes = Array.from({ length: 60 }, (_, index) => eventsOf(hour * 60 + index, at + (index + 1) * MINUTE_MS));
    await page.evaluate(`live(${JSON.stringify(minutes)})`);
    at = Number(await page.evaluate('Date.now()'));
    if (hour % 24 === 23) held.push(await heldBy(tab));
  }
  const level = levelOf(7 * DAY_MINUTES - 1, 1).toFixed(1);
  t.match(await page.locator('main').innerText(), level, 'the last level is shown');
  t.comment(`/${path}: ${held.map(({ bytes, nodes }) => `${(bytes / 1e6).toFixed(2)} MB, ${nodes} nodes`).join('; ')}`);
  const [first, warm, last] = [held[0], held[WARM_DAYS - 1], held.at(-1)];
  if (!first || !warm || !last) throw new Error('nothing was measured');
  t.ok(last.bytes - warm.bytes < BOUND.bytes, `${last.bytes - warm.bytes} bytes more than after three days`);
  t.ok(last.bytes - first.bytes < BOUND.all, `${last.bytes - first.bytes} bytes more than after one`);
  t.ok(last.nodes - first.nodes < BOUND.nodes, `${last.nodes - first.nodes} nodes more`);
  t.ok(last.listeners - first.listeners < BOUND.listeners, `${last.listeners - first.listeners} listeners more`);
}

/** A page with a time of its own that has heard of all meters. */
async function openOwnTime(stage: Stage, path: string): Promise<Page> {
  const page = await stage.browse('about:blank');
  await page.addInitScript(OWN_TIME);
  await page.goto(`${stage.url}${path}`);
  // Nothing of the page happens by itself; what it waits for comes by network.
  for (let tries = 0; tries < 300; tries++) {
    await page.evaluate('pass(1000)');
    if ((await page.getByText('unit-1').count()) > 0) return page;
  }
  throw new Error('the page shows no meter');
}

const levelOf = (minute: number, number: number): number => 50 + ((minute * 7 + number * 3) % 200) / 10;

/** Events of a gateway in this minute of the week. */
function eventsOf(minute: number, at: number): readonly object[] {
  const time = new Date(at).toISOString();
  const events: object[] = [];
  for (let number = 1; number <= METERS; number++) {
    const unit_id = `unit-${number}`;
    const tell = (event: string, data: object) => events.push({ event, unit_id, time, data });
    const [lp, leq] = [levelOf(minute, number), levelOf(minute + 1, number)];
    tell('reading', {
      lp,
      leq,
      lmax: leq + 9,
      lmin: leq - 9,
      lpeak: leq + 20,
      lp_at: time,
      levels_at: time,
      state_at: time,
      measurement_state: 'Measure',
    });
    if ((minute + number) % 60 === 0) tell('alert', alertOf(minute, unit_id, time, null));
    if ((minute + number) % 60 === 20) tell('alert', alertOf(minute - 20, unit_id, time, time));
    if ((minute + number) % 60 === 40) tell('state', { state: minute % 120 < 60 ? 'measuring' : 'stopped' });
    if ((minute + number) % 60 === 50)
      tell('setting', { name: 'frequency_weighting', value: minute % 120 < 60 ? 'A' : 'C' });
  }
  return events;
}

const alertOf = (minute: number, unit_id: string, time: string, closed_at: string | null) => ({
  change: closed_at ? 'closed' : 'opened',
  id: `${minute}-${unit_id}`,
  rule: '1',
  rule_name: 'Limit',
  unit_id,
  kind: 'level',
  what: 'leq',
  severity: 'warning',
  limit: 55,
  worst: 61.5,
  detail: 'Loud.',
  acknowledged_at: null,
  opened_at: time,
  closed_at,
  windows: 1,
  unit: 'dB',
});

interface Held {
  readonly bytes: number;
  readonly nodes: number;
  readonly listeners: number;
}

/** After a garbage collection. */
async function heldBy(tab: CDPSession): Promise<Held> {
  await tab.send('HeapProfiler.collectGarbage');
  const { usedSize } = await tab.send('Runtime.getHeapUsage');
  const { nodes, jsEventListeners } = await tab.send('Memory.getDOMCounters');
  return { bytes: usedSize, nodes, listeners: jsEventListeners };
}
